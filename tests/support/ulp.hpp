// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "graphpatcher/cpu/lanes.hpp"

/// Functions of one number against the same in a wider type.
namespace support {

template <class T>
using wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// How far `got` is from `want`, in the distance of neighbouring numbers at `want`; at least that of subnormal ones.
template <class T>
double ulp_error(T got, wider<T> want) {
  using limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(want);
  if (std::isinf(got) || std::isinf(rounded) || std::isnan(got)) {
    return got == rounded ? 0 : std::numeric_limits<double>::infinity();
  }
  int exponent = 0;
  std::frexp(want, &exponent);
  const wider<T> ulp = std::ldexp(wider<T>(1), std::max(exponent, limits::min_exponent) - limits::digits);
  return static_cast<double>(std::abs(static_cast<wider<T>>(got) - want) / ulp);
}

inline constexpr std::size_t points = std::size_t{1} << 20;

/// The largest error at 2^20 points from `first` to `last`, as far from each other as from the next.
template <class T, class Function, class Exact>
double worst_ulp(T first, T last, const Function& f, const Exact& exact) {
  double worst = 0;
  for (std::size_t i = 0; i <= points; ++i) {
    const T x = static_cast<T>(first + (wider<T>(last) - first) * static_cast<wider<T>>(i) / points);
    worst = std::max(worst, ulp_error<T>(f(x), exact(wider<T>(x))));
  }
  return worst;
}

/// The same with points whose logarithms are so.
template <class T, class Function, class Exact>
double worst_ulp_of_powers(T first, T last, const Function& f, const Exact& exact) {
  const wider<T> from = std::log2(wider<T>(first));
  const wider<T> to = std::log2(wider<T>(last));
  double worst = 0;
  for (std::size_t i = 0; i < points; ++i) {
    const T x = static_cast<T>(std::exp2(from + (to - from) * static_cast<wider<T>>(i) / points));
    worst = std::max(worst, ulp_error<T>(f(x), exact(wider<T>(x))));
  }
  return worst;
}

template <class T, class Function, std::size_t Lanes = 16 / sizeof(T)>
bool same_in_lanes(const T* numbers, const graphpatcher::backend::bits_of<T>* bits, std::size_t count,
                   const Function& f) {
  namespace be = graphpatcher::backend;
  for (std::size_t first = 0; first + Lanes <= count; ++first) {  // so a number stands in every lane once
    const auto results = f(be::load<Lanes>(numbers + first));
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      if (std::bit_cast<be::bits_of<T>>(static_cast<T>(results[lane])) != bits[first + lane]) {
        return false;
      }
    }
  }
  if constexpr (2 * Lanes <= be::vector_lanes<T>) {
    return same_in_lanes<T, Function, 2 * Lanes>(numbers, bits, count, f);
  }
  return true;
}

/// Whether f of a vector is, in every lane of vectors of every width, what it is of the number alone.
template <class T, class Function>
bool same_in_every_lane(T first, T last, const Function& f) {
  namespace be = graphpatcher::backend;
  constexpr std::size_t count = 4096;
  T numbers[count];
  be::bits_of<T> bits[count];
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = static_cast<T>(first + (last - first) * static_cast<T>(i) / count);
    bits[i] = std::bit_cast<be::bits_of<T>>(f(numbers[i]));
  }
  return same_in_lanes<T>(numbers, bits, count, f);
}

}  // namespace support
