// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/cpu/dropout.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/operands/feature_rows.hpp"

namespace graphpatcher {

/// How elements are dropped. Whether (row, column) is dropped depends on the
/// stream, the row's key and the column, never on where a row stands in a
/// batch; so no mask is stored, the adjoint draws it again.
struct dropout_options {
  random_stream stream;
  double probability;  ///< of an element to be dropped, in [0, 1)
};

inline void check_dropout_probability(double p) {
  expects(p >= 0 && p < 1, "dropout: expected a probability in [0, 1), got ", p);
}

/// y = x / (1 - p) where kept, 0 where dropped. `row_keys` are the keys of the
/// rows, such as node ids; if empty, row r has key r.
template <class T, graph_index I = std::int32_t>
void dropout(const executor& exec, const dropout_options& options, std::span<const I> row_keys, input_view<T> x,
             matrix_view<T> y) {
  check_dropout_probability(options.probability);
  expects<shape_error>(row_keys.empty() || row_keys.size() == x.rows(), "dropout: expected no row keys or ", x.rows(),
                       ", got ", row_keys.size());
  expects_shape(y, x.rows(), x.cols(), "dropout: result");
  exec.visit([&](const auto& on) {
    backend::dropout<T, I>(on, options.stream, options.probability, backend::resident(on, row_keys), x, y);
  });
}

/// dx += g / (1 - p) where kept, with the same options and keys.
template <class T, graph_index I = std::int32_t>
void dropout_adjoint(const executor& exec, const dropout_options& options, std::span<const I> row_keys, input_view<T> g,
                     matrix_view<T> dx) {
  check_dropout_probability(options.probability);
  expects<shape_error>(row_keys.empty() || row_keys.size() == g.rows(), "dropout_adjoint: expected no row keys or ",
                       g.rows(), ", got ", row_keys.size());
  expects_shape(dx, g.rows(), g.cols(), "dropout_adjoint: result");
  exec.visit([&](const auto& on) {
    backend::dropout_add<T, I>(on, options.stream, options.probability, backend::resident(on, row_keys), g, dx);
  });
}

/// The same for the non-zeros of sparse rows, keyed by (id, column): the bits a
/// dense matrix with these ids as row keys would get. The values that row r
/// keeps are written from values[offsets[r]] on.
template <class T, graph_index I>
void sparse_dropout(const executor& exec, const dropout_options& options, const feature_rows<T, I>& x,
                    std::span<const std::size_t> offsets, std::span<T> values) {
  check_dropout_probability(options.probability);
  check_feature_rows<T, I>({x.table, x.ids, values, offsets}, "sparse_dropout");
  expects<shape_error>(offsets.size() >= x.ids.size(), "sparse_dropout: expected ", x.ids.size(), " offsets, got ",
                       offsets.size());
  exec.visit([&](const auto& on) {
    backend::sparse_dropout<T, I>(on, options.stream, options.probability, x, offsets, values);
  });
}

}  // namespace graphpatcher
