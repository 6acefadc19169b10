// SPDX-License-Identifier: MIT
#include "additions/method/votes.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/models/gcn.hpp"

TEST_CASE("a method of one's own acts on the answers that were there", "[additions]") {
  gp::dataset<double, int> data;
  data.graph = gp::build_graph<int>(4, {{0, 1}, {1, 2}});
  const gp::matrix<double> probabilities{{0.5, 0.5}, {0.9, 0.1}, {0.2, 0.8}, {0.3, 0.7}};
  const gp::some_backbone<double, int> unused = gp::gcn_backbone<double>({}, 3, 2);
  gp::method_run<double, int> run{.exec = gp::cpu{1}, .data = &data, .untrained = unused, .backbone = unused};
  run.predict = [&](std::span<const int> nodes, std::size_t) {
    gp::matrix<double> logits(nodes.size(), 2);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t c = 0; c < 2; ++c) {
        logits(i, c) = 7 + std::log(probabilities(static_cast<std::size_t>(nodes[i]), c));
      }
    }
    return std::vector{logits};
  };
  my_methods::run("votes", run);
  const auto logits = run.predict(std::vector<int>{3, 1}, 5);
  REQUIRE(logits.size() == 1);
  CHECK(std::exp(logits[0](0, 0)) == Approx(0.3));  // node 3 is alone
  CHECK(std::exp(logits[0](1, 0)) == Approx((0.9 + 0.5 + 0.2) / 3));
  CHECK(std::exp(logits[0](1, 1)) == Approx((0.1 + 0.5 + 0.8) / 3));
}

TEST_CASE("a method of one's own goes through the pipeline by its name", "[additions]") {
  const auto data = gp::make_degree_biased<float, int>({.nodes = 300, .validation = 60, .test = 100});
  const gp::gcn_config config{.hidden = 8};
  const auto result = gp::run_method<my_methods>("votes", gp::cpu{}, data, config, {.quiet = true}, 1,
                                                 {.learning_rate = 0.02, .max_epochs = 40});
  CHECK(result.by_patches.size() == 1);
  CHECK(result.by_patches[0].overall > 30);  // of 7 classes
  CHECK_THROWS_WITH(gp::run_method<my_methods>("copy", gp::cpu{}, data, config, {}, 1),
                    Catch::Contains("there are none, dropedge, votes"));
}
