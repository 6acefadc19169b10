// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/materialise.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "support/slow_graph.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;

namespace {

std::set<std::int64_t> dropped_by(const gp::ego_batch<node_id>& batch, const gp::masked_ego& target) {
  std::set<std::int64_t> dropped;
  for (std::size_t n = 0; n < target.keep.size(); ++n) {
    if (target.keep[n] == 0) {
      dropped.insert(batch.neighbors(target.ego)[n]);
    }
  }
  return dropped;
}

/// The local nodes of each target, found by walking the message graph itself.
std::map<std::int64_t, std::size_t> local_nodes(const gp::message_graph<node_id>& graph, std::size_t target) {
  std::map<std::int64_t, std::size_t> found{{graph.global_ids[target], target}};
  std::vector<std::size_t> frontier{target};
  while (!frontier.empty()) {
    const auto v = frontier.back();
    frontier.pop_back();
    for (node_id e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const auto source = static_cast<std::size_t>(graph.sources[static_cast<std::size_t>(e)]);
      if (graph.global_ids[source] >= 0 && found.emplace(graph.global_ids[source], source).second) {
        frontier.push_back(source);
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("a materialised batch is the corrupted ego-graph, node by node and edge by edge", "[graph]") {
  const bool directed = GENERATE(false, true);
  const std::size_t hops = GENERATE(1, 2, 3);
  const auto mode = GENERATE(gp::degree_mode::graph, gp::degree_mode::ego);
  const auto graph = slow::random_graph<node_id>(50, 70, 8, directed, hops == 3);
  const auto adjacency = slow::adjacency_of(graph);
  std::vector<node_id> anchors(graph.nodes());
  std::iota(anchors.begin(), anchors.end(), 0);
  const auto batch = gp::make_ego_batch({}, graph, anchors, {.hops = hops});
  const auto masks = gp::corrupt({}, batch, {.strength = 0.5, .samples = 3, .seed = 1});
  const auto targets = gp::corrupted_egos(batch, masks);
  REQUIRE(targets.size() == 3 * anchors.size());
  const auto messages = gp::materialise<node_id>(gp::cpu{2}, batch, targets, {.degree = mode});
  REQUIRE(messages.targets() == targets.size());

  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto left = slow::without(adjacency, dropped_by(batch, targets[t]));
    const auto anchor = batch.anchors[targets[t].ego];
    const auto expected = slow::distances(left, anchor, hops);
    const auto local = local_nodes(messages, t);
    REQUIRE(local.size() == expected.size());
    for (const auto& [node, distance] : expected) {
      const std::size_t id = local.at(node);
      REQUIRE(id < messages.nodes_within(distance));
      REQUIRE((distance == 0 || id >= messages.nodes_within(distance - 1)));
      std::vector<std::int64_t> row{node};  // the loop comes first
      for (const auto source : left.at(node)) {
        if (expected.count(source) != 0) {
          row.push_back(source);
        }
      }
      std::vector<std::int64_t> got;
      for (node_id e = messages.offsets[id]; e < messages.offsets[id + 1]; ++e) {
        got.push_back(messages.global_ids[static_cast<std::size_t>(messages.sources[static_cast<std::size_t>(e)])]);
      }
      REQUIRE(got == row);
      std::size_t out = 1;
      for (const auto& [receiver, sources] : left) {
        if (mode == gp::degree_mode::graph || expected.count(receiver) != 0) {
          out += static_cast<std::size_t>(std::count(sources.begin(), sources.end(), node));
        }
      }
      const std::size_t in = mode == gp::degree_mode::graph ? 1 + left.at(node).size() : row.size();
      REQUIRE(static_cast<std::size_t>(messages.in_degree[id]) == in);
      REQUIRE(static_cast<std::size_t>(messages.out_degree[id]) == out);
    }
  }
}

TEST_CASE("patches stand after the targets and send to their anchor", "[graph]") {
  const gp::csr_graph<node_id> graph({0, 2, 4, 6, 6}, {1, 2, 0, 2, 0, 1});  // a triangle and a lone node
  const std::vector<node_id> anchors{2, 3};
  const auto batch = gp::make_ego_batch({}, graph, anchors);
  const auto edge = GENERATE(gp::patch_edge::to_anchor, gp::patch_edge::to_anchor_loop, gp::patch_edge::undirected);
  const auto messages = gp::materialise(gp::cpu{}, batch, gp::message_options{.edge = edge, .patches = 2});

  CHECK(messages.global_ids == std::vector<node_id>{2, 3, -1, -1, -1, -1, 0, 1});
  CHECK(messages.within == std::vector<node_id>{2, 8, 8});
  CHECK(messages.patch_begin(1) == 4);
  const auto row = [&](std::size_t v) {
    return std::vector<node_id>(messages.sources.begin() + messages.offsets[v],
                                messages.sources.begin() + messages.offsets[v + 1]);
  };
  CHECK(row(0) == std::vector<node_id>{0, 6, 7, 2, 4});
  CHECK(row(1) == std::vector<node_id>{1, 3, 5});
  CHECK(row(6) == std::vector<node_id>{6, 7, 0});
  CHECK(messages.in_degree[0] == 5);
  CHECK(messages.in_degree[1] == 3);
  CHECK(messages.in_degree[6] == 3);
  switch (edge) {
    case gp::patch_edge::to_anchor:
      CHECK(row(3).empty());
      CHECK(messages.in_degree[3] == 0);
      CHECK(messages.out_degree[3] == 1);
      CHECK(messages.out_degree[0] == 3);
      break;
    case gp::patch_edge::to_anchor_loop:
      CHECK(row(3) == std::vector<node_id>{3});
      CHECK(messages.in_degree[3] == 1);
      CHECK(messages.out_degree[3] == 2);
      CHECK(messages.out_degree[0] == 3);
      break;
    case gp::patch_edge::undirected:
      CHECK(row(3) == std::vector<node_id>{3, 1});
      CHECK(messages.in_degree[3] == 2);
      CHECK(messages.out_degree[3] == 2);
      CHECK(messages.out_degree[0] == 5);
      break;
  }
}
