// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/gradient_check.hpp"
#include "graphpatcher/autodiff/loss_functions.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using namespace random_input;

namespace {

using tape = gp::tape<double>;

gp::parameter<double> parameter_of(gp::matrix<double> value) {
  gp::parameter<double> p("p", value.rows(), value.cols());
  p.value = std::move(value);
  return p;
}

gp::matrix<double> softmax_of(const gp::matrix<double>& x) {
  gp::matrix<double> p(x.rows(), x.cols());
  gp::softmax(gp::cpu{.threads = 1}, x, p.view());
  return p;
}

}  // namespace

TEST_CASE("softmax and log_softmax: the adjoint") {
  auto x = parameter_of(values<double>(5, 7, 1));
  const auto r = values<double>(5, 7, 2);
  CHECK(gp::gradient_check(
            {&x}, [&](tape& t) { return gp::sum_all(gp::multiply(gp::softmax(t.use(x)), t.constant(r))); }) < 1e-6);
  CHECK(gp::gradient_check(
            {&x}, [&](tape& t) { return gp::sum_all(gp::multiply(gp::log_softmax(t.use(x)), t.constant(r))); }) < 1e-6);
}

TEST_CASE("cross_entropy: mean over the rows, adjoint, a row named twice") {
  auto x = parameter_of(values<double>(6, 4, 1));
  const std::vector<std::int64_t> rows{4, 0, 4, 2};
  const std::vector<std::int64_t> labels{1, 3, 0, 2};
  const auto build = [&](tape& t) { return gp::cross_entropy(t.use(x), std::span<const std::int64_t>(rows), labels); };
  CHECK(gp::gradient_check({&x}, build) < 1e-6);
  const auto p = softmax_of(x.value);
  tape t;
  CHECK(build(t).value()(0, 0) ==
        Approx(-(std::log(p(4, 1)) + std::log(p(0, 3)) + std::log(p(4, 0)) + std::log(p(2, 2))) / 4));
  CHECK_THROWS_AS(gp::cross_entropy(t.use(x), std::span<const std::int64_t>{}, {}), gp::argument_error);
}

TEST_CASE("kl_divergence: the adjoint, with and without eps, one target and several") {
  auto x = parameter_of(values<double>(4, 5, 1));
  for (const std::size_t samples : {1u, 3u}) {
    auto y = softmax_of(values<double>(4 * samples, 5, 2));
    y(1, 2) = 0;
    for (const double eps : {0.0, 1e-8, 0.05}) {
      const auto build = [&](tape& t) { return gp::kl_divergence(y, t.use(x), eps, 0.25, samples); };
      CHECK(gp::gradient_check({&x}, build) < 1e-6);
    }
  }
}

TEST_CASE("kl_divergence: the weight scales value and gradient") {
  const auto z = values<double>(3, 5, 1);
  const auto y = softmax_of(values<double>(3, 5, 2));
  tape first;
  tape second;
  const auto a = first.input(z);
  const auto b = second.input(z);
  const auto whole = gp::kl_divergence(y, a, 0.0, 1.0);
  const auto quarter = gp::kl_divergence(y, b, 0.0, 0.25);
  CHECK(quarter.value()(0, 0) == whole.value()(0, 0) / 4);
  first.backward(whole);
  second.backward(quarter);
  CHECK(a.gradient()(1, 2) != 0);
  CHECK(b.gradient()(1, 2) == a.gradient()(1, 2) / 4);
}

TEST_CASE("released_sample_loss: a value, and a gradient of rounding errors") {
  const auto z = values<double>(8, 7, 1);
  const auto targets = values<double>(80, 7, 2);
  tape t;
  tape paper;
  const auto released_input = t.input(z);
  const auto released = gp::released_sample_loss(targets, released_input, 1.0 / 8, 10);
  t.backward(released);
  const auto paper_input = paper.input(z);
  paper.backward(gp::kl_divergence(softmax_of(targets), paper_input, 0.0, 1.0 / 8, 10));
  double released_norm = 0;
  double paper_norm = 0;
  for (std::size_t i = 0; i < z.rows(); ++i) {
    for (std::size_t c = 0; c < z.cols(); ++c) {
      released_norm = std::hypot(released_norm, released_input.gradient()(i, c));
      paper_norm = std::hypot(paper_norm, paper_input.gradient()(i, c));
    }
  }
  CHECK(released.value()(0, 0) > 0.1);
  CHECK(released_norm < 1e-14);
  CHECK(paper_norm > 0.1);
}
