// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/feature_table.hpp"

namespace graphpatcher {

/// Rows of a sparse table picked by id, in any order and with repeats, without
/// a copy. Id -1 is a row of zeros. Values of its own, such as those a dropout
/// left, may stand in for the table's: those of row r start at value_offsets[r].
template <class T, graph_index I>
struct sparse_rows {
  const feature_table<T, I>* table = nullptr;
  std::span<const I> ids;
  std::span<const T> values = {};
  std::span<const std::size_t> value_offsets = {};  ///< empty: the table's own values

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

/// Throws unless every id is -1 or a row of the table, and values fit.
template <class T, graph_index I>
void check_sparse_rows(const sparse_rows<T, I>& x, const char* name) {
  expects(x.table != nullptr, name, ": expected a sparse table, got none");
  const bool own_values = !x.value_offsets.empty();
  expects<shape_error>(!own_values || x.value_offsets.size() >= x.ids.size(), name, ": expected ", x.ids.size(),
                       " value offsets, got ", x.value_offsets.size());
  for (std::size_t r = 0; r < x.ids.size(); ++r) {
    const I id = x.ids[r];
    expects<index_error>(id >= -1 && (id < 0 || static_cast<std::size_t>(id) < x.table->rows()), name,
                         ": expected ids in [-1, ", x.table->rows(), "), got ", id, " at position ", r);
    if (own_values && id >= 0) {
      const std::size_t stored = x.table->row_columns(static_cast<std::size_t>(id)).size();
      expects<shape_error>(x.value_offsets[r] + stored <= x.values.size(), name, ": row ", r, " has ", stored,
                           " non-zeros from position ", x.value_offsets[r], ", but there are ", x.values.size(),
                           " values");
    }
  }
}

}  // namespace graphpatcher
