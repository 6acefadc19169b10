// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/dataset.hpp"

namespace graphpatcher {

struct split_options {
  double train = 0.1;       ///< share of the labelled nodes
  double validation = 0.1;  ///< likewise; the rest is for testing
  std::uint64_t seed = 0;
};

namespace detail {

/// Cuts round(share * total) out of groups of the given sizes so that each
/// group gives its share to within one: whole parts first, what is left over to
/// the largest remainders, the lower group on ties.
inline std::vector<std::size_t> allot(const std::vector<std::size_t>& sizes, double share) {
  const auto total = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  auto wanted = static_cast<std::size_t>(std::llround(share * total));
  std::vector<std::size_t> taken(sizes.size());
  std::vector<std::pair<double, std::size_t>> remainders;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const double exact = share * static_cast<double>(sizes[g]);
    taken[g] = static_cast<std::size_t>(std::floor(exact));
    wanted -= std::min(wanted, taken[g]);
    if (taken[g] < sizes[g]) {
      remainders.emplace_back(std::floor(exact) - exact, g);
    }
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t i = 0; i < std::min(wanted, remainders.size()); ++i) {
    ++taken[remainders[i].second];
  }
  return taken;
}

}  // namespace detail

/// A random split that keeps the classes' shares, for datasets without a public
/// one. As the published 10/10/80: a fifth of every class is held out and cut
/// into halves for training and validation, the other four fifths are for
/// testing. Which nodes, is decided by a random number keyed by (seed, node): a
/// node's number doesn't depend on any other node. Unlabelled nodes (-1) are
/// left out; the parts are ascending.
template <graph_index I>
node_split<I> random_split(const std::vector<I>& labels, const split_options& options = {}) {
  const bool possible = options.train > 0 && options.validation > 0 && options.train + options.validation < 1;
  expects(possible, "random_split: expected shares above 0 whose sum is below 1, got train ", options.train,
          " and validation ", options.validation);
  const random_stream stream(options.seed, purpose::split);
  std::vector<std::vector<std::pair<std::uint64_t, I>>> members;  // by class: (random number, node)
  for (std::size_t v = 0; v < labels.size(); ++v) {
    expects<index_error>(labels[v] >= -1 && (labels[v] < 0 || static_cast<std::size_t>(labels[v]) < labels.size()),
                         "random_split: node ", v, " has label ", labels[v],
                         ", expected -1 for unknown or a class in [0, ", labels.size(), ")");
    if (labels[v] >= 0) {
      const auto label = static_cast<std::size_t>(labels[v]);
      members.resize(std::max(members.size(), label + 1));
      const auto bits = stream.bits(v);
      members[label].emplace_back((std::uint64_t{bits[0]} << 32) | bits[1], static_cast<I>(v));
    }
  }
  std::vector<std::size_t> sizes(members.size());
  std::transform(members.begin(), members.end(), sizes.begin(), [](const auto& m) { return m.size(); });
  const double held_share = options.train + options.validation;
  const auto held_out = detail::allot(sizes, held_share);
  const auto trained = detail::allot(held_out, options.train / held_share);

  node_split<I> split;
  for (std::size_t c = 0; c < members.size(); ++c) {
    std::sort(members[c].begin(), members[c].end());
    for (std::size_t i = 0; i < members[c].size(); ++i) {
      auto& part = i < trained[c] ? split.train : i < held_out[c] ? split.validation : split.test;
      part.push_back(members[c][i].second);
    }
  }
  for (auto* part : {&split.train, &split.validation, &split.test}) {
    expects(!part->empty(), "random_split: ", labels.size(), " nodes are too few for shares of ", options.train,
            " and ", options.validation, ": a part would be empty");
    std::sort(part->begin(), part->end());
  }
  return split;
}

}  // namespace graphpatcher
