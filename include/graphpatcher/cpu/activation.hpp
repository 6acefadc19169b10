// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <cstddef>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/elementwise.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/lanes.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// out = f(x) with f of vectors. Rows that stand together are one row.
template <class T, class Function>
void map_vectors(const cpu& exec, matrix_view<const T> x, matrix_view<T> out, const Function& f) {
  constexpr std::size_t lanes = vector_lanes<T>;
  const auto run = [&](std::size_t row, std::size_t cols) {
    const T* const from = x.row(row).data();
    T* const to = out.row(row).data();
    for_each_vector<lanes>(cols, [&](std::size_t c, auto count) {
      store_first(to + c, f(load_first<lanes>(from + c, count, T(0))), count);
    });
  };
  const bool together = x.stride() == x.cols() && out.stride() == out.cols();
  for_each_row_range(exec, out.rows(), out.cols(), [&](std::size_t begin, std::size_t end) {
    for (; begin < end; begin = together ? end : begin + 1) {
      run(begin, together ? (end - begin) * out.cols() : out.cols());
    }
  });
}

/// What a compiler makes no vectors of: a call, and a product that it must not do in vain.
template <class T, class Input>
void map(const cpu& exec, matrix_view<T> out, elements::elu<T> f, const Input& x) {
  map_vectors<T>(exec, x, out, [=](const auto& v) { return v > T(0) ? v : f.alpha * exponential_less_one(v); });
}
template <class T, class Input>
void map(const cpu& exec, matrix_view<T> out, elements::leaky_relu<T> f, const Input& x) {
  map_vectors<T>(exec, x, out, [=](const auto& v) { return v > T(0) ? v : f.slope * v; });
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

#endif
