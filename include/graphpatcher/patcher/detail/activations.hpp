// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/simd.hpp"
#include "graphpatcher/patcher/row_sources.hpp"

/// What stands between two row layers.
namespace graphpatcher::fast::inline GP_LEVEL {

/// A function, of numbers or of vectors of them, and its slope, given its value.
struct relu_activation {
  template <class Vector>
  static Vector value(const Vector& x) {
    return x < Vector{} ? Vector{} : x;
  }
  template <class T>
  static T slope(T y) {
    return y > T(0) ? T(1) : T(0);
  }
};
struct elu_activation {
  template <class Vector>
  static Vector value(const Vector& x) {
    return x > Vector{} ? x : backend::exponential_less_one(x);
  }
  template <class T>
  static T slope(T y) {
    return y > T(0) ? T(1) : y + T(1);
  }
};
struct no_activation {
  template <class Vector>
  static Vector value(const Vector& x) {
    return x;
  }
  template <class T>
  static T slope(T) {
    return T(1);
  }
};

/// row = value(row), a vector at a time if the activation takes vectors. The row
/// has a padded width, whose padding becomes undefined.
template <class T, class Activation>
void activate_row(const Activation& activation, std::size_t width, T* row) {
  constexpr std::size_t lanes = std::min(backend::vector_lanes<T>, row_unit);
  using vector = typename backend::vector_of<T, lanes>::type;
  if constexpr (requires(const vector& x) { activation.value(x); }) {
    for (std::size_t c = 0; c < width; c += lanes) {
      backend::store(row + c, activation.value(backend::load<lanes>(row + c)));
    }
  } else {
    std::transform(row, row + width, row, [&](T x) { return static_cast<T>(activation.value(x)); });
  }
}

}  // namespace graphpatcher::fast::inline GP_LEVEL
