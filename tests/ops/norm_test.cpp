// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "graphpatcher/ops/norm.hpp"
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

template <class T>
struct statistics {
  std::vector<T> mean, inverse;
  explicit statistics(std::size_t count) : mean(count), inverse(count) {}
  gp::norm_statistics<T> view() { return {mean, inverse}; }
};

}  // namespace

TEST_CASE("layer_norm: hand-computed row") {
  const gp::matrix<double> x{{1, 2, 3, 6}};  // mean 3, biased variance 14 / 4 = 3.5
  const gp::matrix<double> gain{{1, 2, 1, 1}};
  const gp::matrix<double> shift{{0, 0, 5, 0}};
  gp::matrix<double> out(1, 4);
  statistics<double> used(1);
  gp::layer_norm(one, x, gain, shift, 0.5, used.view(), out.view());
  CHECK(largest_difference(out, {{-1, -1, 5, 1.5}}) < 1e-15);
  CHECK(used.mean[0] == 3);
  CHECK(used.inverse[0] == 0.5);
}

TEMPLATE_TEST_CASE("layer_norm: rows of mean 0 and variance 1, wherever they start", "", float, double) {
  for (const std::size_t cols : {1u, 7u, 8u, 100u}) {
    auto x = values<TestType>(9, cols, 1);
    for (TestType& value : x.values()) {
      value = value * 3 + 100;
    }
    gp::matrix<TestType> gain(1, cols);
    gain.fill(1);
    const gp::matrix<TestType> shift(1, cols);
    gp::matrix<TestType> out(9, cols);
    statistics<TestType> used(9);
    gp::layer_norm(one, x, gain, shift, TestType(0.001), used.view(), out.view());
    for (std::size_t r = 0; r < 9; ++r) {
      double mean = 0;
      double square = 0;
      double expected_mean = 0;
      double variance = 0;
      for (std::size_t c = 0; c < cols; ++c) {
        expected_mean += static_cast<double>(x(r, c)) / static_cast<double>(cols);
      }
      for (std::size_t c = 0; c < cols; ++c) {
        mean += static_cast<double>(out(r, c)) / static_cast<double>(cols);
        square += std::pow(static_cast<double>(out(r, c)), 2) / static_cast<double>(cols);
        variance += std::pow(static_cast<double>(x(r, c)) - expected_mean, 2) / static_cast<double>(cols);
      }
      CHECK(mean == Approx(0).margin(std::is_same_v<TestType, float> ? 1e-4 : 1e-12));
      CHECK(square == Approx(variance / (variance + 0.001)).epsilon(1e-4).margin(1e-9));
    }
  }
}

TEST_CASE("batch_norm: batch statistics, running update, evaluation") {
  const gp::matrix<double> x{{1, 10}, {3, 10}, {8, 10}};  // column 0: mean 4, squares 26
  const gp::matrix<double> gain{{2, 3}};
  const gp::matrix<double> shift{{1, -1}};
  gp::batch_statistics<double> running(2);
  gp::matrix<double> out(3, 2);
  statistics<double> used(2);
  gp::batch_norm_training(one, x, gain, shift, running, 0.25, 1.0, used.view(), out.view());
  const double inverse = 1 / std::sqrt(26.0 / 3 + 1);
  CHECK(largest_difference(out, {{1 - 6 * inverse, -1}, {1 - 2 * inverse, -1}, {1 + 8 * inverse, -1}}) < 1e-14);
  CHECK(running.mean(0, 0) == Approx(0.25 * 4));
  CHECK(running.mean(0, 1) == Approx(0.25 * 10));
  CHECK(running.variance(0, 0) == Approx(0.75 + 0.25 * 13));  // unbiased: 26 / 2
  CHECK(running.variance(0, 1) == Approx(0.75));

  const auto before = running.mean;
  gp::batch_norm_evaluation(one, x, gain, shift, running, 0.0, used.view(), out.view());
  CHECK(same_bits(running.mean, before));
  CHECK(out(2, 0) == Approx(2 * (8 - 1) / std::sqrt(4.0) + 1));
  CHECK(out(0, 1) == Approx(3 * (10 - 2.5) / std::sqrt(0.75) - 1));
}

