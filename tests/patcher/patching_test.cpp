// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/patching.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "support/compare.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

template <class Model, class T>
gp::patched_predictions<T> patch_all(const gp::dataset<T, node_id>& data, const Model& model,
                                     const gp::patch_generator<T>& generator, gp::patching_options options,
                                     int threads = 2) {
  const auto nodes = toy::all_nodes(data.nodes());
  return gp::patch_nodes(gp::cpu{threads}, data.graph, data.features, model, generator, nodes, options);
}

}  // namespace

TEMPLATE_TEST_CASE("no patch leaves the backbone's own logits, bit for bit", "[patcher]", float, double) {
  using T = TestType;
  const auto data = toy::make<T>();
  const gp::patch_generator<T> generator({.features = 12, .hidden = 8});
  const auto check = [&](const auto& model) {
    const auto whole = gp::predict(gp::cpu{}, model, data.graph, data.features);
    CHECK(support::same_bits(patch_all(data, model, generator, {.patches = 0}).logits.at(0), whole));
  };
  check(gp::gcn_backbone<T>({.hidden = 8, .norm = gp::normalisation::mean}, 12, 3));
  check(gp::gcn_backbone<T>({.layers = 3, .hidden = 8, .norm = gp::normalisation::symmetric}, 12, 3));
  check(gp::sage_backbone<T>({.hidden = 8}, 12, 3));
  check(gp::gat_backbone<T>({.hidden = 4, .heads = 2}, 12, 3));
}

TEST_CASE("the result doesn't depend on batches, threads or the other anchors", "[patcher]") {
  const auto data = toy::make<float>(90, 150);
  const gp::gcn_backbone<float> model({.hidden = 16}, 12, 3);
  const gp::patch_generator<float> generator({.features = 12, .hidden = 24});
  const auto all = patch_all(data, model, generator, {.patches = 3, .batch = 90, .keep_features = true}, 1);
  for (const std::size_t batch : {1, 7, 64}) {
    const auto split = patch_all(data, model, generator, {.patches = 3, .batch = batch, .keep_features = true}, 3);
    for (std::size_t k = 0; k <= 3; ++k) {
      CHECK(support::same_bits(all.logits[k], split.logits[k]));
    }
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(support::same_bits(all.features[k], split.features[k]));
    }
  }
  const std::vector<node_id> some{41, 0, 88};
  const auto few = gp::patch_nodes(gp::cpu{1}, data.graph, data.features, model, generator, some, {.patches = 3});
  for (std::size_t k = 0; k <= 3; ++k) {
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto expected = all.logits[k].row(static_cast<std::size_t>(some[i]));
      CHECK(std::equal(expected.begin(), expected.end(), few.logits[k].row(i).begin()));
    }
  }
}

TEST_CASE("a patch acts on a GCN as the equations say", "[patcher]") {
  // Two nodes, one edge; one hidden unit, one class: everything by hand.
  //   layer 1:  h_a = relu((x_a + x_b + p) w1 / 3 + b1), h_b = relu((x_a + x_b) w1 / 2 + b1), h_p = relu(b1)
  //   layer 2:  logit = (h_a + h_b + h_p) w2 / 3 + b2
  gp::dataset<double, node_id> data;
  data.graph = gp::csr_graph<node_id>({0, 1, 2}, {1, 0});
  data.features = gp::sparse_from_dense<node_id>(gp::matrix<double>{{2.0}, {3.0}}.view());
  gp::gcn_backbone<double> model({.hidden = 1}, 1, 1);
  const double w1 = 0.5, b1 = 0.25, w2 = -1.5, b2 = 0.125;
  model.layers[0].weight.value(0, 0) = w1;
  model.layers[0].bias.value(0, 0) = b1;
  model.layers[1].weight.value(0, 0) = w2;
  model.layers[1].bias.value(0, 0) = b2;
  const gp::patch_generator<double> generator({.features = 1, .hidden = 4});
  const std::vector<node_id> anchor{0};
  const auto patched = gp::patch_nodes(gp::cpu{}, data.graph, data.features, model, generator, anchor,
                                       {.patches = 1, .keep_features = true});
  const double p = patched.features[0](0, 0);
  const double hb = (2.0 + 3.0) * w1 / 2 + b1;
  const double before = 2 * hb * w2 / 2 + b2;  // both nodes see the same
  const double ha = std::max(0.0, (2.0 + 3.0 + p) * w1 / 3 + b1);
  const double after = (ha + hb + b1) * w2 / 3 + b2;
  CHECK(patched.logits[0](0, 0) == Approx(before).epsilon(1e-12));
  CHECK(patched.logits[1](0, 0) == Approx(after).epsilon(1e-12));
}

TEST_CASE("the ways to join a patch differ, and an isolated anchor can be patched", "[patcher]") {
  const auto data = toy::make<double>();
  const gp::gcn_backbone<double> model({.hidden = 8}, 12, 3);
  const gp::patch_generator<double> generator({.features = 12, .hidden = 8});
  const auto to_anchor = patch_all(data, model, generator, {.patches = 2});
  const auto loop = patch_all(data, model, generator, {.patches = 2, .edge = gp::patch_edge::to_anchor_loop});
  const auto undirected = patch_all(data, model, generator, {.patches = 2, .edge = gp::patch_edge::undirected});
  CHECK(support::same_bits(to_anchor.logits[0], loop.logits[0]));
  CHECK_FALSE(support::same_bits(to_anchor.logits[1], loop.logits[1]));
  CHECK_FALSE(support::same_bits(loop.logits[1], undirected.logits[1]));
  const std::size_t isolated = data.nodes() - 1;
  REQUIRE(data.graph.degree(isolated) == 0);
  CHECK(to_anchor.logits[1](isolated, 0) != to_anchor.logits[0](isolated, 0));
}

TEST_CASE("bad arguments of patching are refused", "[patcher]") {
  const auto data = toy::make<float>();
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  const gp::patch_generator<float> generator({.features = 12, .hidden = 8});
  const auto patch = [&](std::vector<node_id> nodes, gp::patching_options options = {},
                         const gp::feature_table<float, node_id>* table = nullptr) {
    return gp::patch_nodes(gp::cpu{}, data.graph, table ? *table : data.features, model, generator, nodes, options);
  };
  CHECK_THROWS_AS(patch({60}), gp::index_error);
  CHECK_THROWS_AS(patch({1, 1}), gp::argument_error);
  CHECK_THROWS_AS(patch({}), gp::argument_error);
  CHECK_THROWS_AS(patch({1}, {.batch = 0}), gp::argument_error);
  const auto narrow = toy::random_features<float>(60, 11, 1);
  CHECK_THROWS_AS(patch({1}, {}, &narrow), gp::shape_error);
  CHECK_THROWS_WITH(patch({1}, {}, &narrow), Catch::Contains("expected 12 features a node"));
}
