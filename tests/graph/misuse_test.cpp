// SPDX-License-Identifier: MIT
// Every precondition of graph/ that can be broken, and the typed error it gets.
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/graph/distinct_egos.hpp"
#include "graphpatcher/graph/drop_edges.hpp"
#include "graphpatcher/graph/graph_view.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/graph/nearest_hops.hpp"
#include "graphpatcher/graph/neighborhood.hpp"
#include "graphpatcher/graph/rmat.hpp"
#include "graphpatcher/graph/splits.hpp"
#include "graphpatcher/graph/whole_graph.hpp"
#include "support/toy_data.hpp"

namespace {

namespace gp = graphpatcher;
using toy::node_id;
using graph_type = gp::csr_graph<node_id>;
using ids = std::vector<node_id>;
using Catch::Contains;

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
constexpr std::size_t half = huge / 2 + 1;  // twice of it is 0

/// 0 - 1 - 2, 1 - 3, and 4 alone.
graph_type small_graph() {
  return gp::build_graph<node_id>(5, std::vector<gp::edge<node_id>>{{0, 1}, {1, 2}, {1, 3}});
}

}  // namespace

TEST_CASE("a graph that was moved from has no nodes, and nothing crashes on it", "[graph][misuse]") {
  auto graph = small_graph();
  const auto taken = std::move(graph);
  CHECK(taken.nodes() == 5);
  CHECK(graph.nodes() == 0);  // NOLINT: that is the question
  CHECK(graph.entries() == 0);
  CHECK(gp::in_degrees(graph).empty());
  CHECK(gp::out_degrees(graph).empty());
  CHECK(gp::reverse_graph(graph).nodes() == 0);
  CHECK(gp::is_symmetric(graph));
  CHECK(gp::largest_degree(graph) == 0);
  CHECK(gp::host_graph<node_id>(graph).view().nodes() == 0);
  CHECK_THROWS_AS(gp::whole_graph(graph), gp::shape_error);
  const ids first{0};
  CHECK_THROWS_AS(gp::make_ego_batch({}, graph, first), gp::argument_error);
  CHECK_THROWS_AS(gp::neighborhood(graph, std::span<const node_id>(first), 2), gp::index_error);
  CHECK(gp::drop_edges(graph, 0.5, gp::random_stream(1, gp::purpose::edges)).nodes() == 0);
  graph = taken;
  CHECK(graph.degree(1) == 3);
  CHECK_THROWS_AS(graph_type({}, {}), gp::shape_error);
}

TEST_CASE("features and datasets that were moved from are empty", "[graph][misuse]") {
  auto data = toy::make<float>();
  const auto taken = std::move(data);
  CHECK_NOTHROW(taken.check());
  CHECK(data.nodes() == 0);  // NOLINT: that is the question
  CHECK(data.features.rows() == 0);
  CHECK(data.features.cols() == 0);
  CHECK_THROWS_AS(data.check(), gp::shape_error);
  CHECK_THROWS_AS(data.labels_of(ids{0}), gp::index_error);
  std::vector<float> room(12);
  CHECK_THROWS_AS(data.features.read_row(0, room), gp::shape_error);

  gp::feature_table<float, node_id> dense = gp::matrix<float>{{1, 2}};
  const auto taken_table = std::move(dense);
  CHECK(taken_table.rows() == 1);
  CHECK(dense.rows() == 0);
}

TEST_CASE("classes that no index counts are refused, and the message has the right number", "[graph][misuse]") {
  auto data = toy::make<float>();
  data.classes = 1'000'000'000'000'000'000;
  CHECK_THROWS_AS(data.check(), gp::overflow_error);
  CHECK_THROWS_WITH(data.check(), Contains("1000000000000000000 classes") && Contains("std::int64_t"));
  data.classes = 2;
  CHECK_THROWS_AS(data.check(), gp::index_error);
  CHECK_THROWS_WITH(data.check(), Contains("has label 2, expected one in [0, 2)"));
}

