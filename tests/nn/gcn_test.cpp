// SPDX-License-Identifier: MIT
#include "graphpatcher/nn/gcn.hpp"

#include <catch2/catch.hpp>

#include "nn/layer_support.hpp"

namespace gp = graphpatcher;
using id32 = std::int32_t;

namespace {
const gp::random_stream stream(8, gp::purpose::initialisation);
}

TEST_CASE("gcn on a path of three nodes, by hand", "[nn]") {
  const auto graph = gp::whole_graph(gp::build_graph<id32>(3, std::vector<gp::edge<id32>>{{0, 1}, {1, 2}}));
  const gp::matrix<double> x{{6}, {12}, {18}};
  gp::tape<double> t;
  gp::gcn_layer<double> mean(1, 1, gp::normalisation::mean, stream);
  mean.weight.value = {{2}};
  mean.bias.value = {{1}};
  const auto right = mean.forward(t, graph.all(), t.constant(x)).value();
  CHECK(right(0, 0) == Approx(2 * 9 + 1));
  CHECK(right(1, 0) == Approx(2 * 12 + 1));
  CHECK(right(2, 0) == Approx(2 * 15 + 1));
  gp::gcn_layer<double> both(1, 1, gp::normalisation::symmetric, stream);
  both.weight.value = {{1}};
  both.bias.value = {{0}};
  const auto y = both.forward(t, graph.all(), t.constant(x)).value();
  CHECK(y(0, 0) == Approx(6 / 2.0 + 12 / std::sqrt(6.0)));
  CHECK(y(1, 0) == Approx(12 / 3.0 + (6 + 18) / std::sqrt(6.0)));
}

TEST_CASE("a row without sources gives the bias", "[nn]") {
  gp::message_graph<id32> graph;
  graph.offsets = {0, 1, 1};
  graph.sources = {1};
  graph.in_degree = {1, 0};
  graph.out_degree = {0, 1};
  graph.within = {2};
  graph.global_ids = {0, 1};
  const auto norm = GENERATE(gp::normalisation::mean, gp::normalisation::symmetric);
  gp::gcn_layer<double> layer(3, 2, norm, stream);
  layer.bias.value = {{0.25, -4}};
  gp::tape<double> t;
  const auto x = gp_test::random_matrix<double>(2, 3, 1);
  const auto y = layer.forward(t, graph.all(), t.constant(x)).value();
  CHECK(y(1, 0) == 0.25);
  CHECK(y(1, 1) == -4.0);
  CHECK(y(0, 0) != 0.25);
}

TEST_CASE("gcn passes the gradient check, multiplied first or last, dense or sparse", "[nn]") {
  const auto graph = gp::whole_graph(gp_test::small_graph<id32>());
  const auto norm = GENERATE(gp::normalisation::mean, gp::normalisation::symmetric);
  const std::size_t out = GENERATE(2, 7);
  gp::gcn_layer<double> layer(5, out, norm, stream);
  gp_test::randomise(layer.parameters(), 2);
  gp_test::check_gradients(layer);
  const auto x = gp_test::sparse_looking_matrix<double>(9, 5, 4);
  const gp::feature_table table = gp::sparse_from_dense<id32>(x.view());
  gp::tape<double> t;
  const auto dense = layer.forward(t, graph.all(), t.constant(x));
  const auto sparse = layer.forward(t, graph.all(), gp::node_features<double, id32>{&table, &graph, {}});
  CHECK(gp_test::relative_difference(dense.value(), sparse.value()) < 1e-13);
}

TEMPLATE_TEST_CASE("a prefix of rows is the same bits as all rows", "[nn]", float, double) {
  const auto norm = GENERATE(gp::normalisation::mean, gp::normalisation::symmetric);
  gp_test::check_prefixes<TestType>(gp::gcn_layer<TestType>(5, 3, norm, stream));
}

TEST_CASE("gcn names its parameters and wrong widths", "[nn]") {
  gp::gcn_layer<double> layer(4, 3, gp::normalisation::mean, stream, "layers.1");
  CHECK(layer.parameters()[0]->name == "layers.1.weight");
  CHECK(layer.parameters()[1]->name == "layers.1.bias");
  CHECK_THROWS_AS(gp::gcn_layer<double>(0, 3, gp::normalisation::mean, stream), gp::argument_error);
  const auto graph = gp::whole_graph(gp_test::small_graph<id32>());
  gp::tape<double> t;
  const gp::matrix<double> narrow(9, 3), few(2, 4);
  CHECK_THROWS_AS(layer.forward(t, graph.all(), t.constant(narrow)), gp::shape_error);
  CHECK_THROWS_AS(layer.forward(t, graph.all(), t.constant(few)), gp::error);
}
