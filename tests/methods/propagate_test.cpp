// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/propagate.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/builder.hpp"
#include "methods/run_support.hpp"

namespace gp = graphpatcher;
using toy::node_id;

TEST_CASE("propagate: worked out by hand on a path of five nodes", "[methods]") {
  const auto graph = gp::build_graph<node_id>(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const gp::matrix<double> p{{1, 0}, {0.5, 0.5}, {0, 1}, {0.25, 0.75}, {0.5, 0.5}};
  const auto mean = gp::propagated(gp::cpu{1}, graph, p, 0.2, 1, gp::propagation::mean);
  CHECK(mean(0, 0) == Approx(0.2 * 1 + 0.8 * (1 + 0.5) / 2));
  CHECK(mean(2, 0) == Approx(0.8 * (0.5 + 0 + 0.25) / 3));
  CHECK(mean(2, 0) + mean(2, 1) == Approx(1));
  const auto twice = gp::propagated(gp::cpu{3}, graph, p, 0.2, 2, gp::propagation::mean);
  CHECK(twice(0, 0) == Approx(0.2 * 1 + 0.8 * (mean(0, 0) + mean(1, 0)) / 2));
  const auto symmetric = gp::propagated(gp::cpu{1}, graph, p, 0.5, 1, gp::propagation::symmetric);
  CHECK(symmetric(1, 0) == Approx(0.5 * 0.5 + 0.5 * (1 / std::sqrt(2.0) + 0)));
  CHECK(symmetric(3, 0) == Approx(0.5 * 0.25 + 0.5 * (0 + 0.5 / std::sqrt(2.0))));
  const auto nothing = gp::propagated(gp::cpu{1}, gp::build_graph<node_id>(5, std::vector<gp::edge<node_id>>{}), p, 0.5,
                                      3, gp::propagation::mean);
  CHECK(nothing(1, 0) == Approx(0.5));  // nobody to hear from
}

TEST_CASE("propagate: tells its choice and leaves one answer", "[methods]") {
  const auto run = toy::run_of("propagate", toy::make<float>());
  CHECK((toy::setting_of(run, "propagate") == "no" || toy::setting_of(run, "propagate").substr(0, 6) == "alpha "));
}
