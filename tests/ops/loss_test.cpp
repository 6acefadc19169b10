// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "graphpatcher/ops/loss.hpp"
#include "support/compare.hpp"
#include "support/random_messages.hpp"
#include "support/threads.hpp"

namespace gp = graphpatcher;
using namespace random_input;
using Catch::Matchers::Contains;
using support::largest_difference;
using support::same_bits;

namespace {

const gp::cpu one{.threads = 1};
const gp::cpu many{.threads = 7};

template <class T>
gp::matrix<T> probabilities(std::size_t rows, std::size_t cols, unsigned seed) {
  const auto x = values<T>(rows, cols, seed);
  gp::matrix<T> result(rows, cols);
  gp::softmax(one, x, result.view());
  return result;
}

template <class T>
struct loss_result {
  std::vector<T> losses;
  gp::matrix<T> slopes;
  loss_result(std::size_t rows, std::size_t cols) : losses(rows), slopes(rows, cols) {}
};

template <class T>
loss_result<T> kl(const gp::cpu& exec, const gp::matrix<T>& y, const gp::matrix<T>& z, std::size_t samples, T eps) {
  loss_result<T> r(z.rows(), z.cols());
  gp::kl_divergence(exec, y, z, samples, eps, std::span<T>(r.losses), r.slopes.view());
  return r;
}

}  // namespace

TEST_CASE("softmax and log_softmax: hand-computed, and stable for large logits") {
  const gp::matrix<double> x{{0, std::log(3.0)}, {1e4, 1e4 + std::log(3.0)}, {-800, 0}};
  gp::matrix<double> p(3, 2);
  gp::softmax(one, x, p.view());
  CHECK(largest_difference(p, {{0.25, 0.75}, {0.25, 0.75}, {0, 1}}) < 1e-12);
  gp::matrix<double> y(3, 2);
  gp::log_softmax(one, x, y.view());
  CHECK(largest_difference(y, {{std::log(0.25), std::log(0.75)}, {std::log(0.25), std::log(0.75)}, {-800, 0}}) < 1e-11);
}

TEST_CASE("cross_entropy: hand-computed values and slopes, rows in any order") {
  const double third = std::log(3.0);
  const gp::matrix<double> logits{{9, 9}, {0, third}, {third, 0}};
  const std::vector<int> rows{2, 1, 2};
  const std::vector<int> labels{0, 0, 1};
  loss_result<double> r(3, 2);
  gp::cross_entropy(one, logits, std::span<const int>(rows), labels, std::span<double>(r.losses), r.slopes.view());
  CHECK(r.losses[0] == Approx(-std::log(0.75)));
  CHECK(r.losses[1] == Approx(-std::log(0.25)));
  CHECK(r.losses[2] == Approx(-std::log(0.25)));
  CHECK(largest_difference(r.slopes, {{-0.25, 0.25}, {-0.75, 0.75}, {0.75, -0.75}}) < 1e-14);

  gp::matrix<double> gradient(3, 2);
  gradient.fill(1);
  gp::add_slopes<double, int>(many, r.slopes.view(), rows, 0.5, gp::matrix<double>{{4}}, gradient.view());
  CHECK(largest_difference(gradient, {{1, 1}, {-0.5, 2.5}, {2, 0}}) < 1e-14);
}

TEST_CASE("kl_divergence: the formula, with and without eps, over samples") {
  const auto z = values<double>(5, 4, 1);
  const auto y = probabilities<double>(15, 4, 2);
  gp::matrix<double> p(5, 4);
  gp::softmax(one, z, p.view());
  for (const double eps : {0.0, 1e-8, 0.1}) {
    const auto r = kl(one, y, z, 3, eps);
    for (std::size_t i = 0; i < 5; ++i) {
      double expected = 0;
      for (std::size_t l = 0; l < 3; ++l) {
        for (std::size_t c = 0; c < 4; ++c) {
          expected += (y(3 * i + l, c) + eps) * (std::log(y(3 * i + l, c) + eps) - std::log(p(i, c) + eps));
        }
      }
      CHECK(r.losses[i] == Approx(expected).epsilon(1e-13));
    }
  }
}

TEST_CASE("kl_divergence: equal distributions cost nothing, zeros and far logits stay finite") {
  const auto z = values<double>(6, 5, 3);
  gp::matrix<double> p(6, 5);
  gp::softmax(one, z, p.view());
  const auto same = kl(one, p, z, 1, 0.0);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(std::abs(same.losses[i]) < 1e-15);
    for (std::size_t c = 0; c < 5; ++c) {
      CHECK(std::abs(same.slopes(i, c)) < 1e-15);
    }
  }
  const gp::matrix<double> certain{{0, 1}};
  const gp::matrix<double> opposite{{2000, 0}};  // the probability of class 1 underflows to 0
  const auto far = kl(one, certain, opposite, 1, 0.0);
  CHECK(far.losses[0] == 2000);
  CHECK(same_bits(far.slopes, {{1, -1}}));
  const auto far_eps = kl(one, certain, opposite, 1, 1e-8);
  CHECK(std::isfinite(far_eps.losses[0]));
  CHECK(std::isfinite(far_eps.slopes(0, 0)));
}

