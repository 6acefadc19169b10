// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/split.hpp"

namespace graphpatcher::cpu_backend {

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
void add_column_sums(const cpu& exec, T* sums, Function f, const First& first, const Rest&... rest) {
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

}  // namespace graphpatcher::cpu_backend
