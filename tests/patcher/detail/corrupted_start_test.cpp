// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/corrupted_start.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/patcher/detail/rows_of.hpp"
#include "patcher/detail/backbones.hpp"
#include "support/random_matrix.hpp"
#include "support/slow_graph.hpp"
#include "support/slow_patching.hpp"

namespace gp = graphpatcher;
namespace fast = gp::fast;
using gp::patch_edge;
using node_id = std::int32_t;
using ids = std::vector<node_id>;
using slow::dense;

namespace {

using rows_type = fast::rows_type<gp::gcn_backbone<double>>;
using egos_type = fast::frozen_egos<double, node_id, rows_type>;
using start_type = fast::corrupted_start<double, node_id, rows_type>;

gp::gcn_backbone<double> some_model() {
  return backbones::shaken(gp::gcn_backbone<double>({.hidden = 8, .norm = gp::normalisation::symmetric}, 4, 3));
}

egos_type egos_of(const gp::gcn_backbone<double>& model, const gp::csr_graph<node_id>& graph,
                  const gp::feature_table<double, node_id>& features) {
  return {gp::cpu{}, fast::rows_of(model), graph, features};
}

/// The node ids behind the positions of a list.
ids named(const fast::encoder_graph<node_id>& graph, std::span<const node_id> positions) {
  ids names;
  for (const node_id position : positions) {
    names.push_back(graph.nodes[static_cast<std::size_t>(position)]);
  }
  return names;
}

ids all(std::span<const node_id> values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("nothing is dropped at strength 0, every neighbour at 1: by hand", "[patcher][fast]") {
  const auto model = some_model();
  const auto graph = slow::six_nodes<node_id>();
  const gp::feature_table features = gp::sparse_from_dense<node_id>(support::random_matrix<double>(6, 4, 2).view());
  const auto egos = egos_of(model, graph, features);
  start_type start(egos.rows(), patch_edge::to_anchor);
  const ids anchors{3, 5, 1};
  for (int round = 0; round < 2; ++round) {  // a later batch finds nothing of an earlier one
    start.draw(egos, anchors, {.strength = 0, .seed = 4});
    const auto& lists = start.graph;
    REQUIRE(lists.anchors.size() == 3);
    CHECK(start.patched.size() == 3);
    CHECK(named(lists, lists.anchors[0]) == ids{3, 0, 0, 4});  // joined twice to node 0
    CHECK(named(lists, lists.anchors[1]) == ids{5});
    CHECK(named(lists, lists.anchors[2]) == ids{1, 0, 2});
    CHECK(all(lists.anchor_neighbors[0]) == ids{0, 1, 2});
    CHECK(lists.anchor_neighbors[1].empty());
    CHECK(all(lists.anchor_neighbors[2]) == ids{3, 4});
    REQUIRE(lists.hidden.size() == 5);
    CHECK(named(lists, lists.hidden[0]) == ids{0, 1, 2, 3, 3});
    CHECK(named(lists, lists.hidden[1]) == ids{0, 1, 2, 3, 3});
    CHECK(named(lists, lists.hidden[2]) == ids{4, 3});
    CHECK(named(lists, lists.hidden[4]) == ids{2, 0, 1});
    CHECK(lists.nodes.size() == 6);  // each once

    start.draw(egos, anchors, {.strength = 1, .seed = 4});
    CHECK(start.graph.hidden.size() == 0);
    CHECK(start.graph.nodes == anchors);
    for (std::size_t b = 0; b < 3; ++b) {
      CHECK(named(start.graph, start.graph.anchors[b]) == ids{anchors[b]});
      CHECK(start.graph.anchor_neighbors[b].empty());
    }
  }
}

TEST_CASE("both readers of a start see the graph without what the first mask drops", "[patcher][fast]") {
  const auto model = some_model();
  const auto graph = slow::random_graph<node_id>(20, 40, 6);
  const dense x = support::random_matrix<double>(20, 4, 2);
  const gp::feature_table features = gp::sparse_from_dense<node_id>(x.view());
  const auto egos = egos_of(model, graph, features);
  start_type start(egos.rows(), patch_edge::to_anchor);
  ids anchors(20);
  for (std::size_t v = 0; v < 20; ++v) {
    anchors[v] = static_cast<node_id>(v);
  }
  const gp::corruption_options options{.strength = 0.5, .seed = 4, .iteration = 3};
  start.draw(egos, anchors, options);
  dense logits(20, 3);
  start.patched.answer(gp::cpu{}, 0, {}, 20, {}, [&](std::size_t b, std::span<const double> found, std::span<double>) {
    std::ranges::copy(found, logits.row(b).begin());
  });
  fast::ego_cut<node_id> cut(graph, false);
  fast::mask_set masks;
  for (std::size_t v = 0; v < 20; ++v) {
    INFO("anchor " << v);
    cut.start(anchors[v]);
    masks.draw<node_id>(fast::corruption_stream(options), options, anchors[v], cut.neighbors());
    std::vector<std::size_t> gone;
    for (std::size_t n = 0; n < cut.neighbors().size(); ++n) {
      if (!masks.keeps(0, n)) {
        gone.push_back(static_cast<std::size_t>(cut.neighbors()[n]));
      }
    }
    const auto sources = slow::without_nodes(slow::sources_of(graph), gone);
    const auto ids_of = [](const std::vector<std::size_t>& list) { return ids(list.begin(), list.end()); };
    CHECK(named(start.graph, start.graph.anchors[v]) == ids_of(sources[v]));
    const auto hidden_rows = start.graph.anchor_neighbors[v];
    REQUIRE(hidden_rows.size() + 1 == sources[v].size());
    for (std::size_t k = 0; k < hidden_rows.size(); ++k) {
      CHECK(named(start.graph, start.graph.hidden[static_cast<std::size_t>(hidden_rows[k])]) ==
            ids_of(sources[sources[v][k + 1]]));
    }
    const dense expected = slow::logits(model, x, sources);
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(logits(v, c) == Approx(expected(v, c)).margin(1e-12));  // a hundred products of numbers below 10
    }
  }
}
