// SPDX-License-Identifier: MIT
#include "graphpatcher/models/check_backbone.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using Catch::Contains;
using toy::node_id;

namespace {

/// A GCN of `depth` layers that computes every row it is given and says `told` hops.
template <class T>
struct deep_gcn {
  using scalar_type = T;
  std::vector<gp::gcn_layer<T>> layers;
  std::size_t told;

  deep_gcn(std::size_t features, std::size_t classes, std::size_t depth, std::size_t hops) : told(hops) {
    const gp::random_stream random(4, gp::purpose::initialisation);
    for (std::size_t l = 0; l < depth; ++l) {
      layers.emplace_back(l == 0 ? features : 8, l + 1 == depth ? classes : 8, gp::normalisation::mean, random.fork(l));
    }
  }
  std::size_t hops() const { return told; }
  std::size_t classes() const { return layers.back().outputs(); }
  gp::parameter_list<T> parameters() { return gp::parameters_of(layers); }

  template <gp::graph_index I>
  gp::variable<T> forward(gp::tape<T>& t, const gp::message_graph<I>& graph, const gp::node_features<T, I>& x) const {
    auto h = layers.front().forward(t, graph.all(), x);
    for (std::size_t l = 1; l < layers.size(); ++l) {
      h = layers[l].forward(t, graph.all(), gp::relu(h));
    }
    return gp::rows(h, 0, graph.targets());
  }
};

const gp::fit_options few_epochs{.learning_rate = 0.01, .max_epochs = 3};

}  // namespace

TEMPLATE_TEST_CASE("a backbone that sees what its hops() says is right", "[models][misuse]", float, double) {
  const auto data = toy::make<TestType>(80, 120);
  const auto right = [&](const auto& model) { return gp::check_backbone(gp::cpu{2}, model, data); };
  for (const std::size_t depth : {1, 2, 3}) {
    CHECK(right(deep_gcn<TestType>(12, 3, depth, depth)) < 1e-5);
    CHECK(right(gp::gcn_backbone<TestType>({.layers = depth, .norm = gp::normalisation::symmetric}, 12, 3)) == 0);
    CHECK(right(gp::sage_backbone<TestType>({.layers = depth}, 12, 3)) == 0);
    CHECK(right(gp::gat_backbone<TestType>({.layers = depth}, 12, 3)) == 0);
  }
  CHECK(right(deep_gcn<TestType>(12, 3, 2, 5)) < 1e-5);  // too many cost time and nothing else
}

TEMPLATE_TEST_CASE("a backbone whose hops() says too little is noticed", "[models][misuse]", float, double) {
  const auto data = toy::make<TestType>(80, 120);
  for (const std::size_t depth : {2, 3}) {
    for (std::size_t told = 0; told < depth; ++told) {
      deep_gcn<TestType> model(12, 3, depth, told);
      CHECK_THROWS_AS(gp::check_backbone(gp::cpu{1}, model, data), gp::argument_error);
      CHECK_THROWS_AS(gp::fit(gp::cpu{1}, data, model, few_epochs), gp::argument_error);
    }
  }
  CHECK_THROWS_WITH(gp::check_backbone(gp::cpu{1}, deep_gcn<TestType>(12, 3, 2, 1), data),
                    Contains("hops() says 1") && Contains("changes the logits of node") && Contains("of the largest"));
}

TEST_CASE("training notices it, unless it takes the whole graph, where hops() says nothing", "[models][misuse]") {
  const auto data = toy::make<float>(80, 120);
  deep_gcn<float> model(12, 3, 2, 1);
  const auto before = model.layers[0].weight.value(0, 0);
  CHECK_THROWS_WITH(gp::fit(gp::cpu{1}, data, model, few_epochs), Contains("hops() says 1"));
  CHECK(model.layers[0].weight.value(0, 0) == before);
  auto whole = few_epochs;
  whole.whole_graph = true;
  deep_gcn<float> right(12, 3, 2, 2);
  CHECK(gp::fit(gp::cpu{1}, data, right, few_epochs).epochs() == 3);
  CHECK(gp::fit(gp::cpu{1}, data, right, whole).epochs() == 3);
}

TEST_CASE("hops() that nobody can have meant are refused", "[models][misuse]") {
  const auto data = toy::make<float>();
  deep_gcn<float> model(12, 3, 2, static_cast<std::size_t>(-1));
  CHECK_THROWS_AS(gp::check_backbone(gp::cpu{1}, model, data), gp::argument_error);
  CHECK_THROWS_AS(gp::fit(gp::cpu{1}, data, model, few_epochs), gp::argument_error);
  CHECK_THROWS_AS(gp::check_backbone(gp::cpu{1}, deep_gcn<float>(13, 3, 2, 2), data), gp::shape_error);
  const auto features = toy::random_features<float>(61, 12, 1);
  CHECK_THROWS_AS(gp::check_backbone(gp::cpu{1}, model, data.graph, features), gp::shape_error);
  const gp::csr_graph<node_id> nobody;
  const gp::feature_table<float, node_id> nothing;
  CHECK(gp::check_backbone(gp::cpu{1}, deep_gcn<float>(12, 3, 2, 2), nobody, nothing) == 0);
}

TEST_CASE("what is around a node is counted up to a limit", "[models]") {
  // 0 - 1 - 2 - 3, 3 - 0: a ring; and 4 alone
  const auto ring = gp::build_graph<node_id>(5, std::vector<gp::edge<node_id>>{{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  const auto count = [&](node_id node, std::size_t hops, std::size_t most = 1000) {
    return gp::detail::count_around(ring, node, hops, most);
  };
  CHECK(count(0, 0) == 3);   // itself and 2 edges
  CHECK(count(0, 1) == 9);   // and both neighbours
  CHECK(count(0, 2) == 12);  // and the last
  CHECK(count(0, 9) == 12);
  CHECK(count(4, 2) == 1);
  CHECK(count(0, 2, 5) > 5);
}
