// SPDX-License-Identifier: MIT
#include "graphpatcher/models/backbone.hpp"

#include <catch2/catch.hpp>
#include <tuple>

#include "graphpatcher/autodiff/gradient_check.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "models/model_support.hpp"

namespace gp = graphpatcher;
using id32 = std::int32_t;

// ---- the concept: what is a backbone, and what is not ----------------------
static_assert(gp::backbone<gp::gcn_backbone<float>>);
static_assert(gp::backbone<gp::sage_backbone<double>, std::int64_t>);
static_assert(gp::backbone<gp::gat_backbone<float>>);
static_assert(!gp::backbone<int>);
static_assert(!gp::backbone<gp::gcn_layer<float>>);

namespace {

struct no_hops : gp::gcn_backbone<float> {
  void hops() const {}
};
static_assert(!gp::tells_its_hops<no_hops> && gp::tells_its_classes<no_hops> && !gp::backbone<no_hops>);

struct changes_itself : gp::gcn_backbone<float> {
  template <gp::graph_index I>
  gp::variable<float> forward(gp::tape<float>&, const gp::message_graph<I>&, const gp::node_features<float, I>&);
};
static_assert(!gp::computes_logits<changes_itself, id32> && !gp::backbone<changes_itself>);

struct uncopyable : gp::gcn_backbone<float> {
  uncopyable& operator=(const uncopyable&) = delete;
};
static_assert(!gp::backbone<uncopyable>);

/// Calls test(config) for every model of the library, small.
template <class Test>
void for_each_model(std::size_t layers, Test&& test) {
  for (const auto norm : {gp::normalisation::mean, gp::normalisation::symmetric}) {
    test(gp::gcn_config{.layers = layers, .hidden = 6, .norm = norm, .seed = 3});
  }
  for (const auto aggregator : {gp::sage_aggregator::mean, gp::sage_aggregator::pool}) {
    test(gp::sage_config{.layers = layers, .hidden = 6, .aggregator = aggregator, .seed = 3});
  }
  test(gp::gat_config{.layers = layers, .hidden = 3, .heads = 2, .output_heads = 2, .seed = 3});
}

}  // namespace

TEST_CASE("a model sees as far as its hops and no further", "[models]") {
  const auto graph = gp_test::small_graph<id32>();
  const auto dense = gp_test::sparse_looking_matrix<float>(9, 10, 2);
  const gp::feature_table table = gp::sparse_from_dense<id32>(dense.view());
  const std::size_t layers = GENERATE(1, 2, 3);
  for_each_model(layers, [&](const auto& config) {
    using model_type = typename std::decay_t<decltype(config)>::template model_type<float>;
    const model_type model(config, 10, 3);
    CHECK(model.hops() == layers);
    CHECK(model.classes() == 3);
    const auto whole = gp::predict(gp::cpu{}, model, graph, table);
    REQUIRE(whole.rows() == 9);
    // the answers on a neighbourhood of a few targets are the bits of the whole graph's
    const std::vector<id32> targets{5, 8, 2};
    const auto part = gp::predict(gp::cpu{}, model, gp_test::around(graph, targets, layers), table);
    REQUIRE(part.rows() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        CHECK(part(i, c) == whole(static_cast<std::size_t>(targets[i]), c));
      }
    }
    // more hops than needed change nothing
    const auto wide = gp::predict(gp::cpu{}, model, gp_test::around(graph, targets, layers + 2), table);
    CHECK(gp_test::same_values(wide.view(), part.view()));
    const auto two_threads = gp::predict(gp::cpu{.threads = 2}, model, graph, table);
    const auto one_thread = gp::predict(gp::cpu{.threads = 1}, model, graph, table);
    CHECK(gp_test::same_values(two_threads.view(), one_thread.view()));
  });
}

TEST_CASE("every model passes the gradient check in training mode", "[models]") {
  const auto graph = gp::whole_graph(gp_test::small_graph<id32>());
  const gp::feature_table table = gp::sparse_from_dense<id32>(gp_test::random_matrix<double>(9, 5, 2).view());
  const auto r = gp_test::random_matrix<double>(9, 3, 3);
  const std::size_t layers = GENERATE(1, 2, 3);
  for_each_model(layers, [&](const auto& config) {
    using model_type = typename std::decay_t<decltype(config)>::template model_type<double>;
    model_type model(config, 5, 3);
    gp_test::randomise(model.parameters(), 7);
    const auto loss = [&](gp::tape<double>& t) {
      t.train(gp::random_stream(4, gp::purpose::dropout));
      const gp::node_features<double, id32> features{&table, &graph, {}};
      return gp_test::weighted_sum(model.forward(t, graph, features), r);
    };
    // Three layers of GAT with weights this large: cancellation leaves 1e-5 at a step of 1e-6 and 1.3e-6 at 1e-5, where
    // terms of higher order leave 3e-7 at 1e-4.
    CHECK(gp::gradient_check(model.parameters(), loss, 1e-4) < 1e-6);
  });
}