TEST_CASE("message graphs and ego-graphs that were moved from are empty", "[graph][misuse]") {
  const auto graph = small_graph();
  auto messages = gp::whole_graph(graph);
  const auto taken = std::move(messages);
  CHECK(taken.targets() == 5);
  CHECK(messages.nodes() == 0);  // NOLINT: that is the question
  CHECK(messages.targets() == 0);
  CHECK(messages.reverse().nodes() == 0);

  auto batch = gp::make_ego_batch({}, graph, ids{1, 4});
  const auto masks = gp::corrupt({}, batch, {.samples = 2});
  const auto taken_batch = std::move(batch);
  CHECK(batch.size() == 0);
  CHECK_THROWS_AS(gp::corrupted_egos(batch, masks, 0), gp::shape_error);
  CHECK_THROWS_AS(gp::materialise<node_id>({}, batch, gp::whole_egos(taken_batch)), gp::index_error);
  auto masks_too = masks;
  const auto taken_masks = std::move(masks_too);
  CHECK_THROWS_AS(gp::corrupted_egos(taken_batch, masks_too), gp::shape_error);
}

TEST_CASE("a target is an ego-graph of the batch, its mask one of its size", "[graph][misuse]") {
  const auto graph = small_graph();
  const auto batch = gp::make_ego_batch({}, graph, ids{1, 4, 0});  // 3, 0 and 1 neighbours
  const auto make = [&](std::size_t ego, const std::vector<std::uint8_t>& keep) {
    const std::vector<gp::masked_ego> targets{{0, {}}, {ego, keep}};
    return gp::materialise<node_id>({}, batch, targets);
  };
  CHECK(make(0, {1, 0, 1}).targets() == 2);
  CHECK(make(1, {}).targets() == 2);
  CHECK_THROWS_AS(make(3, {}), gp::index_error);
  CHECK_THROWS_WITH(make(3, {}), "materialise: target 1 is ego-graph 3 of a batch of 3");
  CHECK_THROWS_AS(make(huge, {}), gp::index_error);
  CHECK_THROWS_AS(make(0, {1, 0}), gp::shape_error);
  CHECK_THROWS_AS(make(0, {1, 0, 1, 1}), gp::shape_error);
  CHECK_THROWS_AS(make(1, {1}), gp::shape_error);
  CHECK_THROWS_WITH(make(0, {1, 0}), Contains("target 1: expected a mask of 3 neighbours") && Contains("one of 2"));
}

TEST_CASE("masks of another batch are refused", "[graph][misuse]") {
  const auto graph = small_graph();
  const auto batch = gp::make_ego_batch({}, graph, ids{1, 4, 0});
  const auto masks = gp::corrupt({}, batch, {.samples = 2});
  CHECK(gp::corrupted_egos(batch, masks).size() == 6);
  CHECK(gp::corrupted_egos(batch, masks, 1).size() == 3);
  CHECK_THROWS_AS(gp::corrupted_egos(batch, masks, 2), gp::index_error);
  for (const auto& anchors : {ids{1, 4}, ids{0, 4, 1}, ids{2, 3, 1, 4}}) {
    const auto other = gp::make_ego_batch({}, graph, anchors);
    CHECK_THROWS_AS(gp::corrupted_egos(other, masks), gp::shape_error);
    CHECK_THROWS_AS(gp::corrupted_egos(other, masks, 0), gp::shape_error);
  }
  auto torn = masks;
  torn.keep.pop_back();
  CHECK_THROWS_AS(gp::corrupted_egos(batch, torn), gp::shape_error);
  torn = masks;
  torn.samples = half;  // times 4 masks it wraps to 0
  CHECK_THROWS_AS(gp::corrupted_egos(batch, torn), gp::error);
  torn = masks;
  torn.weights.clear();
  CHECK_THROWS_AS(gp::corrupted_egos(batch, torn), gp::shape_error);
}

