// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/add_answer.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/models/gcn.hpp"

using namespace graphpatcher;

TEST_CASE("an answer of its own stands beside those with patches, by hand") {
  // Degrees 1, 3, 1, 1 and 0; the tests are 0, 1, 4, by degree 4 (0), 0 (1), 1 (3).
  dataset<double, int> data;
  data.name = "star";
  data.graph = build_graph<int>(5, {{0, 1}, {1, 2}, {1, 3}});
  data.features = sparse_from_dense<int>(matrix<double>(5, 1).view());
  data.labels = {0, 1, 0, 1, 1};
  data.classes = 2;
  data.split = {{2}, {3}, {0, 1, 4}};
  const matrix<double> wrong{{0, 1}, {1, 0}, {1, 0}}, right{{1, 0}, {0, 1}, {1, 0}};  // of 0, 1, 4
  const auto predict = [&](const std::vector<int>& nodes) {
    return std::vector{nodes.size() == 1 ? matrix<double>{{0, 1}} : wrong};
  };
  auto run = score_predictions(data, predict);
  CHECK(run.after().overall == 0);
  add_answer(data, right, run);
  CHECK(run.before().overall == 0);
  CHECK(run.after().overall == Approx(200.0 / 3));
  CHECK(run.after().low == 0);
  CHECK(run.after().high == 100);
  REQUIRE(run.by_degree.size() == 3);
  CHECK(run.by_degree[0].after == 0);
  CHECK(run.by_degree[1].after == 100);
  CHECK(run.by_degree[1].before == 0);
  CHECK(run.by_degree[2].after == 100);
  CHECK_THROWS_WITH(add_answer(data, matrix<double>(2, 2), run),
                    Catch::Contains("expected logits of 3 test nodes and 2 classes, got 2 x 2"));
}

TEST_CASE("the given number of patches for every node") {
  dataset<double, int> data;
  data.graph = build_graph<int>(3, {{0, 1}});
  data.features = sparse_from_dense<int>(matrix<double>(3, 1).view());
  data.labels = {0, 1, 0};
  data.classes = 2;
  data.split = {{0}, {1}, {2}};
  const auto predict = [](const std::vector<int>&) {  // the first is right on validation, the second on test
    return std::vector{matrix<double>{{0, 1}}, matrix<double>{{1, 0}}};
  };
  CHECK(score_predictions(data, predict).chosen == 0);
  const auto always = score_predictions(data, predict, patch_rule::always);
  CHECK(always.chosen == 1);
  CHECK(always.rule == patch_rule::always);
  CHECK(always.after().overall == 100);
  CHECK_THROWS_WITH(score_predictions(data, predict, patch_rule::weighted), Catch::Contains("list of patchers"));
}
