// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/drop_edges.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/degrees.hpp"
#include "support/slow_graph.hpp"

namespace gp = graphpatcher;

namespace {

using id = std::int32_t;
using entry_set = std::set<std::pair<id, id>>;

gp::random_stream stream(std::uint64_t epoch = 1) {
  return gp::random_stream(5, gp::purpose::edges).fork(epoch);
}

entry_set entries_of(const gp::csr_graph<id>& graph) {
  entry_set result;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    for (const id u : graph.neighbors(v)) {
      result.emplace(static_cast<id>(v), u);
    }
  }
  return result;
}

/// 0 - 1 - 2 - 3, 1 - 3.
gp::csr_graph<id> kite() {
  return gp::build_graph<id>(4, {{0, 1}, {1, 2}, {2, 3}, {1, 3}});
}

}  // namespace

TEST_CASE("drop_edges: an edge goes when the draw of its two nodes is below the share", "[graph]") {
  const auto graph = kite();
  entry_set expected;
  for (const auto& [v, u] : entries_of(graph)) {
    const auto draw =
        stream().bits(static_cast<std::uint64_t>(std::min(v, u)), static_cast<std::uint64_t>(std::max(v, u)))[0];
    if (draw >= 0x8000'0000u) {  // half of 2^32
      expected.emplace(v, u);
    }
  }
  const auto half = gp::drop_edges(graph, 0.5, stream());
  CHECK(entries_of(half) == expected);
  CHECK(gp::is_symmetric(half));
  CHECK(half.nodes() == 4);
  CHECK(entries_of(gp::drop_edges(graph, 0, stream())) == entries_of(graph));
  CHECK(gp::drop_edges(graph, 1, stream()).entries() == 0);
}

TEST_CASE("keep_edges: those with the smallest draws stay, and exactly so many", "[graph]") {
  const auto graph = slow::random_graph<id>(40, 90, 3);
  const auto pairs = GENERATE(gp::edge_pairs::independent, gp::edge_pairs::joint);
  const bool joint = pairs == gp::edge_pairs::joint;
  for (const double share : {0.0, 0.25, 0.4, 1.0}) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, entry_set> by_draw;
    for (const auto& [v, u] : entries_of(graph)) {
      const auto a = static_cast<std::uint64_t>(joint ? std::min(v, u) : v);
      const auto b = static_cast<std::uint64_t>(joint ? std::max(v, u) : u);
      const auto bits = stream().bits(a, b);
      by_draw[{bits[0], bits[1]}].emplace(v, u);
    }
    CHECK(by_draw.size() == graph.entries() / (joint ? 2 : 1));
    entry_set expected;
    auto next = by_draw.begin();
    for (std::size_t i = 0; i < static_cast<std::size_t>(share * static_cast<double>(by_draw.size())); ++i, ++next) {
      expected.insert(next->second.begin(), next->second.end());
    }
    const auto kept = gp::keep_edges(graph, share, pairs, stream());
    CHECK(entries_of(kept) == expected);
    CHECK((!joint || gp::is_symmetric(kept)));
  }
}

TEST_CASE("keep_edges: every entry is kept equally often, its two directions apart", "[graph]") {
  const auto graph = kite();  // 8 entries, of which 4 are kept
  std::map<std::pair<id, id>, int> times;
  int both = 0;
  constexpr int epochs = 4000;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const auto kept = entries_of(gp::keep_edges(graph, 0.5, gp::edge_pairs::independent, stream(epoch)));
    CHECK(kept.size() == 4);
    for (const auto& entry : kept) {
      ++times[entry];
    }
    both += kept.count({0, 1}) + kept.count({1, 0}) == 2 ? 1 : 0;
  }
  for (const auto& [entry, count] : times) {
    CHECK(count == Approx(epochs / 2).margin(4 * std::sqrt(epochs / 4)));
  }
  CHECK(times.size() == 8);
  const double chance = 4.0 / 8 * 3 / 7;  // of two given ones among 4 of 8
  CHECK(both == Approx(chance * epochs).margin(4 * std::sqrt(epochs * chance * (1 - chance))));
}

TEST_CASE("keep_edges and drop_edges: bad shares are refused, empty graphs stay empty", "[graph]") {
  const gp::csr_graph<id> empty({0, 0, 0}, {});
  CHECK(gp::keep_edges(empty, 0.5, gp::edge_pairs::joint, stream()).entries() == 0);
  CHECK(gp::drop_edges(empty, 0.5, stream()).nodes() == 2);
  for (const double share : {-0.1, 1.1, std::nan("")}) {
    CHECK_THROWS_AS(gp::keep_edges(kite(), share, gp::edge_pairs::joint, stream()), gp::argument_error);
    CHECK_THROWS_AS(gp::drop_edges(kite(), share, stream()), gp::argument_error);
  }
}

TEST_CASE("keep_edges: an entry that is stored twice is one", "[graph]") {
  const gp::csr_graph<id> graph({0, 3, 3}, {1, 1, 1});
  CHECK(gp::keep_edges(graph, 0.5, gp::edge_pairs::independent, stream()).entries() == 0);
  CHECK(gp::keep_edges(graph, 1, gp::edge_pairs::independent, stream()).entries() == 3);
}
