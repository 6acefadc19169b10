// SPDX-License-Identifier: MIT
// Layers and optimisers that are made or used in a wrong way, and the typed error they give.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <utility>

#include "graphpatcher/nn/gat.hpp"
#include "graphpatcher/nn/gcn.hpp"
#include "graphpatcher/nn/linear.hpp"
#include "graphpatcher/nn/mlp.hpp"
#include "graphpatcher/nn/optimizer.hpp"
#include "graphpatcher/nn/placement.hpp"
#include "graphpatcher/nn/sage.hpp"

namespace gp = graphpatcher;

namespace {

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
const gp::random_stream start(1, gp::purpose::initialisation);

}  // namespace

TEST_CASE("layers whose sizes wrap are refused", "[nn][misuse]") {
  CHECK_THROWS_AS(gp::gat_layer<float>(2, huge / 8 + 2, {.heads = 8}, start), gp::overflow_error);  // 8 * it is 8
  CHECK_THROWS_WITH(gp::gat_layer<float>(2, 2305843009213693953, {.heads = 8}, start),
                    "gat_layer: heads x width: 8 x 2305843009213693953 values do not fit into memory");
  CHECK_THROWS_AS(gp::gcn_layer<float>(huge / 2, 8, gp::normalisation::mean, start), gp::overflow_error);
  CHECK_THROWS_AS(gp::sage_layer<float>(huge / 2, 8, {}, start), gp::overflow_error);
  CHECK_THROWS_AS(gp::linear<float>(huge / 2, 8, {}, start), gp::overflow_error);
}

TEST_CASE("layers that were moved from refuse to compute", "[nn][misuse]") {
  gp::tape<float> t;
  const gp::matrix<float> x{{1, 2}};
  gp::linear<float> one(2, 3, {}, start);
  const auto taken = std::move(one);
  CHECK(taken.forward(t, t.constant(x)).cols() == 3);
  CHECK_THROWS_AS(one.forward(t, t.constant(x)), gp::shape_error);  // NOLINT: that is the question

  gp::mlp<float> network(std::array<std::size_t, 3>{2, 4, 3}, {}, start);
  const auto taken_network = std::move(network);
  CHECK(taken_network.forward(t, t.constant(x)).cols() == 3);
  CHECK(network.inputs() == 0);
  CHECK(network.outputs() == 0);
  CHECK(network.parameters().empty());
  CHECK_THROWS_AS(network.forward(t, t.constant(x)), gp::argument_error);
  CHECK_THROWS_WITH(network.forward(t, t.constant(x)), Catch::Contains("was it moved from?"));
}

TEST_CASE("an optimiser notices that a parameter became another", "[nn][misuse]") {
  gp::parameter<float> p("weight", 2, 3);
  gp::adam<float> optimizer({&p});
  p.open_gradient();
  CHECK_NOTHROW(optimizer.step(gp::cpu{1}));
  p.value = gp::matrix<float>(20, 30);
  p.open_gradient();
  CHECK_THROWS_AS(optimizer.step(gp::cpu{1}), gp::shape_error);
  CHECK_THROWS_AS(gp::adam<float>({nullptr}), gp::argument_error);

  gp::sgd<float> plain({&p});
  p.open_gradient();
  p.value = gp::matrix<float>(3, 4);
  CHECK_THROWS_AS(plain.step(gp::cpu{1}), gp::shape_error);
  CHECK_THROWS_WITH((p.has_gradient = true, plain.step(gp::cpu{1})), Catch::Contains("'weight'"));
}

TEST_CASE("a model in place is no temporary", "[nn][misuse]") {
  using layer = gp::linear<float>;
  STATIC_REQUIRE(std::is_constructible_v<gp::placed_model<layer>, gp::executor, const layer&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<gp::placed_model<layer>, gp::executor, layer>);
}
