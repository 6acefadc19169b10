// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/lanes.hpp"
#include "graphpatcher/cpu/logarithm.hpp"
#include "graphpatcher/cpu/simd.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// What a stable softmax subtracts and divides by, the same number in every lane: softmax of x is
/// exp(x - largest) / sum, its logarithm x - largest - log(sum).
template <class Vector>
struct softmax_scale {
  Vector largest;
  Vector sum;

  Vector probability(const Vector& x) const { return exponential(x - largest) / sum; }
  Vector log_probability(const Vector& x) const { return x - largest - logarithm(sum); }
};

/// Numbers of a row; lanes that are not in memory are -infinity, whose exponential is 0.
template <std::size_t Lanes, class T, class Count>
inline auto load_logits(const T* from, Count count) {
  return load_first<Lanes>(from, count, -std::numeric_limits<T>::infinity());
}

template <class Vector>
struct softmax_result : softmax_scale<Vector> {
  Vector last;  ///< the softmax of the numbers that end the row, at most a vector; 0 in other lanes
};

/// out = exp(row - largest) for a row of more than 0 numbers, then divides all by their sum unless there is no `out`.
/// Lane l sums over the columns l, l + Lanes, ...; lanes are joined last. The end of the row, alone in a row that fits
/// into a vector, stays in a register. `out` may be the row itself.
///
/// With a period the row is that many softmaxes: number k belongs to that of k % Period, a power of two.
template <std::size_t Lanes, std::size_t Period = 1, class T>
inline auto softmax_row(const T* row, std::size_t count, T* out) {
  using Vector = typename vector_of<T, Lanes>::type;
  const std::size_t end = (count - 1) / Lanes * Lanes;  // of the vectors that go through memory
  Vector last = load_logits<Lanes>(row + end, count - end);
  Vector largest = last;
  for (std::size_t k = 0; k < end; k += Lanes) {
    const Vector x = load<Lanes>(row + k);
    largest = largest < x ? x : largest;
  }
  largest = lanes_max<Period>(largest);
  Vector sum{};
  for (std::size_t k = 0; k < end; k += Lanes) {
    const Vector power = exponential(load<Lanes>(row + k) - largest);
    sum += power;
    if (out != nullptr) {
      store(out + k, power);
    }
  }
  last = exponential(last - largest);
  sum = lanes_sum<Period>(sum + last);
  last /= sum;
  if (out != nullptr) {
    for (std::size_t k = 0; k < end; k += Lanes) {
      store(out + k, load<Lanes>(out + k) / sum);
    }
    store_first(out + end, last, count - end);
  }
  return softmax_result<Vector>{{largest, sum}, last};
}

/// Without the softmax itself.
template <std::size_t Lanes, class T>
inline auto scale_of(const T* row, std::size_t count) {
  return softmax_row<Lanes>(row, count, static_cast<T*>(nullptr));
}

/// Two rows of 1 to `Lanes` numbers side by side in a vector; each has the bits that it has alone.
template <std::size_t Lanes, class T>
struct row_pair {
  using Vector = typename vector_of<T, 2 * Lanes>::type;

  std::size_t first_count;
  std::size_t second_count;
  Vector x;
  Vector largest;
  Vector power;
  Vector sum;

  row_pair(const T* first, std::size_t first_numbers, const T* second, std::size_t second_numbers)
      : first_count(first_numbers),
        second_count(second_numbers),
        x(both_of(load_logits<Lanes>(first, first_count), load_logits<Lanes>(second, second_count))),
        largest(lanes_max<1, Lanes>(x)),
        power(exponential(x - largest)),
        sum(lanes_sum<1, Lanes>(power)) {}

  Vector softmax() const { return power / sum; }
  void store(const Vector& values, T* first, T* second) const {
    store_first(first, half_of<0>(values), first_count);
    store_first(second, half_of<1>(values), second_count);
  }
};

/// With as many lanes as the row has use for.
template <class T>
inline void softmax_row(const T* row, std::size_t count, T* out) {
  with_lanes<T>(count, [&](auto lanes) { softmax_row<lanes>(row, count, out); });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