TEST_CASE("norms: the same bits for any number of threads, and rows on their own") {
  const std::size_t rows = 3000;
  const std::size_t cols = 83;
  const auto x = values<float>(rows, cols, 1);
  const auto gain = values<float>(1, cols, 2);
  const auto shift = values<float>(1, cols, 3);
  const auto gradient = values<float>(rows, cols, 4);
  const auto run = [&](const gp::cpu& exec) {
    std::vector<gp::matrix<float>> r;
    statistics<float> by_row(rows);
    statistics<float> by_column(cols);
    gp::batch_statistics<float> running(cols);
    gp::layer_norm(exec, x, gain, shift, 1e-5f, by_row.view(), r.emplace_back(rows, cols).view());
    gp::layer_norm_adjoint(exec, x, gain, by_row.view(), gradient, r.emplace_back(rows, cols).view());
    gp::norm_gain_adjoint(exec, gp::norm_axis::rows, x, by_row.view(), gradient, r.emplace_back(1, cols).view());
    gp::batch_norm_training(exec, x, gain, shift, running, 0.1f, 1e-5f, by_column.view(),
                            r.emplace_back(rows, cols).view());
    gp::batch_norm_adjoint(exec, true, x, gain, by_column.view(), gradient, r.emplace_back(rows, cols).view());
    gp::norm_gain_adjoint(exec, gp::norm_axis::columns, x, by_column.view(), gradient, r.emplace_back(1, cols).view());
    gp::norm_shift_adjoint(exec, gradient, r.emplace_back(1, cols).view());
    r.push_back(running.mean);
    r.push_back(running.variance);
    return r;
  };
  const auto alone = support::same_for_any_threads(run);
  gp::matrix<float> row(1, cols);
  statistics<float> used(1);
  gp::layer_norm(one, x.view().middle_rows(1234, 1235), gain, shift, 1e-5f, used.view(), row.view());
  CHECK(std::equal(row.row(0).begin(), row.row(0).end(), alone[0].row(1234).begin()));
}

TEST_CASE("norms: what does not fit is refused") {
  const gp::matrix<double> x(3, 4);
  const gp::matrix<double> gain(1, 4);
  const gp::matrix<double> wrong(1, 3);
  gp::matrix<double> out(3, 4);
  statistics<double> three(3);
  statistics<double> four(4);
  CHECK_NOTHROW(gp::layer_norm(one, x, gain, gain, 1e-5, three.view(), out.view()));
  CHECK_THROWS_AS(gp::layer_norm(one, x, wrong, gain, 1e-5, three.view(), out.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::layer_norm(one, x, gain, wrong, 1e-5, three.view(), out.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::layer_norm(one, x, gain, gain, 1e-5, four.view(), out.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::layer_norm(one, x, gain, gain, -1e-5, three.view(), out.view()), gp::argument_error);

  gp::batch_statistics<double> running(4);
  gp::batch_statistics<double> narrow(3);
  gp::batch_statistics<double> unset;
  const auto train = [&](gp::batch_statistics<double>& r, double momentum, const gp::matrix<double>& in) {
    gp::matrix<double> result(in.rows(), in.cols());
    gp::batch_norm_training(one, in, gain, gain, r, momentum, 1e-5, four.view(), result.view());
  };
  CHECK_NOTHROW(train(running, 0.1, x));
  CHECK_THROWS_AS(train(narrow, 0.1, x), gp::shape_error);
  CHECK_THROWS_AS(train(unset, 0.1, x), gp::shape_error);
  CHECK_THROWS_AS(train(running, 1.5, x), gp::argument_error);
  CHECK_THROWS_AS(train(running, 0.1, gp::matrix<double>(1, 4)), gp::shape_error);
  CHECK_THROWS_WITH(train(running, 0.1, gp::matrix<double>(1, 4)), Contains("at least 2 rows in training, got 1"));
  CHECK_THROWS_AS(gp::batch_norm_evaluation(one, x, gain, gain, narrow, 1e-5, four.view(), out.view()),
                  gp::shape_error);
}
