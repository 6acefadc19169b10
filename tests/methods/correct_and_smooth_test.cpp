// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/correct_and_smooth.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/builder.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;

namespace {

gp::dataset<double, node_id> path_of_five(std::vector<node_id> train) {
  gp::dataset<double, node_id> data;
  data.graph = gp::build_graph<node_id>(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  data.labels = {0, 0, 1, 1, 1};
  data.classes = 2;
  data.split.train = std::move(train);
  return data;
}

const gp::matrix<double> p{{0.6, 0.4}, {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}};

}  // namespace

TEST_CASE("correct and smooth: worked out by hand on a path of five nodes", "[methods]") {
  const double r = std::sqrt(0.5);
  const auto found = gp::corrected_and_smoothed(gp::cpu{1}, path_of_five({0}), p, 0.5, 0.5, 1);
  // The error of node 0 is (0.4, -0.4), sigma 0.8. Node 1 hears of it and is moved by 0.8 in the same direction.
  const double moved[] = {0.5 + 0.4, 0.5 - 0.4};
  // Then node 0 is its label, and a step of smoothing.
  const double node_1[] = {0.5 * moved[0] + 0.5 * (r * 1 + 0.5 * 0.5), 0.5 * moved[1] + 0.5 * (0 + 0.5 * 0.5)};
  CHECK(found(1, 0) == Approx(node_1[0] / (node_1[0] + node_1[1])));
  const double node_0[] = {0.5 * 1 + 0.5 * r * moved[0], 0.5 * r * moved[1]};
  CHECK(found(0, 0) == Approx(node_0[0] / (node_0[0] + node_0[1])));
  CHECK(found(4, 0) == Approx(0.5));
  for (std::size_t v = 0; v < 5; ++v) {
    CHECK(found(v, 0) + found(v, 1) == Approx(1));
  }
}

TEST_CASE("correct and smooth: without training labels it only smooths, and nobody's row is negative", "[methods]") {
  const auto blind = gp::corrected_and_smoothed(gp::cpu{1}, path_of_five({}), p, 0.5, 0.5, 1);
  const double r = std::sqrt(0.5);
  CHECK(blind(0, 0) == Approx((0.5 * 0.6 + 0.5 * r * 0.5) / (0.5 + 0.5 * r)));
  const gp::matrix<double> wrong{{0.01, 0.99}, {0.01, 0.99}, {0.9, 0.1}, {0.9, 0.1}, {0.5, 0.5}};
  const auto found = gp::corrected_and_smoothed(gp::cpu{2}, path_of_five({0, 2}), wrong, 0.1, 0.1);
  for (std::size_t v = 0; v < 5; ++v) {
    CHECK(found(v, 0) >= 0);
    CHECK(found(v, 1) >= 0);
    CHECK(found(v, 0) + found(v, 1) == Approx(1));
  }
  CHECK(found(0, 0) > found(0, 1));
  CHECK(found(2, 1) > found(2, 0));
}
