// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/lanes.hpp"
#include "graphpatcher/cpu/logarithm.hpp"
#include "graphpatcher/cpu/turned_rows.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// The divergences of a vector's rows, which stand in its lanes; `classes` has room for their columns.
///
/// With u_c = Σ_l (y_lc + eps) p_c / (p_c + eps) the slope of a row's logit c is p_c Σ_k u_k - u_c; for eps = 0, u = y
/// even where p has underflowed. A row with a target that is negative or NaN has NaN as its loss.
template <class T>
class kl_rows {
public:
  using vector = typename turned_rows<T>::vector;

  struct column {
    vector p;      ///< the logit, then its softmax
    vector log_p;  ///< log(p + eps)
    vector pull;   ///< Σ_l (y_l + eps), then u
  };

  kl_rows(std::span<column> classes, T eps)
      : classes_(classes), eps_(eps), normal_(eps >= std::numeric_limits<T>::min()) {}

  void read_logits(const turned_rows<const T>& rows) {
    vector largest = filled<vector>(-std::numeric_limits<T>::infinity());
    column* next = classes_.data();
    rows.for_each_column(
        classes_.size(), [&](const vector& x) __attribute__((always_inline)) {
          next->p = x;
          next->pull = vector{};
          ++next;
          largest = largest < x ? x : largest;
        });
    vector sum{};
    for (auto& of : classes_) {
      of.log_p = of.p - largest;
      of.p = exponential(of.log_p);
      sum += of.p;
    }
    const vector log_sum = eps_ > 0 ? vector{} : logarithm(sum);
    for (auto& of : classes_) {
      of.p /= sum;
      of.log_p = normal_ ? normal_logarithm(of.p + eps_) : eps_ > 0 ? logarithm(of.p + eps_) : of.log_p - log_sum;
    }
  }

  /// The targets of some samples, which stand after another.
  void add_targets(std::size_t samples, const turned_rows<const T>& rows) {
    normal_ ? add_terms<true>(samples, rows) : add_terms<false>(samples, rows);
  }

  /// Ends the rows: their slopes, and their losses as result.
  vector finish(const turned_rows<T>& slopes) {
    vector total{};
    for (auto& of : classes_) {
      of.pull = eps_ > 0 ? of.pull * (of.p / (of.p + eps_)) : of.pull;
      total += of.pull;
    }
    slopes.store_columns(classes_.size(), [&](std::size_t c) { return classes_[c].p * total - classes_[c].pull; });
    const vector nan = filled<vector>(std::numeric_limits<T>::quiet_NaN());
    return least_ >= T(0) ? (total == total ? loss_ : nan) : nan;
  }

private:
  template <bool Normal>
  void add_terms(std::size_t samples, const turned_rows<const T>& rows) {
    column* of = classes_.data();
    column* const end = of + classes_.size();
    const T eps = eps_;
    vector loss = loss_;  // locals stay in registers
    vector least = least_;
    rows.for_each_column(
        samples * classes_.size(), [&](const vector& target) __attribute__((always_inline)) {
          const vector y = target + eps;
          if constexpr (Normal) {
            add_product(y, vector(normal_logarithm(y) - of->log_p), loss);
          } else {
            vector sum = loss;
            add_product(y, vector(positive_logarithm(y) - of->log_p), sum);
            loss = y > T(0) ? sum : loss;
          }
          of->pull += y;
          least = target < least ? target : least;
          of = of + 1 < end ? of + 1 : classes_.data();
        });
    loss_ = loss;
    least_ = least;
  }

  std::span<column> classes_;
  T eps_;
  bool normal_;  ///< what eps is added to has a normal_logarithm()
  vector loss_{};
  vector least_{};
};

}  // namespace graphpatcher::backend::inline GP_LEVEL
