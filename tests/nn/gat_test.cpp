// SPDX-License-Identifier: MIT
#include "graphpatcher/nn/gat.hpp"

#include <catch2/catch.hpp>

#include "nn/layer_support.hpp"

namespace gp = graphpatcher;
using id32 = std::int32_t;

namespace {

const gp::random_stream stream(10, gp::purpose::initialisation);
const gp::random_stream drops(12, gp::purpose::dropout);

/// One row and head at a time, as the equations are written.
gp::matrix<double> slow_gat(const gp::gat_layer<double>& layer, const gp::message_graph<id32>& graph,
                            const gp::matrix<double>& x, std::size_t width) {
  const std::size_t heads = layer.options.heads;
  gp::matrix<double> z(x.rows(), heads * width), result(x.rows(), heads * width);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t c = 0; c < z.cols(); ++c) {
      for (std::size_t k = 0; k < x.cols(); ++k) {
        z(i, c) += x(i, k) * layer.weight.value(k, c);
      }
    }
  }
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t h = 0; h < heads; ++h) {
      double total = 0;
      std::vector<double> sum(width, 0.0);
      for (id32 e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
        const auto j = static_cast<std::size_t>(graph.sources[static_cast<std::size_t>(e)]);
        double score = 0;
        for (std::size_t d = h * width; d < (h + 1) * width; ++d) {
          score += layer.attention_left.value(0, d) * z(j, d) + layer.attention_right.value(0, d) * z(i, d);
        }
        const double weight = std::exp(score > 0 ? score : layer.options.slope * score);
        total += weight;
        for (std::size_t d = 0; d < width; ++d) {
          sum[d] += weight * z(j, h * width + d);
        }
      }
      for (std::size_t d = 0; d < width; ++d) {
        result(i, h * width + d) = sum[d] / total + layer.bias.value(0, h * width + d);
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("gat follows its equations", "[nn]") {
  const auto graph = gp::whole_graph(gp_test::small_graph<id32>());
  gp::gat_layer<double> layer(5, 4, {.heads = 3}, stream);
  gp_test::randomise(layer.parameters(), 1);
  const auto x = gp_test::random_matrix<double>(9, 5, 2);
  const auto expected = slow_gat(layer, graph, x, 4);
  gp::tape<double> t;
  const auto y = layer.forward(t, graph.all(), t.constant(x));
  CHECK(layer.outputs() == 12);
  CHECK(gp_test::relative_difference(y.value(), expected.view()) < 1e-13);

  auto averaged = layer;
  averaged.options.merge = gp::head_merge::mean;
  CHECK(averaged.outputs() == 4);
  const auto mean = averaged.forward(t, graph.all(), t.constant(x)).value();
  REQUIRE(mean.cols() == 4);
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t d = 0; d < 4; ++d) {
      CHECK(mean(i, d) == Approx((expected(i, d) + expected(i, 4 + d) + expected(i, 8 + d)) / 3).epsilon(1e-12));
    }
  }
}

TEST_CASE("gat passes the gradient check, with both dropouts too", "[nn]") {
  const auto merge = GENERATE(gp::head_merge::concat, gp::head_merge::mean);
  const bool training = GENERATE(false, true);
  gp::gat_layer<double> layer(5, 3, {.heads = 2, .merge = merge, .feature_dropout = 0.3, .attention_dropout = 0.4},
                              stream);
  gp_test::randomise(layer.parameters(), 2);
  gp_test::check_gradients(layer, [&](gp::tape<double>& t) { training ? t.train(drops) : t.evaluate(); });
}

TEST_CASE("attention dropout drops attention and not features", "[nn]") {
  const auto graph = gp::whole_graph(gp_test::small_graph<id32>());
  gp::gat_layer<double> layer(5, 3, {.attention_dropout = 0.9}, stream);
  const auto x = gp_test::random_matrix<double>(9, 5, 2);
  gp::tape<double> t;
  t.train(drops);
  const auto y = layer.forward(t, graph.all(), t.constant(x)).value();
  // node 8 has its loop alone: weight 1, either dropped or ten-fold
  const auto expected = slow_gat(layer, graph, x, 3);
  const double ratio = y(8, 0) / expected(8, 0);
  CHECK((ratio == 0.0 || ratio == Approx(10).epsilon(1e-12)));
  CHECK_FALSE(gp_test::same_values(y, expected.view()));
}

TEST_CASE("a prefix of gat's rows is the same bits as all rows", "[nn]") {
  gp_test::check_prefixes<float>(gp::gat_layer<float>(5, 3, {.heads = 4}, stream));
}

TEST_CASE("gat starts with DGL's fans and names bad options", "[nn]") {
  const gp::gat_layer<double> layer(50, 40, {.heads = 30}, stream, "layers.0");
  double squares = 0;
  for (const double v : layer.attention_left.value.values()) {
    squares += v * v / 1200;
  }
  CHECK(squares == Approx(2 * 2.0 / (1200 + 40)).epsilon(5 * std::sqrt(2.0 / 1200)));
  CHECK(layer.attention_right.name == "layers.0.attn_r");
  CHECK(layer.weight.name == "layers.0.fc.weight");
  CHECK_THROWS_AS(gp::gat_layer<double>(5, 3, {.heads = 0}, stream), gp::argument_error);
  CHECK_THROWS_WITH(gp::gat_layer<double>(5, 3, {.attention_dropout = -0.1}, stream),
                    Catch::Contains("attention") && Catch::Contains("-0.1"));
}
