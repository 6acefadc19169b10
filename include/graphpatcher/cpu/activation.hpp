// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/elementwise.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

template <class T>
void check_prelu_slope(input_view<T> slope, std::size_t cols) {
  expects<shape_error>(slope.rows() == 1 && (slope.cols() == 1 || slope.cols() == cols),
                       "prelu: slope: expected 1 x 1 or 1 x ", cols, ", got ", slope.rows(), " x ", slope.cols());
}

template <class T>
void prelu(const cpu& exec, input_view<T> x, input_view<T> slope, matrix_view<T> y) {
  for_each_row(exec, x.rows(), x.cols(), [&](std::size_t r) {
    const std::size_t step = slope.cols() == 1 ? 0 : 1;
    for (std::size_t c = 0; c < x.cols(); ++c) {
      const T v = x(r, c);
      y(r, c) = v > T(0) ? v : slope(0, c * step) * v;
    }
  });
}

template <class T>
void prelu_adjoint(const cpu& exec, input_view<T> x, input_view<T> slope, input_view<T> g, matrix_view<T> dx) {
  for_each_row(exec, x.rows(), x.cols(), [&](std::size_t r) {
    const std::size_t step = slope.cols() == 1 ? 0 : 1;
    for (std::size_t c = 0; c < x.cols(); ++c) {
      dx(r, c) += x(r, c) > T(0) ? g(r, c) : slope(0, c * step) * g(r, c);
    }
  });
}

template <class T>
void prelu_slope_adjoint(const cpu& exec, input_view<T> x, input_view<T> g, matrix_view<T> dslope) {
  if (dslope.cols() == x.cols()) {
    reduce_columns(
        exec, dslope.data(), [](T v, T d) { return v > T(0) ? T(0) : v * d; }, x, g);
    return;
  }
  double total = 0;
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t c = 0; c < x.cols(); ++c) {
      total += x(r, c) > T(0) ? T(0) : x(r, c) * g(r, c);
    }
  }
  dslope(0, 0) += static_cast<T>(total);
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
