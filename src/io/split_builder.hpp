// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "io/npz_arrays.hpp"

namespace graphpatcher {

/// Throws unless a dataset that comes with `count` splits has number `chosen`.
inline void expects_split(const std::string& name, std::size_t chosen, std::size_t count) {
  expects(chosen < count, name, ": expected a split_index in [0, ", count, "), got ", chosen);
}

/// Makes the parts of a split, one after the other, from masks or lists of ids.
/// A node that is named twice, in one part or in two, or has no label, is an
/// error of the file that names it.
template <graph_index I>
class split_builder {
public:
  /// `labels` must outlive this.
  explicit split_builder(const std::vector<I>& labels) : labels_(labels), taken_(labels.size(), 0) {}

  /// The nodes for which the mask is 1; it has a value a node, 0 or 1.
  template <class Mask>
  std::vector<I> from_mask(const std::string& path, const std::string& name, const Mask& mask) {
    const std::string what = "the mask '" + name + "': ";
    if (mask.size() != labels_.size()) {
      throw format_error(path, 0, text(what, "expected ", labels_.size(), " values, one a node, got ", mask.size()));
    }
    std::vector<I> nodes;
    for (std::size_t v = 0; v < labels_.size(); ++v) {
      if (mask[v] != 0 && mask[v] != 1) {
        throw format_error(path, 0, text(what, "expected 0 or 1 for node ", v, ", got ", +mask[v]));
      }
      if (mask[v] == 1) {
        nodes.push_back(take(path, what, static_cast<I>(v)));
      }
    }
    return nodes;
  }

  /// The same for an array of an npz file with one value a node (axes = 1), or
  /// with a row a split (axes = 2), of which number `chosen` is taken.
  std::vector<I> from_npz(const npz_dataset_file& file, const std::string& name, std::size_t axes,
                          std::size_t chosen = 0) {
    const auto masks = file.array<double>(name, axes);  // NumPy's bool, integers, floating point: all are used
    if (axes == 2) {
      expects_split(file.path(), chosen, masks.shape[0]);
    }
    const std::size_t length = masks.shape.back();
    return from_mask(file.path(), name, std::span<const double>(masks.values).subspan(chosen * length, length));
  }

  /// The nodes of a list, ascending; the ids are known to be in range.
  std::vector<I> from_ids(const std::string& path, std::vector<I> ids) {
    for (const I id : ids) {
      take(path, "", id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
  }

private:
  I take(const std::string& path, const std::string& what, I node) {
    const auto v = static_cast<std::size_t>(node);
    if (taken_[v] != 0 || labels_[v] < 0) {
      throw format_error(path, 0,
                         text(what, "expected nodes with a label that no other part of the split has; node ", v,
                              taken_[v] != 0 ? " is named again" : " has no label"));
    }
    taken_[v] = 1;
    return node;
  }

  const std::vector<I>& labels_;
  std::vector<char> taken_;
};

/// One more than the largest class.
template <graph_index I>
std::size_t count_classes(const std::vector<I>& labels) {
  const auto largest = std::max_element(labels.begin(), labels.end());
  return largest == labels.end() ? 0 : static_cast<std::size_t>(*largest + 1);
}

/// Throws unless a node has a class: there would be nothing to split.
template <graph_index I>
void expects_labels(const std::string& path, const std::vector<I>& labels) {
  if (count_classes(labels) == 0) {
    throw format_error(path, 0, text("expected classes, got none: all ", labels.size(), " nodes are -1 (unknown)"));
  }
}

}  // namespace graphpatcher
