// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "graphpatcher/graph/csr_graph.hpp"

/// Slow and obvious: graphs as maps from a node to the list of its sources.
namespace slow {

using adjacency = std::map<std::int64_t, std::vector<std::int64_t>>;

template <class I>
adjacency adjacency_of(const graphpatcher::csr_graph<I>& graph) {
  adjacency result;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    auto& row = result[static_cast<std::int64_t>(v)];
    for (const I n : graph.neighbors(v)) {
      if (static_cast<std::size_t>(n) != v) {
        row.push_back(n);
      }
    }
  }
  return result;
}

/// Distance from `anchor` of every node within `hops` steps against the edges.
inline std::map<std::int64_t, std::size_t> distances(const adjacency& graph, std::int64_t anchor, std::size_t hops) {
  std::map<std::int64_t, std::size_t> found{{anchor, 0}};
  std::vector<std::int64_t> frontier{anchor};
  for (std::size_t hop = 1; hop <= hops; ++hop) {
    std::vector<std::int64_t> next;
    for (const auto v : frontier) {
      for (const auto n : graph.at(v)) {
        if (found.emplace(n, hop).second) {
          next.push_back(n);
        }
      }
    }
    frontier = next;
  }
  return found;
}

/// The graph without `removed`.
inline adjacency without(const adjacency& graph, const std::set<std::int64_t>& removed) {
  adjacency result;
  for (const auto& [v, row] : graph) {
    if (removed.count(v) == 0) {
      auto& kept = result[v];
      for (const auto n : row) {
        if (removed.count(n) == 0) {
          kept.push_back(n);
        }
      }
    }
  }
  return result;
}

/// A random graph with a hub (node 0), isolated nodes (the last two), triangles
/// and, if asked for, double edges; directed or not.
template <class I>
graphpatcher::csr_graph<I> random_graph(std::size_t nodes, std::size_t edges, unsigned seed, bool directed = false,
                                        bool multi = false) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::size_t> pick(0, nodes - 3);
  std::vector<std::vector<I>> rows(nodes);
  const auto join = [&](std::size_t a, std::size_t b) {
    if (a != b) {
      rows[a].push_back(static_cast<I>(b));
      if (!directed) {
        rows[b].push_back(static_cast<I>(a));
      }
    }
  };
  for (std::size_t e = 0; e < edges; ++e) {
    join(e % 4 == 0 ? 0 : pick(random), pick(random));
  }
  std::vector<I> offsets{0};
  std::vector<I> neighbors;
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    if (!multi) {
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    neighbors.insert(neighbors.end(), row.begin(), row.end());
    offsets.push_back(static_cast<I>(neighbors.size()));
  }
  return {offsets, neighbors};
}

/// Six nodes with everything that goes wrong: a triangle 0 1 2, node 3 joined twice to 0, node 4 to 3; node 0 has a
/// loop; node 5 is alone.
template <class I>
graphpatcher::csr_graph<I> six_nodes() {
  return {{0, 5, 7, 9, 12, 13, 13}, {0, 1, 2, 3, 3, 0, 2, 0, 1, 0, 0, 4, 3}};
}

/// Node 0 in the middle of nodes 1 to `leaves`.
template <class I>
graphpatcher::csr_graph<I> star(std::size_t leaves) {
  std::vector<I> offsets{0, static_cast<I>(leaves)};
  std::vector<I> neighbors;
  for (std::size_t leaf = 1; leaf <= leaves; ++leaf) {
    neighbors.push_back(static_cast<I>(leaf));
  }
  neighbors.resize(2 * leaves, 0);
  for (std::size_t leaf = 1; leaf <= leaves; ++leaf) {
    offsets.push_back(static_cast<I>(leaves + leaf));
  }
  return {offsets, neighbors};
}

}  // namespace slow
