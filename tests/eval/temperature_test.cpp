// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/temperature.hpp"

#include <catch2/catch.hpp>
#include <random>

namespace gp = graphpatcher;
using id = std::int32_t;

namespace {

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    rows[i] = i;
  }
  return rows;
}

double loss(const gp::matrix<double>& logs, const std::vector<std::size_t>& labels, double beta) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    sum -= gp::log_share(logs.row(i), beta, labels[i]);
  }
  return sum;
}

}  // namespace

TEST_CASE("temperature: logarithms of the named rows, none of minus infinity", "[eval]") {
  const gp::matrix<float> p{{0.5F, 0.5F}, {1, 0}, {0.25F, 0.75F}};
  const auto logs = gp::log_probabilities<float, id>(p, std::vector<id>{2, 1});
  CHECK(logs(0, 0) == Approx(std::log(0.25)));
  CHECK(logs(1, 0) == 0);
  CHECK(logs(1, 1) == Approx(std::log(1e-12)));
}

TEST_CASE("temperature: worked out by hand", "[eval]") {
  // Four nodes of probabilities 0.9 and 0.1, three of them of the first class: best is 0.75 = 1 / (1 + 9^-beta).
  const gp::matrix<double> p{{0.9, 0.1}, {0.9, 0.1}, {0.9, 0.1}, {0.9, 0.1}};
  const auto logs = gp::log_probabilities<double, id>(p, std::vector<id>{0, 1, 2, 3});
  CHECK(gp::fit_temperature(logs, std::vector<std::size_t>{0, 0, 0, 1}, first(4)) == Approx(0.5).epsilon(1e-9));
  CHECK(gp::fit_temperature(logs, std::vector<std::size_t>{0, 0, 0, 0}, first(4)) == 40);  // always right: the sharpest
  CHECK(gp::fit_temperature(logs, std::vector<std::size_t>{1, 1, 1, 0}, first(4)) ==
        0.1);                                                                             // mostly wrong: the flattest
  CHECK(gp::fit_temperature(logs, std::vector<std::size_t>{0, 0, 0, 1}, first(0)) == 1);  // nobody was asked
  const gp::matrix<double> flat{{std::log(0.5), std::log(0.5)}};
  CHECK(gp::fit_temperature(flat, std::vector<std::size_t>{1}, first(1)) == 1);
  CHECK(gp::log_share(logs.row(0), 0.5, 0) == Approx(std::log(0.75)));
}

TEST_CASE("temperature: no number of a fine grid is better, and rows that aren't named play no part", "[eval]") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(0.01, 1);
  for (int trial = 0; trial < 20; ++trial) {
    gp::matrix<double> logs(30, 4);
    std::vector<std::size_t> labels(30);
    for (std::size_t i = 0; i < 30; ++i) {
      for (std::size_t c = 0; c < 4; ++c) {
        logs(i, c) = (trial % 5 + 1) * std::log(number(random));
      }
      const auto row = logs.row(i);
      labels[i] = i % 3 == 0 ? i % 4 : static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    }
    const double beta = gp::fit_temperature(logs, labels, first(30));
    const double best = loss(logs, labels, beta);
    for (double other = 0.1; other <= 40; other *= 1.01) {
      CHECK(best <= loss(logs, labels, other) + 1e-9);
    }
    const double of_twenty = gp::fit_temperature(logs, labels, first(20));
    labels[25] = (labels[25] + 1) % 4;
    CHECK(gp::fit_temperature(logs, labels, first(20)) == of_twenty);
  }
}

TEST_CASE("temperature: slope and curvature are those of the likelihood, by finite differences", "[eval]") {
  const gp::matrix<double> logs{{-0.2, -1.7, -3}, {-2, -0.4, -1.5}, {-1, -1.2, -0.9}};
  const std::vector<std::size_t> labels{0, 2, 1};
  for (const double beta : {0.3, 1.0, 6.0}) {
    const auto value = [&](double at) { return gp::likelihood_of(logs, labels, first(3), at).value; };
    const auto now = gp::likelihood_of(logs, labels, first(3), beta);
    CHECK(now.value == Approx(-loss(logs, labels, beta)));
    CHECK(now.slope == Approx((value(beta + 1e-5) - value(beta - 1e-5)) / 2e-5).epsilon(1e-6));
    CHECK(now.curvature == Approx(-(value(beta + 1e-3) - 2 * now.value + value(beta - 1e-3)) / 1e-6).epsilon(1e-4));
  }
  CHECK(gp::likelihood_of(logs, labels, std::vector<std::size_t>{1}, 1e6).value == Approx(std::log(1e-12)));
}

TEST_CASE("temperature: a search ends at the same place wherever it begins, with the likelihood there", "[eval]") {
  const gp::matrix<double> logs{{-0.2, -1.7, -3}, {-2, -0.4, -1.5}, {-1, -1.2, -0.9}, {-0.1, -3, -4}};
  const std::vector<std::size_t> labels{0, 2, 2, 0};
  const double beta = gp::fit_temperature(logs, labels, first(4));
  CHECK((beta > 0.1 && beta < 40));
  for (const double start : {-3.0, 0.1, 0.7, 3.0, 40.0, 1e9}) {
    const auto found = gp::search_temperature(logs, labels, first(4), {.start = start});
    CHECK(found.beta == Approx(beta).epsilon(1e-10));
    CHECK(found.log_likelihood == Approx(-loss(logs, labels, beta)).epsilon(1e-12));
  }
  const auto rough = gp::search_temperature(logs, labels, first(4), {.start = 1, .precision = 0.05});
  CHECK(rough.beta == Approx(beta).epsilon(0.05));
  CHECK(rough.log_likelihood == Approx(-loss(logs, labels, beta)).epsilon(1e-3));
}

TEST_CASE("temperature: sharpened probabilities are powers, and the same bits for any number of threads", "[eval]") {
  const gp::matrix<double> p{{0.8, 0.2}, {0.5, 0.5}, {0, 1}};
  const auto q = gp::sharpen(gp::cpu{1}, p, 2);
  CHECK(q(0, 0) == Approx(0.64 / 0.68));
  CHECK(q(1, 1) == 0.5);
  CHECK(q(2, 1) == Approx(1));
  gp::matrix<float> many(2000, 3);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many.values()[i] = static_cast<float>(i % 97 + 1) / 300;
  }
  CHECK(std::ranges::equal(gp::sharpen(gp::cpu{1}, many, 3.5).values(), gp::sharpen(gp::cpu{3}, many, 3.5).values()));
}
