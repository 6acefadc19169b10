// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/evidence.hpp"

#include <catch2/catch.hpp>
#include <random>

namespace gp = graphpatcher;

namespace {

/// 43 nodes; candidate 1 knows their labels better than candidate 0.
gp::judged_answers some_answers() {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(0.05, 1);
  gp::judged_answers judged;
  for (std::size_t i = 0; i < 43; ++i) {
    judged.labels.push_back(i % 3);
  }
  for (const double push : {0.1, 0.8, 0.3}) {
    gp::matrix<double> logs(43, 3);
    for (std::size_t i = 0; i < 43; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        logs(i, c) = std::log(number(random) + (c == judged.labels[i] ? push : 0));
      }
    }
    judged.logs.push_back(logs);
  }
  return judged;
}

}  // namespace

TEST_CASE("evidence: weights are shares of the likelihoods, small ones are dropped", "[eval]") {
  const auto shares = gp::likelihood_weights(std::vector<double>{-5, std::log(3) - 5});
  CHECK(shares[0] == Approx(0.25));
  CHECK(shares[1] == Approx(0.75));
  const auto few = gp::likelihood_weights(std::vector<double>{-1000, -1020, std::log(3) - 1000});
  CHECK(few[0] == Approx(0.25));
  CHECK(few[1] == 0);  // e^-20 of it
  CHECK(few[0] + few[2] == Approx(1));
  CHECK_THROWS_AS(gp::likelihood_weights({}), gp::argument_error);
}

TEST_CASE("evidence: gains and t worked out by hand", "[eval]") {
  gp::judged_answers judged{
      {gp::matrix<double>{{std::log(0.5), std::log(0.5)}}, gp::matrix<double>{{std::log(0.9), std::log(0.1)}}}, {0}};
  const gp::answer_weights weights{{1, 1}, {}, {0.25, 0.75}};
  CHECK(gp::mixture_gain(judged, weights, 0) == Approx(std::log(0.8 / 0.5)));  // 0.25 of 0.5 and 0.75 of 0.9
  CHECK(gp::evidence(std::vector<double>{1, 2, 3}) == Approx(2 * std::sqrt(3)));
  CHECK(gp::evidence(std::vector<double>{-1, 1}) == 0);
  CHECK(gp::evidence(std::vector<double>{0, 0, 0}) == 0);
  CHECK(gp::evidence(std::vector<double>{2, 2}) == 0);
  CHECK(gp::evidence(std::vector<double>{5}) == 0);  // one number says nothing of its spread
}

TEST_CASE("evidence: each candidate has its own temperature and likelihood", "[eval]") {
  const auto judged = some_answers();
  const std::vector<std::size_t> rows{1, 4, 7, 20, 21, 42};
  const auto weights = gp::weigh_answers(gp::cpu{1}, judged, rows);
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(weights.beta[j] == Approx(gp::fit_temperature(judged.logs[j], judged.labels, rows)).epsilon(1e-10));
    double sum = 0;
    for (const std::size_t i : rows) {
      sum += gp::log_share(judged.logs[j].row(i), weights.beta[j], judged.labels[i]);
    }
    CHECK(weights.log_likelihood[j] == Approx(sum));
  }
  CHECK(gp::weigh_answers(gp::cpu{3}, judged, rows).weight == weights.weight);
}

TEST_CASE("evidence: temperatures of candidates without a chance stay rough, the others' do not", "[eval]") {
  auto judged = some_answers();
  for (double& value : judged.logs[2].values()) {
    value *= -3;  // the opposite of what it knew
  }
  std::vector<std::size_t> all(43);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto weights = gp::weigh_answers(gp::cpu{1}, judged, all);
  CHECK(weights.weight[2] == 0);
  CHECK(weights.log_likelihood[2] < weights.log_likelihood[1] - gp::far_below);
  CHECK(weights.beta[1] == Approx(gp::fit_temperature(judged.logs[1], judged.labels, all)).epsilon(1e-10));
}

TEST_CASE("evidence: cross-fitted gains know nothing of their own fold", "[eval]") {
  auto judged = some_answers();
  std::vector<std::size_t> all(43), others;
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto whole = gp::weigh_answers(gp::cpu{1}, judged, all);
  const auto gains = gp::cross_fitted_gains(gp::cpu{2}, judged, whole, 5);
  CHECK(gp::cross_fitted_gains(gp::cpu{1}, judged, whole, 5) == gains);
  for (std::size_t i = 0; i < 43; ++i) {
    if (i % 5 != 3) {
      others.push_back(i);
    }
  }
  const auto weights = gp::weigh_answers(gp::cpu{1}, judged, others);
  for (std::size_t i = 3; i < 43; i += 5) {
    CHECK(gains[i] == Approx(gp::mixture_gain(judged, weights, i)).epsilon(1e-8));
  }
  judged.labels[8] = (judged.labels[8] + 1) % 3;
  const auto changed = gp::weigh_answers(gp::cpu{1}, judged, all);
  const auto after = gp::cross_fitted_gains(gp::cpu{1}, judged, changed, 5);
  CHECK(after[13] == Approx(gains[13]).epsilon(1e-8));  // of one fold
  CHECK(std::abs(after[14] - gains[14]) > 1e-4);

  CHECK(gp::fitted_gains(judged, changed)[7] == gp::mixture_gain(judged, changed, 7));
  for (const std::size_t folds : {0, 1, 44}) {
    CHECK(gp::cross_fitted_gains(gp::cpu{1}, judged, changed, folds) == gp::fitted_gains(judged, changed));
  }
}
