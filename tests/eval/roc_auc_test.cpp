// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/roc_auc.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

using namespace graphpatcher;

TEST_CASE("ROC-AUC: pairs counted by hand") {
  // Positives 0.9, 0.4; negatives 0.5, 0.4, 0.1. Pairs: 0.9 wins three; 0.4 wins one, ties one: (3 + 1.5) / 6.
  const std::vector<double> scores{0.9, 0.4, 0.5, 0.4, 0.1};
  const std::vector<bool> positive{true, true, false, false, false};
  CHECK(roc_auc(scores, positive) == Approx(75).epsilon(1e-14));
}

TEST_CASE("ROC-AUC: all pairs, compared one by one") {
  std::vector<double> scores;
  std::vector<bool> positive;
  for (unsigned i = 0; i < 60; ++i) {
    scores.push_back(static_cast<double>(i * 37 % 23));  // with ties
    positive.push_back(i * 11 % 7 < 3);
  }
  double won = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (positive[i] && !positive[j]) {
        pairs += 1;
        won += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      }
    }
  }
  CHECK(roc_auc(scores, positive) == Approx(100 * won / pairs).epsilon(1e-13));
  for (auto& score : scores) {
    score = -score;
  }
  CHECK(roc_auc(scores, positive) == Approx(100 - 100 * won / pairs).epsilon(1e-13));
}

TEST_CASE("ROC-AUC: one class alone has none, and what can't be compared is refused") {
  CHECK(std::isnan(roc_auc(std::vector{0.5, 0.25}, {true, true})));
  CHECK(std::isnan(roc_auc(std::vector{0.5, 0.25}, {false, false})));
  CHECK(std::isnan(roc_auc({}, {})));
  CHECK_THROWS_WITH(roc_auc(std::vector{0.5}, {true, false}), Catch::Contains("a score for each of 2 labels, got 1"));
  CHECK_THROWS_WITH(roc_auc(std::vector{std::numeric_limits<double>::quiet_NaN()}, {true}), Catch::Contains("NaN"));
}
