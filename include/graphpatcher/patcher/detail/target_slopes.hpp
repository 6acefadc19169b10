// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/lanes.hpp"
#include "graphpatcher/cpu/logarithm.hpp"
#include "graphpatcher/cpu/simd.hpp"
#include "graphpatcher/cpu/softmax_row.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// The KL divergence from several targets y_l, through their weighted mean. With
/// p = softmax(logits), Σ_l w_l = 1 and Y_c = Σ_l w_l (y_lc + eps):
///
///   Σ_l w_l KL(y_l, p) = Σ_l w_l Σ_c (y_lc + eps) log(y_lc + eps) - Σ_c Y_c log(p_c + eps)
///
/// Its slope at logit c is p_c Σ_k u_k - u_c with u_c = Y_c p_c / (p_c + eps).
template <class T>
struct target_slopes {
  T weight;  ///< of this anchor's divergence in the loss
  T eps;

  /// Fills in the slopes and returns the weighted divergence; `entropy` is the first sum.
  T apply(std::span<const T> logits, std::span<const T> mean, T entropy, std::span<T> slopes) const {
    return backend::with_lanes<T>(logits.size(),
                                  [&](auto lanes) { return apply<lanes>(logits, mean, entropy, slopes); });
  }

private:
  template <std::size_t Lanes>
  T apply(std::span<const T> logits, std::span<const T> mean, T entropy, std::span<T> slopes) const {
    using Vector = typename backend::vector_of<T, Lanes>::type;
    const auto scale = backend::softmax_row<Lanes>(logits.data(), logits.size(), slopes.data());
    const Vector log_sum = eps > T(0) ? Vector{} : backend::logarithm(scale.sum);
    // Y of lanes after the end of the row is 0
    const auto raised = [&](std::size_t c, auto count) {
      return backend::load_first<Lanes>(&mean[c], count, -eps) + eps;
    };
    const auto pull = [&](const Vector& y, const Vector& p) { return eps > T(0) ? y * (p / (p + eps)) : y; };
    Vector gained{};
    Vector total{};
    backend::for_each_vector<Lanes>(logits.size(), [&](std::size_t c, auto count) {
      const Vector p = backend::load_first<Lanes>(&slopes[c], count, T(0));
      const Vector log_p = eps > T(0) ? backend::logarithm(p + eps)
                                      : backend::load_first<Lanes>(&logits[c], count, T(0)) - scale.largest - log_sum;
      gained += raised(c, count) * log_p;
      total += pull(raised(c, count), p);
    });
    total = backend::lanes_sum(total);
    backend::for_each_vector<Lanes>(logits.size(), [&](std::size_t c, auto count) {
      const Vector p = backend::load_first<Lanes>(&slopes[c], count, T(0));
      backend::store_first(&slopes[c], weight * (p * total - pull(raised(c, count), p)), count);
    });
    return weight * (entropy - backend::lanes_sum(gained)[0]);
  }
};

/// Σ_c (y_c + eps) log(y_c + eps) of one target; what is 0 adds nothing.
template <class T>
T negative_entropy(std::span<const T> target, T eps) {
  return backend::with_lanes<T>(target.size(), [&](auto lanes) {
    typename backend::vector_of<T, lanes>::type sum{};
    backend::for_each_vector<lanes>(target.size(), [&](std::size_t c, auto count) {
      const auto y = backend::load_first<lanes>(&target[c], count, -eps) + eps;
      sum += y > T(0) ? y * backend::logarithm(y) : T(0) * y;
    });
    return backend::lanes_sum(sum)[0];
  });
}

}  // namespace graphpatcher::fast::inline GP_LEVEL