// Rows stand in the lanes of vectors, so each of them is tried in every lane, with classes that fill none.
TEMPLATE_TEST_CASE("kl_divergence: a row has the same bits wherever it stands, and whatever stands beside it", "",
                   float, double) {
  using T = TestType;
  const std::size_t rows = 37, samples = 3;
  for (const std::size_t classes : {1, 2, 7, 17, 40}) {
    for (const T eps : {T(0), T(1e-12), std::numeric_limits<T>::denorm_min()}) {
      CAPTURE(classes, eps);
      const auto z = values<T>(rows, classes, 6);
      const auto y = probabilities<T>(rows * samples, classes, 7);
      const auto all = kl<T>(one, y, z, samples, eps);
      gp::matrix<T> wide(rows * samples, classes + 2);  // targets with something between their rows
      for (std::size_t i = 0; i < wide.rows(); ++i) {
        std::copy(y.row(i).begin(), y.row(i).end(), wide.row(i).begin());
      }
      loss_result<T> apart(rows, classes);
      gp::kl_divergence<T>(one, gp::matrix_view<const T>(wide.data(), wide.rows(), classes, wide.cols()), z, samples,
                           eps, std::span<T>(apart.losses), apart.slopes.view());
      CHECK(apart.losses == all.losses);
      CHECK(same_bits(apart.slopes, all.slopes));
      for (std::size_t first = 0; first < rows; first += 5) {
        const std::size_t last = std::min(first + 5, rows);
        loss_result<T> some(last - first, classes);
        gp::kl_divergence<T>(one, y.view().middle_rows(first * samples, last * samples),
                             z.view().middle_rows(first, last), samples, eps, std::span<T>(some.losses),
                             some.slopes.view());
        REQUIRE(std::equal(some.losses.begin(), some.losses.end(), &all.losses[first]));
        REQUIRE(std::equal(some.slopes.data(), some.slopes.data() + some.slopes.size(), &all.slopes(first, 0)));
      }
    }
  }
}

TEST_CASE("kl_divergence: what is wrong in a row is told of it, and its neighbours stay right") {
  const auto z = values<float>(20, 7, 8);
  const auto y = probabilities<float>(40, 7, 9);
  const auto right = kl(one, y, z, 2, 1e-12f);
  for (const float wrong : {-0.5f, std::numeric_limits<float>::quiet_NaN()}) {
    auto spoilt = y;
    spoilt(27, 3) = wrong;
    loss_result<float> r(20, 7);
    CHECK_THROWS_WITH(gp::kl_divergence<float>(one, spoilt, z, 2, 1e-12f, std::span<float>(r.losses), r.slopes.view()),
                      Contains("in row 27"));
    CHECK(std::isnan(r.losses[13]));
    CHECK(std::equal(&r.losses[0], &r.losses[13], &right.losses[0]));
    CHECK(std::equal(&r.losses[14], r.losses.data() + 20, &right.losses[14]));
  }
  auto lost = z;  // a logit that is no number is the trainer's to see
  lost(13, 2) = std::numeric_limits<float>::quiet_NaN();
  for (const float eps : {0.0f, 1e-12f}) {
    const auto r = kl(one, y, lost, 2, eps);
    CHECK(std::isnan(r.losses[13]));
    CHECK(std::isnan(r.slopes(13, 0)));
    CHECK(std::isfinite(r.losses[12]));
  }
}

TEST_CASE("kl_divergence: L targets pull like L times their mean") {
  const auto z = values<double>(4, 7, 4);
  const auto y = probabilities<double>(40, 7, 5);
  gp::matrix<double> p(4, 7);
  gp::softmax(one, z, p.view());
  const auto r = kl(one, y, z, 10, 0.0);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t c = 0; c < 7; ++c) {
      double sum = 0;
      for (std::size_t l = 0; l < 10; ++l) {
        sum += y(10 * i + l, c);
      }
      CHECK(r.slopes(i, c) == Approx(10 * (p(i, c) - sum / 10)).margin(1e-13));
    }
  }
}

TEST_CASE("released_sample_loss: softmax over samples, and no slope but rounding") {
  const std::size_t samples = 10;
  const auto z = values<double>(6, 7, 6);
  const auto targets = values<double>(60, 7, 7);
  loss_result<double> r(6, 7);
  gp::released_sample_loss(one, targets, z, samples, std::span<double>(r.losses), r.slopes.view());
  double norm = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    double expected = 0;
    for (std::size_t c = 0; c < 7; ++c) {
      double sum = 0;
      for (std::size_t l = 0; l < samples; ++l) {
        sum += std::exp(targets(i * samples + l, c));
      }
      for (std::size_t l = 0; l < samples; ++l) {
        const double t = std::exp(targets(i * samples + l, c)) / sum;
        expected += t * (std::log(t) + std::log(10.0));
      }
      norm += r.slopes(i, c) * r.slopes(i, c);
    }
    CHECK(r.losses[i] == Approx(expected).epsilon(1e-12));
  }
  CHECK(std::sqrt(norm) < 1e-14);
  CHECK(r.losses[0] > 0.1);  // a loss to speak of, all the same
}

