// SPDX-License-Identifier: MIT
#include "experiments/report/node_doubt.hpp"

#include <algorithm>
#include <vector>

#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/eval/degree_groups.hpp"

namespace graphpatcher {

namespace {

/// What all seeds say of one node.
struct node_gain {
  double gain = 0;  ///< times right with the method, less those with the backbone
  double seeds = 0;
};

/// By place in the order of (degree, node); without the nodes that no seed tests.
std::vector<node_gain> gains_of(const cell_index::by_seed& cells, node_group group) {
  std::vector<node_gain> all;
  for (const auto& [seed, cell] : cells) {
    const auto& [tested, before, after] = cell->outcomes;
    if (tested.empty()) {
      continue;
    }
    all.resize(all.empty() ? tested.size() : all.size());
    if (all.size() != tested.size()) {
      return {};
    }
    const std::size_t count = before.size();
    const std::size_t first = group == node_group::high ? count - high_group_size(count) : 0;
    const std::size_t last = group == node_group::low ? low_group_size(count) : count;
    std::size_t i = 0;  // of the tested ones
    for (std::size_t place = 0; place < tested.size(); ++place) {
      if (tested[place]) {
        if (i >= first && i < last) {
          all[place].gain += (after[i] ? 1 : 0) - (before[i] ? 1 : 0);
          all[place].seeds += 1;
        }
        ++i;
      }
    }
  }
  std::erase_if(all, [](const node_gain& node) { return node.seeds == 0; });
  return all;
}

/// The q quantile of sorted values, straight between two of them.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

node_doubt doubt_of_nodes(const cell_index::by_seed& cells, node_group group, std::size_t draws, std::uint64_t seed) {
  const auto nodes = gains_of(cells, group);
  if (nodes.empty() || draws == 0) {
    return {};
  }
  const auto mean_of_nodes = [&](const auto& node_at) {
    node_gain sum;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const node_gain& node = nodes[node_at(i)];
      sum.gain += node.gain;
      sum.seeds += node.seeds;
    }
    return 100 * sum.gain / sum.seeds;
  };
  node_doubt result;
  result.nodes = nodes.size();
  result.mean = mean_of_nodes([](std::size_t i) { return i; });
  const auto stream = random_stream(seed, purpose::split).fork(2);  // not those of splits
  std::vector<double> means(draws);
  for (std::size_t d = 0; d < draws; ++d) {
    philox::counter_type words{};
    means[d] = mean_of_nodes([&](std::size_t i) {
      words = i % 4 == 0 ? stream.bits(d, i / 4) : words;
      return static_cast<std::size_t>(std::uint64_t{words[i % 4]} * nodes.size() >> 32);
    });
  }
  std::ranges::sort(means);
  result.low = quantile(means, 0.025);
  result.high = quantile(means, 0.975);
  return result;
}

}  // namespace graphpatcher
