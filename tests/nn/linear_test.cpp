// SPDX-License-Identifier: MIT
#include "graphpatcher/nn/linear.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/autodiff/gradient_check.hpp"
#include "nn/layer_support.hpp"

namespace gp = graphpatcher;

namespace {
const gp::random_stream stream(5, gp::purpose::initialisation);
}

TEST_CASE("linear computes x W + b", "[nn]") {
  gp::linear<double> layer(2, 3, {}, stream, "fc");
  CHECK(layer.parameters()[0]->name == "fc.weight");
  CHECK(layer.parameters()[1]->name == "fc.bias");
  layer.weight.value = {{1, 2, 3}, {4, 5, 6}};
  layer.bias.value = {{10, 20, 30}};
  gp::tape<double> t;
  const gp::matrix<double> x{{1, 0}, {2, -1}};
  const auto y = layer.forward(t, t.constant(x));
  CHECK(gp_test::same_values(y.value(), gp::matrix<double>{{11, 22, 33}, {8, 19, 30}}.view()));
  const auto first = layer.forward(t, t.constant(x), 1);
  CHECK(gp_test::same_values(first.value(), gp::matrix<double>{{11, 22, 33}}.view()));
}

TEST_CASE("linear starts as PyTorch's or as Glorot's", "[nn]") {
  const gp::linear<double> torch(16, 9, {}, stream);
  for (const auto* p : {&torch.weight, &torch.bias}) {
    for (const double v : p->value.values()) {
      CHECK(std::abs(v) <= 0.25);
      CHECK(v != 0.0);
    }
  }
  const gp::linear<double> glorot(16, 9, {.init = gp::linear_init::glorot}, stream);
  double largest = 0;
  for (const double v : glorot.weight.value.values()) {
    largest = std::max(largest, std::abs(v));
  }
  CHECK(largest <= std::sqrt(6.0 / 25));
  CHECK(largest > 0.25);
  for (const double v : glorot.bias.value.values()) {
    CHECK(v == 0.0);
  }
}

TEST_CASE("sparse node features give what dense rows give", "[nn]") {
  const auto graph = gp::whole_graph(gp_test::small_graph<std::int32_t>());
  const auto dense = gp_test::sparse_looking_matrix<double>(9, 12, 3);
  const gp::feature_table table = gp::sparse_from_dense<std::int32_t>(dense.view());
  const gp::linear<double> layer(12, 4, {}, stream);
  gp::tape<double> t;
  const auto sparse = layer.forward(t, gp::node_features<double, std::int32_t>{&table, &graph, {}}, 5);
  const auto other = layer.forward(t, t.constant(dense), 5);
  CHECK(gp_test::relative_difference(sparse.value(), other.value()) < 1e-14);
}

TEST_CASE("linear layers pass the gradient check", "[nn]") {
  const auto x = gp_test::random_matrix<double>(6, 5, 1);
  const auto r = gp_test::random_matrix<double>(6, 4, 2);
  const auto square = gp_test::random_matrix<double>(6, 5, 3);
  gp::linear<double> plain(5, 4, {.bias = false}, stream);
  CHECK(plain.parameters().size() == 1);
  CHECK(gp::gradient_check(plain.parameters(), [&](gp::tape<double>& t) {
          return gp_test::weighted_sum(plain.forward(t, t.constant(x)), r);
        }) < 1e-6);
  gp::residual_linear<double> wide(5, 4, {}, stream);
  CHECK(wide.parameters().size() == 3);
  CHECK(wide.parameters()[2]->name == "res_fc.weight");
  CHECK(gp::gradient_check(wide.parameters(), [&](gp::tape<double>& t) {
          return gp_test::weighted_sum(wide.forward(t, t.constant(x)), r);
        }) < 1e-6);
  gp::residual_linear<double> same(5, 5, {}, stream);
  CHECK(same.parameters().size() == 2);
  gp::parameter<double> input("x", 6, 5);
  input.value = x;
  auto list = same.parameters();
  list.push_back(&input);
  CHECK(gp::gradient_check(list, [&](gp::tape<double>& t) {
          return gp_test::weighted_sum(same.forward(t, t.use(input)), square);
        }) < 1e-6);
}

TEST_CASE("a residual layer of zero weights hands its input on", "[nn]") {
  gp::residual_linear<double> layer(3, 3, {}, stream);
  layer.fc.weight.value.fill(0);
  layer.fc.bias.value.fill(0);
  gp::tape<double> t;
  const auto x = gp_test::random_matrix<double>(4, 3, 9);
  CHECK(gp_test::same_values(layer.forward(t, t.constant(x)).value(), x.view()));
}

TEST_CASE("linear names bad widths and inputs", "[nn]") {
  CHECK_THROWS_AS(gp::linear<float>(0, 3, {}, stream), gp::argument_error);
  CHECK_THROWS_WITH(gp::linear<float>(3, 0, {}, stream), Catch::Contains("at least 1 input and 1 output, got 3 and 0"));
  const gp::linear<float> layer(3, 2, {}, stream);
  gp::tape<float> t;
  const gp::matrix<float> x(4, 5);
  CHECK_THROWS_AS(layer.forward(t, t.constant(x)), gp::shape_error);
}
