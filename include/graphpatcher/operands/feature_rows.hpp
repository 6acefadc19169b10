// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/feature_table.hpp"

namespace graphpatcher {

/// Rows of a feature table picked by id, in any order and with repeats, without a
/// copy. Id -1 is a row of zeros. Values of its own, such as those a dropout left,
/// may stand in for the table's: those of row r start at value_offsets[r], one for
/// each number that the table stores of the row.
template <class T, graph_index I>
struct feature_rows {
  const feature_table<T, I>* table = nullptr;
  std::span<const I> ids;
  std::span<const T> values = {};
  std::span<const std::size_t> value_offsets = {};  ///< empty: the table's own values

  /// Numbers that the table stores of a row: its non-zeros, or all of a dense one's.
  std::size_t stored(std::size_t index) const {
    if (ids[index] < 0) {
      return 0;
    }
    return table->is_dense() ? table->cols() : table->sparse().row_columns(static_cast<std::size_t>(ids[index])).size();
  }
};

/// Such rows of a sparse table, as kernels take them.
template <class T, graph_index I>
struct sparse_rows {
  const sparse_matrix<T, I>* table = nullptr;
  std::span<const I> ids;
  std::span<const T> values = {};
  std::span<const std::size_t> value_offsets = {};

  struct row_view {
    std::span<const I> columns;
    const T* values;
  };
  row_view row(std::size_t index) const {
    if (ids[index] < 0) {
      return {{}, nullptr};
    }
    const auto id = static_cast<std::size_t>(ids[index]);
    return {table->row_columns(id),
            value_offsets.empty() ? table->row_values(id).data() : values.data() + value_offsets[index]};
  }
};

/// Such rows of a dense table that is stored as S. Its numbers, or own values, are in
/// the memory of the executor that reads them; ids and offsets are on the host.
template <class S, graph_index I>
struct dense_table_rows {
  using stored_type = S;

  const S* numbers;
  std::size_t cols;
  std::size_t stride;  ///< of the table
  std::span<const I> ids;
  std::span<const std::size_t> value_offsets = {};  ///< empty: rows of the table

  /// null for id -1.
  const S* row(std::size_t index) const {
    if (ids[index] < 0) {
      return nullptr;
    }
    return numbers + (value_offsets.empty() ? static_cast<std::size_t>(ids[index]) * stride : value_offsets[index]);
  }
  dense_table_rows middle(std::size_t begin, std::size_t count) const {
    return {numbers, cols, stride, ids.subspan(begin, count),
            value_offsets.empty() ? value_offsets : value_offsets.subspan(begin, count)};
  }
};

/// Calls body(rows) with the sparse_rows or the dense_table_rows that `x` is, numbers of
/// the latter where `exec` reads them.
template <class T, graph_index I, class Executor, class Body>
void visit_rows(const Executor& exec, const feature_rows<T, I>& x, Body&& body) {
  if (!x.table->is_dense()) {
    body(sparse_rows<T, I>{&x.table->sparse(), x.ids, x.values, x.value_offsets});
  } else if (!x.value_offsets.empty()) {
    body(dense_table_rows<T, I>{x.values.data(), x.table->cols(), 0, x.ids, x.value_offsets});
  } else {
    std::visit(
        [&]<class S>(const matrix_view<const S>& numbers) {
          body(dense_table_rows<S, I>{numbers.data(), numbers.cols(), numbers.stride(), x.ids});
        },
        x.table->dense().on(exec));
  }
}

/// Throws unless every id is -1 or a row of the table, and values fit.
template <class T, graph_index I>
void check_feature_rows(const feature_rows<T, I>& x, const char* name) {
  expects(x.table != nullptr, name, ": expected a feature table, got none");
  const bool own_values = !x.value_offsets.empty();
  expects<shape_error>(!own_values || x.value_offsets.size() >= x.ids.size(), name, ": expected ", x.ids.size(),
                       " value offsets, got ", x.value_offsets.size());
  for (std::size_t r = 0; r < x.ids.size(); ++r) {
    const I id = x.ids[r];
    expects<index_error>(id >= -1 && (id < 0 || static_cast<std::size_t>(id) < x.table->rows()), name,
                         ": expected ids in [-1, ", x.table->rows(), "), got ", id, " at position ", r);
    if (own_values && id >= 0) {
      const std::size_t stored = x.stored(r);
      expects<shape_error>(x.value_offsets[r] + stored <= x.values.size(), name, ": row ", r, " has ", stored,
                           " numbers from position ", x.value_offsets[r], ", but there are ", x.values.size(),
                           " values");
    }
  }
}

}  // namespace graphpatcher
