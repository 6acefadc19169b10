// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <cstddef>
#include <span>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/pieces.hpp"
#include "graphpatcher/operands/elements.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// out = f(inputs...), element by element. An input may be `out` itself.
template <class T, class Function, class... Inputs>
void map(const cpu& exec, matrix_view<T> out, Function f, const Inputs&... inputs) {
  for_each_row(exec, out.rows(), out.cols(), [&](std::size_t r) {
    const auto run = [&](T* y, const auto*... x) {
      for (std::size_t c = 0; c < out.cols(); ++c) {
        y[c] = f(x[c]...);
      }
    };
    run(out.row(r).data(), inputs.row(r).data()...);
  });
}

/// out += f(inputs...), element by element.
template <class T, class Function, class... Inputs>
void map_add(const cpu& exec, matrix_view<T> out, Function f, const Inputs&... inputs) {
  for_each_row(exec, out.rows(), out.cols(), [&](std::size_t r) {
    const auto run = [&](T* y, const auto*... x) {
      for (std::size_t c = 0; c < out.cols(); ++c) {
        y[c] += f(x[c]...);
      }
    };
    run(out.row(r).data(), inputs.row(r).data()...);
  });
}

/// sums[c] += sum over rows, first to last, of f(inputs(r, c)...).
template <class T, class Function, class First, class... Rest>
void reduce_columns(const cpu& exec, T* sums, Function f, const First& first, const Rest&... rest) {
  for_each_column_range(exec, first.cols(), first.rows(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = 0; r < first.rows(); ++r) {
      const auto run = [&](const auto*... x) {
        for (std::size_t c = begin; c < end; ++c) {
          sums[c] += f(x[c]...);
        }
      };
      run(first.row(r).data(), rest.row(r).data()...);
    }
  });
}

template <class T>
void add_column_sums(const cpu& exec, matrix_view<const T> x, T* sums) {
  reduce_columns(exec, sums, elements::identity<T>{}, x);
}

/// One thread adds all up, row by row: the order is the same everywhere.
template <class T>
void sum_all(const cpu&, matrix_view<const T> x, T factor, bool accumulate, matrix_view<T> out) {
  double total = 0;
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (const T value : x.row(r)) {
      total += static_cast<double>(value);
    }
  }
  const T scaled = static_cast<T>(static_cast<double>(factor) * total);
  out(0, 0) = accumulate ? out(0, 0) + scaled : scaled;
}

template <class T>
void add_scalar(const cpu& exec, matrix_view<const T> g, matrix_view<T> out) {
  map_add(exec, out, elements::constant<T>{g(0, 0)});
}

template <class T>
void scale_rows(const cpu& exec, std::span<const T> weights, matrix_view<T> x) {
  for_each_row(exec, x.rows(), x.cols(), [&](std::size_t r) {
    for (T& value : x.row(r)) {
      value *= weights[r];
    }
  });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