TEST_CASE("a frozen model leaves its gradients alone and hands one to patches", "[models]") {
  // node 0 and its neighbour 1; a patch that sends to node 0 alone
  gp::message_graph<id32> graph;
  graph.offsets = {0, 3, 3, 5};
  graph.sources = {0, 2, 1, 2, 0};
  graph.in_degree = {3, 0, 2};
  graph.out_degree = {2, 1, 2};
  graph.within = {1, 3};
  graph.global_ids = {0, -1, 1};
  graph.patches = 1;
  const gp::feature_table table = gp::sparse_from_dense<id32>(gp_test::random_matrix<double>(2, 5, 2).view());
  const auto r = gp_test::random_matrix<double>(1, 3, 3);
  for_each_model(2, [&](const auto& config) {
    using model_type = typename std::decay_t<decltype(config)>::template model_type<double>;
    model_type model(config, 5, 3);
    gp_test::randomise(model.parameters(), 7);
    gp::parameter<double> patch("patch", 1, 5);
    patch.value = gp_test::random_matrix<double>(1, 5, 8);
    CHECK(gp::gradient_check({&patch}, [&](gp::tape<double>& t) {
            const gp::node_features<double, id32> features{&table, &graph, {t.use(patch)}};
            return gp_test::weighted_sum(gp::frozen_forward(t, model, graph, features), r);
          }) < 1e-6);
    for (const auto* p : model.parameters()) {
      CHECK_FALSE(p->has_gradient);
    }
  });
}

TEST_CASE("predict does not drop, and copies of a model are independent", "[models]") {
  const auto graph = gp_test::small_graph<id32>();
  const gp::feature_table table = gp::sparse_from_dense<id32>(gp_test::random_matrix<double>(9, 5, 2).view());
  gp::gcn_backbone<double> model({.hidden = 6, .seed = 3}, 5, 3);
  const auto copy = model;
  const auto before = gp::predict(gp::cpu{}, model, graph, table);
  CHECK(gp_test::same_values(gp::predict(gp::cpu{}, model, graph, table).view(), before.view()));
  model.layers[1].bias.value.fill(1.0);
  CHECK_FALSE(gp_test::same_values(gp::predict(gp::cpu{}, model, graph, table).view(), before.view()));
  CHECK(gp_test::same_values(gp::predict(gp::cpu{}, copy, graph, table).view(), before.view()));
}

TEST_CASE("models start from their seed and name their parameters", "[models]") {
  gp::gcn_backbone<float> a({.seed = 1}, 5, 3), same({.seed = 1}, 5, 3), other({.seed = 2}, 5, 3);
  CHECK(gp_test::same_values(a.layers[0].weight.value.view(), same.layers[0].weight.value.view()));
  CHECK_FALSE(gp_test::same_values(a.layers[0].weight.value.view(), other.layers[0].weight.value.view()));
  std::vector<std::string> names;
  for (const auto* p : a.parameters()) {
    names.push_back(p->name);
  }
  CHECK(names == std::vector<std::string>{"layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias"});
  gp::sage_backbone<float> sage({}, 5, 3);
  CHECK(sage.parameters().size() == 10);
  CHECK(sage.parameters()[0]->name == "layers.0.fc_pool.weight");
  gp::gat_backbone<float> gat({}, 5, 3);
  CHECK(gat.parameters()[4]->name == "layers.1.attn_l");
  CHECK(gat.layers[0].outputs() == 64);
}

TEST_CASE("models name what is wrong with their settings and inputs", "[models]") {
  CHECK_THROWS_AS(gp::gcn_backbone<float>({.layers = 0}, 5, 3), gp::argument_error);
  CHECK_THROWS_AS(gp::sage_backbone<float>({.dropout = 1.0}, 5, 3), gp::argument_error);
  CHECK_THROWS_AS(gp::gat_backbone<float>({.heads = 0}, 5, 3), gp::argument_error);
  CHECK_THROWS_AS(gp::gcn_backbone<float>({.hidden = 0}, 5, 3), gp::argument_error);
  CHECK_THROWS_WITH(gp::gcn_backbone<float>({}, 5, 0), Catch::Contains("at least 1 input and 1 output"));
  const auto graph = gp_test::small_graph<id32>();
  const gp::gcn_backbone<float> model({}, 5, 3);
  const gp::feature_table narrow = gp::sparse_from_dense<id32>(gp_test::random_matrix<float>(9, 4, 2).view());
  const gp::feature_table few = gp::sparse_from_dense<id32>(gp_test::random_matrix<float>(8, 5, 2).view());
  CHECK_THROWS_AS(gp::predict(gp::cpu{}, model, graph, narrow), gp::shape_error);
  CHECK_THROWS_WITH(gp::predict(gp::cpu{}, model, graph, few), Catch::Contains("features of 9 nodes, got 8"));
  const gp::feature_table table = gp::sparse_from_dense<id32>(gp_test::random_matrix<float>(9, 5, 2).view());
  CHECK_THROWS_AS(gp::predict(gp::cpu{.threads = 0}, model, graph, table), gp::argument_error);
}
