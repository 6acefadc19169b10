// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

/// A random split of the same sizes as one that is there: as many training nodes of each class, as many validation and
/// test nodes of any. Nodes are taken in the order of random numbers keyed by (seed, node); the parts are ascending.
template <graph_index I>
node_split<I> random_split_like(const node_split<I>& known, const std::vector<I>& labels, std::uint64_t seed) {
  const auto stream = random_stream(seed, purpose::split).fork(1);  // not that of random_split()
  std::vector<std::pair<std::uint64_t, I>> order;
  std::vector<std::size_t> wanted;
  for (std::size_t v = 0; v < labels.size(); ++v) {
    if (labels[v] >= 0) {
      const auto bits = stream.bits(v);
      order.emplace_back((std::uint64_t{bits[0]} << 32) | bits[1], static_cast<I>(v));
      wanted.resize(std::max(wanted.size(), static_cast<std::size_t>(labels[v]) + 1));
    }
  }
  for (const I v : known.train) {
    expects<index_error>(
        v >= 0 && static_cast<std::size_t>(v) < labels.size() && labels[static_cast<std::size_t>(v)] >= 0,
        "random_split_like: training node ", v, ", expected one of ", labels.size(), " nodes that has a label");
    ++wanted[static_cast<std::size_t>(labels[static_cast<std::size_t>(v)])];
  }
  expects(known.train.size() + known.validation.size() + known.test.size() <= order.size(),
          "random_split_like: expected a split of at most the ", order.size(), " nodes that have a label, got one of ",
          known.train.size() + known.validation.size() + known.test.size());
  std::sort(order.begin(), order.end());
  node_split<I> split;
  for (const auto& [number, v] : order) {
    auto& missing = wanted[static_cast<std::size_t>(labels[static_cast<std::size_t>(v)])];
    if (missing > 0) {
      split.train.push_back(v);
      --missing;
    } else if (split.validation.size() < known.validation.size()) {
      split.validation.push_back(v);
    } else if (split.test.size() < known.test.size()) {
      split.test.push_back(v);
    }
  }
  for (auto* part : {&split.train, &split.validation, &split.test}) {
    std::sort(part->begin(), part->end());
  }
  return split;
}

}  // namespace graphpatcher
