// SPDX-License-Identifier: MIT
#include "experiments/run/scores.hpp"

#include <catch2/catch.hpp>

#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

gp::node_answer answer(std::size_t degree, std::int64_t node, bool right, double confidence = 0.5) {
  return {.degree = degree,
          .node = node,
          .right = right,
          .confidence = confidence,
          .log_likelihood = std::log(right ? confidence : 0.25)};
}

}  // namespace

TEST_CASE("a group's scores are those worked out by hand", "[experiments]") {
  // Bins of a tenth. In [0.9, 1]: trust 0.95 + 0.91 = 1.86, 1 right; in [0.6, 0.7): trust 0.65, 1 right.
  const std::vector<gp::node_answer> answers{
      {.degree = 1, .node = 0, .right = true, .confidence = 0.95, .log_likelihood = std::log(0.95)},
      {.degree = 1, .node = 1, .right = false, .confidence = 0.91, .log_likelihood = std::log(0.04)},
      {.degree = 1, .node = 2, .right = true, .confidence = 0.65, .log_likelihood = std::log(0.65)}};
  const auto score = gp::score_group(answers);
  CHECK(score.accuracy == Approx(200.0 / 3));
  CHECK(score.log_likelihood == Approx((std::log(0.95) + std::log(0.04) + std::log(0.65)) / 3));
  CHECK(score.calibration == Approx(100 * ((1.86 - 1) + (1 - 0.65)) / 3));
  CHECK(std::isnan(gp::score_group({}).accuracy));
  CHECK(std::isnan(score.roc_auc));  // three classes, or more
}

TEST_CASE("a prediction that is sure of everything falls into the last bin", "[experiments]") {
  const std::vector<gp::node_answer> sure{{.degree = 1, .right = true, .confidence = 1.0}};
  CHECK(gp::score_group(sure).calibration == 0);
}

TEST_CASE("thirds are by degree, then by node; ties may be shared out", "[experiments]") {
  // Degrees 1 1 1 1 2 3: low = the two lowest ids of degree 1, high = degrees 2 and 3.
  std::vector<gp::node_answer> answers{answer(3, 0, true), answer(1, 4, false), answer(1, 2, true),
                                       answer(1, 1, true), answer(1, 3, false), answer(2, 5, false)};
  const auto score = gp::score_nodes(answers);
  CHECK(score.low.accuracy == 100);
  CHECK(score.high.accuracy == 50);
  CHECK(score.overall.accuracy == 50);
  CHECK(score.fractional_low == 50);  // of the four nodes of degree 1 half are right
  CHECK(score.fractional_high == 50);
}

TEST_CASE("scores by degree name every interval that has nodes", "[experiments]") {
  const std::vector<gp::node_answer> before{answer(0, 0, false), answer(4, 1, true), answer(5, 2, false),
                                            answer(99, 3, true)};
  const std::vector<gp::node_answer> after{answer(0, 0, true), answer(4, 1, true), answer(5, 2, true),
                                           answer(99, 3, false)};
  const auto rows = gp::score_degrees(before, after);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].degrees == "0");
  CHECK(rows[0].before.accuracy == 0);
  CHECK(rows[0].after.accuracy == 100);
  CHECK(rows[1].degrees == "4-5");
  CHECK(rows[1].nodes == 2);
  CHECK(rows[1].before.accuracy == 50);
  CHECK(rows[2].degrees == "31+");
  CHECK(rows[2].after.accuracy == 0);
}

TEST_CASE("of two classes a group has ROC-AUC", "[experiments]") {
  auto data = toy::make<float>(9, 12);
  data.labels = {0, 1, 1, 0, 0, 1, 0, 1, 0};
  data.classes = 2;
  gp::matrix<float> p(4, 2);
  std::ranges::copy(std::vector{0.4F, 0.6F, 0.7F, 0.3F, 0.6F, 0.4F, 0.9F, 0.1F}, p.values().begin());
  // Of class 1: nodes 1 and 2 with 0.3 and 0.4; others: 0 with 0.6, 3 with 0.1. Of four pairs two are won.
  const auto answers = gp::judge_nodes(data, std::vector<node_id>{0, 1, 2, 3}, p);
  CHECK(gp::score_group(answers).roc_auc == Approx(50));
  CHECK(gp::score_group(answers).accuracy == 25);
}

TEST_CASE("nodes are judged by their own row", "[experiments]") {
  auto data = toy::make<float>(9, 12);
  data.labels = {0, 1, 2, 0, 1, 2, 0, 1, -1};
  const std::vector<node_id> nodes{4, 2};
  gp::matrix<float> p(2, 3);
  std::ranges::copy(std::vector{0.2F, 0.7F, 0.1F, 0.5F, 0.5F, 0.0F}, p.values().begin());
  const auto answers = gp::judge_nodes(data, nodes, p);
  CHECK(answers[0].right);
  CHECK(answers[0].confidence == double{0.7F});
  CHECK(answers[0].log_likelihood == Approx(std::log(0.7)));
  CHECK(answers[0].degree == data.graph.degree(4));
  CHECK(!answers[1].right);
  CHECK(answers[1].log_likelihood == Approx(std::log(1e-12)));  // finite, though the label got nothing
  const std::vector<node_id> unknown{8, 0};
  CHECK_THROWS_AS((gp::judge_nodes(data, unknown, p)), gp::index_error);
  CHECK_THROWS_AS((gp::judge_nodes(data, std::vector<node_id>{1}, p)), gp::shape_error);
}