TEST_CASE("losses: the same bits for any number of threads, and rows on their own") {
  const std::size_t rows = 2000;
  const auto z = values<float>(rows, 40, 1);
  const auto y = probabilities<float>(2 * rows, 40, 2);
  const auto gradient = values<float>(rows, 40, 3);
  std::vector<std::int64_t> ids(3 * rows);
  std::vector<std::int64_t> labels(3 * rows);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    ids[k] = static_cast<std::int64_t>((k * 7) % 501);
    labels[k] = static_cast<std::int64_t>(k % 40);
  }
  const auto run = [&](const gp::cpu& exec) {
    std::vector<gp::matrix<float>> r;
    gp::softmax(exec, z, r.emplace_back(rows, 40).view());
    const auto p = r.back();
    gp::softmax_adjoint(exec, p, gradient, r.emplace_back(rows, 40).view());
    gp::log_softmax(exec, z, r.emplace_back(rows, 40).view());
    const auto log_p = r.back();
    gp::log_softmax_adjoint(exec, log_p, gradient, r.emplace_back(rows, 40).view());
    r.push_back(kl(exec, y, z, 2, 1e-8f).slopes);
    loss_result<float> entropy(ids.size(), 40);
    gp::cross_entropy(exec, z, std::span<const std::int64_t>(ids), labels, std::span<float>(entropy.losses),
                      entropy.slopes.view());
    gp::add_slopes<float, std::int64_t>(exec, entropy.slopes.view(), ids, 0.3f, gp::matrix<float>{{1}},
                                        r.emplace_back(rows, 40).view());
    loss_result<float> released(rows, 40);
    gp::released_sample_loss(exec, y, z, 2, std::span<float>(released.losses), released.slopes.view());
    r.push_back(released.slopes);
    return r;
  };
  const auto alone = support::same_for_any_threads(run);
  gp::matrix<float> row(1, 40);
  gp::softmax(one, z.view().middle_rows(777, 778), row.view());
  CHECK(std::equal(row.row(0).begin(), row.row(0).end(), alone[0].row(777).begin()));
}

TEST_CASE("losses: bad input is refused") {
  const gp::matrix<double> z(3, 4);
  const auto entropy = [&](const std::vector<int>& rows, const std::vector<int>& labels) {
    loss_result<double> r(rows.size(), 4);
    gp::cross_entropy(one, z, std::span<const int>(rows), labels, std::span<double>(r.losses), r.slopes.view());
  };
  CHECK_NOTHROW(entropy({0, 2}, {3, 0}));
  CHECK_THROWS_AS(entropy({}, {}), gp::argument_error);
  CHECK_THROWS_AS(entropy({0, 1}, {0}), gp::shape_error);
  CHECK_THROWS_AS(entropy({0, 3}, {0, 0}), gp::index_error);
  CHECK_THROWS_AS(entropy({0, 1}, {0, 4}), gp::index_error);
  CHECK_THROWS_WITH(entropy({0, 1}, {0, -1}), Contains("labels") && Contains("[0, 4), got -1"));

  auto y = probabilities<double>(6, 4, 1);
  CHECK_THROWS_AS(kl(one, y, z, 1, 0.0), gp::shape_error);
  CHECK_THROWS_AS(kl(one, y, z, 0, 0.0), gp::argument_error);
  CHECK_THROWS_AS(kl(one, y, z, 2, -1e-9), gp::argument_error);
  CHECK_NOTHROW(kl(one, y, z, 2, 0.0));
  y(5, 1) = -0.1;
  CHECK_THROWS_AS(kl(one, y, z, 2, 0.0), gp::numeric_error);
  y(5, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(kl(one, y, z, 2, 0.0), gp::numeric_error);

  loss_result<double> r(3, 4);
  const std::span<double> losses(r.losses);
  CHECK_THROWS_AS(gp::released_sample_loss(one, y, z, 3, losses, r.slopes.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::released_sample_loss(one, y, z, 0, losses, r.slopes.view()), gp::argument_error);
  CHECK_THROWS_AS(gp::released_sample_loss(one, y, z, 2, losses.first(2), r.slopes.view()), gp::shape_error);
  gp::matrix<double> wrong(3, 5);
  CHECK_THROWS_AS(gp::softmax(one, z, wrong.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::log_softmax(one, z, wrong.view()), gp::shape_error);
}
