// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/autodiff/common_tape.hpp"
#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/tape.hpp"
#include "graphpatcher/graph/feature_table.hpp"
#include "graphpatcher/graph/message_graph.hpp"

namespace graphpatcher {

/// The features of the nodes of a message graph: rows of a shared table, sparse
/// or dense, gathered by id and never copied, and one dense matrix of patches a
/// step, in which row i belongs to target i. Table and graph must outlive the
/// tape's use.
template <class T, graph_index I>
struct node_features {
  const feature_table<T, I>* table = nullptr;
  const message_graph<I>* graph = nullptr;
  std::vector<variable<T>> patches = {};  ///< graph->patches matrices, each targets x cols()

  /// What dropout left of the table's values, in the tape's memory, and where
  /// each row starts; empty otherwise (see feature_rows).
  std::span<const T> values = {};
  std::span<const std::size_t> value_offsets = {};

  /// Number of features.
  std::size_t cols() const noexcept { return table->cols(); }

  /// The first `count` local nodes; patches, of id -1, are rows of zeros.
  feature_rows<T, I> table_rows(std::size_t count) const {
    return {table, std::span<const I>(graph->global_ids).first(count), values, value_offsets};
  }
};

namespace detail {

/// Throws unless the parts of `x` fit together and `count` rows are there.
template <class T, graph_index I>
void check_node_features(const node_features<T, I>& x, std::size_t count, const char* name) {
  expects(x.table != nullptr && x.graph != nullptr, name, ": expected features with a table and a graph");
  const auto& graph = *x.graph;
  expects<shape_error>(count <= graph.nodes(), name, ": expected at most ", graph.nodes(), " rows, got ", count);
  expects<shape_error>(x.patches.size() == graph.patches, name, ": expected ", graph.patches,
                       " patch matrices, as the graph has, got ", x.patches.size());
  for (const auto& patch : x.patches) {
    expects(static_cast<bool>(patch), name, ": expected patches on a tape, got an empty variable");
    expects_shape(patch.value(), graph.targets(), x.cols(), "node features: patch");
  }
  const std::size_t patches_end = std::min(graph.patch_begin(graph.patches), graph.nodes());
  for (std::size_t r = 0; r < count; ++r) {
    const bool is_patch = r >= graph.targets() && r < patches_end;
    expects<index_error>((graph.global_ids[r] == -1) == is_patch, name, ": local node ", r,
                         is_patch ? ": expected a patch, id -1, got id " : ": expected an id of the table, got ",
                         graph.global_ids[r]);
  }
}

/// Calls body(patch, begin, rows) for each step whose patches stand, in whole
/// or in part, among the first `count` local nodes.
template <class T, graph_index I, class Body>
void for_each_patch(const node_features<T, I>& x, std::size_t count, Body&& body) {
  for (std::size_t step = 0; step < x.patches.size(); ++step) {
    const std::size_t begin = x.graph->patch_begin(step);
    if (begin < count) {
      body(x.patches[step], begin, std::min(x.graph->targets(), count - begin));
    }
  }
}

/// Whether a gradient of any patch is wanted.
template <class T, graph_index I>
bool patches_need_gradient(const node_features<T, I>& x) {
  return std::any_of(x.patches.begin(), x.patches.end(), [](const auto& patch) { return patch.needs_gradient(); });
}

}  // namespace detail

/// The first `count` local nodes times w;  dw += x^T g, patch gradients += g w^T
template <class T, graph_index I>
variable<T> project(const node_features<T, I>& x, const variable<T>& w, std::size_t count) {
  auto& t = common_tape("project", w);
  detail::check_node_features(x, count, "project");
  expects_shape(w.value(), x.cols(), w.cols(), "project: weights");
  auto y = t.allocate(count, w.cols());
  sparse_gemm(t.exec(), x.table_rows(count), w.value(), y);
  detail::for_each_patch(x, count, [&](const variable<T>& patch, std::size_t begin, std::size_t rows) {
    common_tape("project", w, patch);
    gemm(t.exec(), patch.value().middle_rows(0, rows), w.value(), y.middle_rows(begin, begin + rows));
  });
  const bool wanted = w.needs_gradient() || detail::patches_need_gradient(x);
  return t.record(y, wanted, [x, w, count](const variable<T>& result) {
    const auto& exec = result.exec();
    const auto g = result.gradient();
    if (w.needs_gradient()) {
      sparse_gemm_adjoint(exec, x.table_rows(count), g, w.gradient());
    }
    detail::for_each_patch(x, count, [&](const variable<T>& patch, std::size_t begin, std::size_t rows) {
      const auto g_patch = g.middle_rows(begin, begin + rows);
      if (w.needs_gradient()) {
        gemm_atb_add(exec, patch.value().middle_rows(0, rows), g_patch, w.gradient());
      }
      if (patch.needs_gradient()) {
        gemm_abt_add(exec, g_patch, w.value(), patch.gradient().middle_rows(0, rows));
      }
    });
  });
}

/// The first `count` rows of x times w, so that layers take either input.
template <class T>
variable<T> project(const variable<T>& x, const variable<T>& w, std::size_t count) {
  expects<shape_error>(count <= x.rows(), "project: expected at least ", count, " rows, got ", x.rows());
  return matmul(rows(x, 0, count), w);
}

/// In training, drops numbers of the table's rows and elements of the patches
/// with probability p and divides the others by 1 - p; else x itself. Masks
/// belong to (node id, column) and, for patches, to (id of the target, column).
template <class T, graph_index I>
node_features<T, I> dropout(tape<T>& t, const node_features<T, I>& x, std::type_identity_t<T> p) {
  check_dropout_probability(static_cast<double>(p));
  detail::check_node_features(x, x.graph == nullptr ? 0 : x.graph->nodes(), "dropout");
  if (!t.training() || p == T(0)) {
    return x;
  }
  const auto before = x.table_rows(x.graph->nodes());
  check_feature_rows(before, "dropout");
  const std::span<std::size_t> offsets(t.host_memory().template allocate<std::size_t>(before.ids.size() + 1),
                                       before.ids.size() + 1);
  offsets[0] = 0;
  for (std::size_t r = 0; r < before.ids.size(); ++r) {
    offsets[r + 1] = offsets[r] + before.stored(r);
  }
  const std::span<T> kept(t.memory().template allocate<T>(offsets.back()), offsets.back());
  sparse_dropout(t.exec(), {t.next_dropout_stream(), static_cast<double>(p)}, before, offsets, kept);

  node_features<T, I> result{x.table, x.graph, {}, kept, offsets};
  const auto target_ids = std::span<const I>(x.graph->global_ids).first(x.graph->targets());
  for (const auto& patch : x.patches) {
    result.patches.push_back(dropout(patch, p, target_ids));
  }
  return result;
}

/// The first `count` local nodes as a dense matrix, for models that need one.
template <class T, graph_index I>
variable<T> dense_rows(tape<T>& t, const node_features<T, I>& x, std::size_t count) {
  detail::check_node_features(x, count, "dense_rows");
  auto y = t.allocate(count, x.cols());
  sparse_to_dense(t.exec(), x.table_rows(count), y);
  detail::for_each_patch(x, count, [&](const variable<T>& patch, std::size_t begin, std::size_t rows) {
    copy(t.exec(), patch.value().middle_rows(0, rows), y.middle_rows(begin, begin + rows));
  });
  return t.record(y, detail::patches_need_gradient(x), [x, count](const variable<T>& result) {
    const auto g = result.gradient();
    detail::for_each_patch(x, count, [&](const variable<T>& patch, std::size_t begin, std::size_t rows) {
      if (patch.needs_gradient()) {
        accumulate(result.exec(), g.middle_rows(begin, begin + rows), patch.gradient().middle_rows(0, rows));
      }
    });
  });
}

}  // namespace graphpatcher