TEST_CASE("numbers of samples, patches and hops that wrap are refused", "[graph][misuse]") {
  const auto graph = small_graph();
  const auto batch = gp::make_ego_batch({}, graph, ids{0, 1, 2, 3});  // 6 neighbours
  for (const std::size_t samples : {half, std::size_t{1} << 62, huge, huge / 6 + 1}) {
    CHECK_THROWS_AS(gp::corrupt({}, batch, {.samples = samples}), gp::overflow_error);
    CHECK_THROWS_AS(gp::corrupt({}, batch, {.samples = samples, .estimator = gp::estimator::exact}),
                    gp::overflow_error);
  }
  CHECK_THROWS_WITH(gp::corrupt({}, batch, {.samples = half}),
                    "corruption: masks: 9223372036854775808 x 6 values do not fit into memory");
  for (const std::size_t patches : {huge, half, huge / 4 + 1, std::size_t{1} << 31}) {
    CHECK_THROWS_AS(gp::materialise({}, batch, gp::message_options{.patches = patches}), gp::overflow_error);
  }
  for (const std::size_t hops : {huge, half, std::size_t{1} << 17}) {
    CHECK_THROWS_AS(gp::make_ego_batch({}, graph, ids{0}, {.hops = hops}), gp::argument_error);
    CHECK_THROWS_AS(gp::neighborhood(graph, std::span<const node_id>(ids{0}), hops), gp::argument_error);
    CHECK_THROWS_AS(gp::nearest_hops(batch, hops), gp::argument_error);
  }
  CHECK(gp::make_ego_batch({}, graph, ids{0}, {.hops = 1000}).nodes.size() == 4);
}

TEST_CASE("graphs and datasets of sizes that wrap are refused", "[graph][misuse]") {
  const std::vector<gp::edge<std::int64_t>> none;
  CHECK_THROWS_AS(gp::build_graph<std::int64_t>(huge, none), gp::overflow_error);
  CHECK_THROWS_AS(gp::build_graph<std::int64_t>(half - 1, none), gp::overflow_error);
  CHECK_THROWS_AS(gp::build_graph<node_id>(std::size_t{1} << 31, std::vector<gp::edge<node_id>>{}), gp::overflow_error);
  CHECK_THROWS_AS(gp::make_rmat<node_id>({}, {.scale = 3, .edges = huge}), gp::overflow_error);
  CHECK_THROWS_AS(gp::make_rmat<node_id>({}, {.scale = 31}), gp::overflow_error);
  const auto made = [](gp::degree_biased_options options) {
    return gp::make_degree_biased<float, std::int64_t>(options);
  };
  CHECK_THROWS_AS(made({.nodes = half - 1}), gp::overflow_error);
  CHECK_THROWS_AS(made({.nodes = huge}), gp::error);
  CHECK_THROWS_AS(made({.classes = half}), gp::argument_error);
  CHECK_THROWS_AS(made({.vocabulary = huge}), gp::overflow_error);
  CHECK_THROWS_AS(made({.words_per_node = half}), gp::argument_error);
  CHECK_THROWS_AS(made({.train_per_class = half}), gp::argument_error);
  CHECK_THROWS_AS(gp::random_split(ids{0, 3, 1}), gp::index_error);
  CHECK_THROWS_AS(gp::random_split(ids{}), gp::argument_error);
}

TEST_CASE("what points into a graph or into masks can't be made of a temporary", "[graph][misuse]") {
  using messages = gp::message_graph<node_id>;
  using block = gp::message_block<node_id>;
  STATIC_REQUIRE(std::is_constructible_v<gp::host_graph<node_id>, const graph_type&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<gp::host_graph<node_id>, graph_type>);
  STATIC_REQUIRE(std::is_constructible_v<block, const messages&, std::size_t, std::size_t>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<block, messages, std::size_t, std::size_t>);
  const auto gives_blocks = [](auto&& graph) {
    return requires {
      std::forward<decltype(graph)>(graph).all();
    }
    || requires {
      std::forward<decltype(graph)>(graph).towards(1);
    };
  };
  const messages there;
  CHECK(gives_blocks(there));
  CHECK_FALSE(gives_blocks(messages()));
  const auto gives_egos = [](auto&& masks) {
    return requires(const gp::ego_batch<node_id>& batch) {
      gp::corrupted_egos(batch, std::forward<decltype(masks)>(masks));
    }
    || requires(const gp::ego_batch<node_id>& batch) {
      gp::corrupted_egos(batch, std::forward<decltype(masks)>(masks), 0);
    };
  };
  const gp::corruption_masks kept;
  CHECK(gives_egos(kept));
  CHECK_FALSE(gives_egos(gp::corruption_masks()));
}
