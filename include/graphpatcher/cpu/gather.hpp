// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/pieces.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// y[c] += a * x[c]. The arrays do not overlap, so the loop becomes vectors.
template <class T>
void add_scaled_row(T a, const T* __restrict x, T* __restrict y, std::size_t count) {
  for (std::size_t c = 0; c < count; ++c) {
    y[c] += a * x[c];
  }
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

namespace graphpatcher::backend::inline GP_LEVEL {

template <class T, class I>
void gather_rows(const cpu& exec, input_view<T> x, std::span<const I> ids, matrix_view<T> out) {
  for_each_row(exec, ids.size(), x.cols(), [&](std::size_t i) {
    std::copy_n(x.row(static_cast<std::size_t>(ids[i])).data(), x.cols(), out.row(i).data());
  });
}

/// Threads own columns, not rows: each walks all ids in order.
template <class T, class I>
void scatter_add_rows(const cpu& exec, input_view<T> x, std::span<const I> ids, T factor, matrix_view<T> out) {
  for_each_column_range(exec, out.cols(), ids.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      add_scaled_row(factor, x.row(i).data() + begin, out.row(static_cast<std::size_t>(ids[i])).data() + begin,
                     end - begin);
    }
  });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
