// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/feature_table.hpp"

namespace graphpatcher {

/// Which nodes are for training, for choosing, and for the final numbers.
template <graph_index I>
struct node_split {
  std::vector<I> train;
  std::vector<I> validation;
  std::vector<I> test;
};

template <class T, graph_index I>
struct dataset;

namespace detail {

template <class T, graph_index I>
void check_dataset(const dataset<T, I>& data);

}  // namespace detail

/// A graph with features, labels and a split: what every pipeline starts from.
template <class T, graph_index I>
struct dataset {
  using scalar_type = T;
  using index_type = I;

  std::string name;
  csr_graph<I> graph;            ///< undirected and simple unless its reader says otherwise; no self-loops
  feature_table<T, I> features;  ///< one row a node
  std::vector<I> labels;         ///< class of each node; -1 = unknown
  std::size_t classes = 0;
  node_split<I> split;

  std::size_t nodes() const noexcept { return graph.nodes(); }
  /// The labels of some nodes, in their order.
  std::vector<I> labels_of(std::span<const I> some) const {
    std::vector<I> result(some.size());
    std::ranges::transform(some, result.begin(), [&](I node) {
      expects<index_error>(node >= 0 && static_cast<std::size_t>(node) < labels.size(), name, ": node ", node,
                           ", expected an id in [0, ", labels.size(), ")");
      return labels[static_cast<std::size_t>(node)];
    });
    return result;
  }

  /// Throws unless everything fits together: sizes, label range, split ids in
  /// range, named once, and labelled.
  void check() const { detail::check_dataset(*this); }
};

namespace detail {

template <class T, graph_index I>
void check_dataset(const dataset<T, I>& data) {
  const auto& name = data.name;
  const std::size_t nodes = data.nodes();
  expects<shape_error>(nodes > 0, name, ": expected a graph with at least one node, got none");
  expects<shape_error>(data.features.rows() == nodes, name, ": expected features of ", nodes, " nodes, got ",
                       data.features.rows());
  expects<shape_error>(data.labels.size() == nodes, name, ": expected labels of ", nodes, " nodes, got ",
                       data.labels.size());
  expects<argument_error>(data.classes >= 1, name, ": expected at least 1 class, got 0");
  expects_index_fits<I>(data.classes, "classes");
  for (std::size_t v = 0; v < nodes; ++v) {
    expects<index_error>(data.labels[v] >= -1 && data.labels[v] < static_cast<I>(data.classes), name, ": node ", v,
                         " has label ", data.labels[v], ", expected one in [0, ", data.classes, ") or -1 for unknown");
  }
  std::vector<const char*> member(nodes, nullptr);
  const auto check_part = [&](const std::vector<I>& part, const char* part_name) {
    for (const I v : part) {
      expects<index_error>(v >= 0 && static_cast<std::size_t>(v) < nodes, name, ": split '", part_name, "' names node ",
                           v, ", expected an id in [0, ", nodes, ")");
      auto& owner = member[static_cast<std::size_t>(v)];
      expects<argument_error>(owner == nullptr, name, ": node ", v, " is named twice by the split, in '",
                              owner ? owner : "", "' and '", part_name, "'");
      owner = part_name;
      expects<index_error>(data.labels[static_cast<std::size_t>(v)] >= 0, name, ": split '", part_name, "' names node ",
                           v, ", which has no label");
    }
  };
  check_part(data.split.train, "train");
  check_part(data.split.validation, "validation");
  check_part(data.split.test, "test");
}

#if GP_HAS_INSTANCES
GP_EXTERN template void check_dataset(const dataset<float, std::int32_t>&);
GP_EXTERN template void check_dataset(const dataset<float, std::int64_t>&);
GP_EXTERN template void check_dataset(const dataset<double, std::int32_t>&);
GP_EXTERN template void check_dataset(const dataset<double, std::int64_t>&);
#endif

}  // namespace detail

}  // namespace graphpatcher
