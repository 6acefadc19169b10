// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/ego_cut.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "support/slow_graph.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;
using cut_type = gp::fast::ego_cut<node_id>;
using ids = std::vector<node_id>;

namespace {

ids sources_of(const cut_type& cut, node_id node) {
  ids sources;
  cut.for_each_source(node, [&](node_id source) { sources.push_back(source); });
  return sources;
}

ids all(std::span<const node_id> values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("a cut of a small graph, by hand", "[patcher][fast]") {
  const auto graph = slow::six_nodes<node_id>();
  cut_type cut(graph, true);
  cut.start(0);
  CHECK(cut.anchor() == 0);
  CHECK(all(cut.neighbors()) == ids{1, 2, 3});  // without its loop, node 3 once
  CHECK(cut.dropped().empty());
  CHECK(sources_of(cut, 0) == ids{0, 1, 2, 3, 3});
  CHECK_FALSE(cut.touches(0));

  cut.drop([](std::size_t n) { return n == 1; });
  CHECK(all(cut.dropped()) == ids{1, 3});
  CHECK(sources_of(cut, 0) == ids{0, 2});
  CHECK(sources_of(cut, 2) == ids{2, 0});
  CHECK(sources_of(cut, 4) == ids{4});
  CHECK(sources_of(cut, 5) == ids{5});
  CHECK(cut.touches(0));
  CHECK(cut.touches(2));
  CHECK_FALSE(cut.touches(5));
  CHECK(cut.lost(0) == 3);  // once for node 1, twice for node 3
  CHECK(cut.lost(2) == 1);
  CHECK(cut.lost(4) == 1);
  CHECK(cut.lost(5) == 0);

  cut.drop([](std::size_t n) { return n != 1; });  // those, and no longer the others
  CHECK(all(cut.dropped()) == ids{2});
  CHECK(sources_of(cut, 0) == ids{0, 1, 3, 3});
  CHECK(cut.lost(0) == 1);
  CHECK(cut.lost(4) == 0);

  cut.start(3);
  CHECK(cut.dropped().empty());
  CHECK(all(cut.neighbors()) == ids{0, 4});
  CHECK(cut.lost(0) == 0);
  cut.start(5);
  CHECK(cut.neighbors().empty());
  CHECK(sources_of(cut, 5) == ids{5});
}

TEST_CASE("a cut of any graph leaves what a copy without the dropped nodes has", "[patcher][fast]") {
  for (const bool multi : {false, true}) {
    const auto graph = slow::random_graph<node_id>(40, 90, 5, false, multi);
    const auto adjacency = slow::adjacency_of(graph);
    cut_type cut(graph, true);
    std::mt19937 random(3);
    for (node_id anchor = 0; anchor < 40; ++anchor) {
      cut.start(anchor);
      std::bernoulli_distribution keep(anchor % 2 == 0 ? 0.9 : 0.3);  // few dropped and many: touches() looks both ways
      std::set<std::int64_t> dropped;
      cut.drop([&](std::size_t n) {
        const bool kept = keep(random);
        if (!kept) {
          dropped.insert(cut.neighbors()[n]);
        }
        return kept;
      });
      const auto rest = slow::without(adjacency, dropped);
      for (const auto& [node, row] : rest) {
        INFO("anchor " << anchor << ", node " << node);
        const auto before = adjacency.at(node);
        std::vector<std::int64_t> expected{node};
        expected.insert(expected.end(), row.begin(), row.end());
        const auto found = sources_of(cut, static_cast<node_id>(node));
        CHECK(std::vector<std::int64_t>(found.begin(), found.end()) == expected);
        CHECK(cut.touches(static_cast<node_id>(node)) == (row.size() < before.size()));
        CHECK(static_cast<std::size_t>(cut.lost(static_cast<node_id>(node))) == before.size() - row.size());
      }
    }
  }
}

TEST_CASE("a hub is asked whether it has lost a neighbour by what was dropped", "[patcher][fast]") {
  const auto graph = slow::star<node_id>(100);
  cut_type cut(graph, false);
  cut.start(7);
  cut.drop([](std::size_t) { return false; });  // the hub itself
  CHECK(all(cut.dropped()) == ids{0});
  CHECK_FALSE(cut.touches(0));
  CHECK(cut.touches(1));
  cut.start(0);
  cut.drop([](std::size_t n) { return n != 41; });
  CHECK(cut.touches(0));  // one of a hundred
  CHECK_FALSE(cut.touches(41));
  CHECK(sources_of(cut, 0).size() == 100);
}
