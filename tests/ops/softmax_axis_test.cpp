// SPDX-License-Identifier: MIT
// The numbers of docs/softmax-axis.md: what a loss does whose softmax runs over the nodes instead of the classes.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "graphpatcher/ops/loss.hpp"

namespace gp = graphpatcher;
using table = gp::matrix<double>;

namespace {

table transposed(const table& x) {
  table result(x.cols(), x.rows());
  for (std::size_t v = 0; v < x.rows(); ++v) {
    for (std::size_t c = 0; c < x.cols(); ++c) {
      result(c, v) = x(v, c);
    }
  }
  return result;
}

table over_classes(const table& z) {
  table q(z.rows(), z.cols());
  gp::softmax<double>(gp::cpu{1}, z, q.view());
  return q;
}
table over_nodes(const table& z) {
  return transposed(over_classes(transposed(z)));
}

/// sum p log(p / q)
double divergence(const table& p, const table& q) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += p.values()[i] * std::log(p.values()[i] / q.values()[i]);
  }
  return sum;
}

double sum_of_column(const table& x, std::size_t c) {
  double sum = 0;
  for (std::size_t v = 0; v < x.rows(); ++v) {
    sum += x(v, c);
  }
  return sum;
}

/// As the library computes it, with the slopes.
struct right_loss {
  table losses, slopes;

  right_loss(const table& p, const table& z) : losses(z.rows(), 1), slopes(z.rows(), z.cols()) {
    gp::kl_divergence<double>(gp::cpu{1}, p, z, 1, 0.0, losses.values(), slopes.view());
  }
};

/// r sum p - p, worked out on paper; differences of the loss agree below.
table wrong_slopes(const table& p, const table& z) {
  auto slopes = over_nodes(z);
  for (std::size_t c = 0; c < z.cols(); ++c) {
    const double total = sum_of_column(p, c);
    for (std::size_t v = 0; v < z.rows(); ++v) {
      slopes(v, c) = slopes(v, c) * total - p(v, c);
    }
  }
  return slopes;
}

const double ln3 = std::log(3.0);
const table target{{3.0 / 4, 1.0 / 4}, {1.0 / 4, 3.0 / 4}};
const table predicted{{3 * ln3, 0}, {2 * ln3, ln3}};
const table some{{0.3, -1.2, 2.0}, {1.1, 0.4, -0.7}, {-0.2, 0.9, 0.1}};

void check_table(const table& got, const table& want) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    CHECK(got.values()[i] == Approx(want.values()[i]).margin(1e-15));
  }
}

/// The largest class of a node after steps of gradient descent.
template <class Slopes>
std::size_t class_after_training(std::size_t node, const Slopes& slopes) {
  table z = predicted;
  for (int step = 0; step < 200; ++step) {
    const auto now = slopes(z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      z.values()[i] -= now.values()[i];
    }
  }
  return z(node, 0) > z(node, 1) ? 0 : 1;
}

}  // namespace

TEST_CASE("softmax axis: the table of the page", "[ops]") {
  check_table(over_classes({{ln3, 0}, {0, ln3}}), target);
  check_table(over_classes(predicted), {{27.0 / 28, 1.0 / 28}, {3.0 / 4, 1.0 / 4}});
  check_table(over_nodes(predicted), target);
  const right_loss right(target, predicted);
  check_table(right.slopes, {{3.0 / 14, -3.0 / 14}, {1.0 / 2, -1.0 / 2}});
  check_table(right.losses, {{3.0 / 4 * std::log(7.0 / 9) + std::log(7.0) / 4}, {ln3 / 2}});
  CHECK(right.losses(0, 0) == Approx(0.2980).epsilon(1e-3));
  CHECK(right.losses(1, 0) == Approx(0.5493).epsilon(1e-3));
  check_table(wrong_slopes(target, predicted), {{0, 0}, {0, 0}});
  CHECK(divergence(target, over_nodes(predicted)) == Approx(0).margin(1e-15));
}

TEST_CASE("softmax axis: from there the right loss mends the class, the wrong one moves nothing", "[ops]") {
  REQUIRE(predicted(1, 0) > predicted(1, 1));  // B is called a first
  CHECK(class_after_training(1, [](const table& z) { return right_loss(target, z).slopes; }) == 1);
  CHECK(class_after_training(1, [](const table& z) { return wrong_slopes(target, z); }) == 0);
}

TEST_CASE("softmax axis: the wrong one's slopes are those of its loss", "[ops]") {
  const auto p = over_classes({{0.1, 0.7, 0.2}, {-1, 0.3, 0.8}, {0.5, 0.5, -2}});
  const auto slopes = wrong_slopes(p, some);
  for (std::size_t i = 0; i < some.size(); ++i) {
    auto up = some, down = some;
    up.values()[i] += 1e-5;
    down.values()[i] -= 1e-5;
    const double difference = (divergence(p, over_nodes(up)) - divergence(p, over_nodes(down))) / 2e-5;
    CHECK(slopes.values()[i] == Approx(difference).epsilon(1e-6).margin(1e-9));
  }
}

TEST_CASE("softmax axis: one node has no gradient at all, and a loss below zero", "[ops]") {
  const table one{{0.3, -1.2, 2.0}}, p{{0.5, 0.25, 0.25}};
  const auto shares = over_nodes(one), slopes = wrong_slopes(p, one);
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(shares(0, c) == 1);
    CHECK(slopes(0, c) == 0);
  }
  CHECK(divergence(p, over_nodes(one)) == Approx(-1.5 * std::log(2.0)));  // minus the entropy of p
  CHECK(divergence(over_nodes(p), over_nodes(one)) == 0);
  CHECK(right_loss(p, one).losses(0, 0) > 0);
}

TEST_CASE("softmax axis: copies of a node are 1/n whatever they say, and the loss grows with log n", "[ops]") {
  for (const std::size_t n : {2, 8}) {
    table z(n, 3), p(n, 3);
    for (std::size_t v = 0; v < n; ++v) {
      std::ranges::copy(some.row(0), z.row(v).begin());
      std::ranges::copy(over_classes(some).row(0), p.row(v).begin());
    }
    const auto shares = over_nodes(z);
    for (const double value : shares.values()) {
      CHECK(value == Approx(1.0 / static_cast<double>(n)));
    }
    double entropy = 0;
    for (const double share : p.row(0)) {
      entropy -= share * std::log(share);
    }
    const auto count = static_cast<double>(n);
    CHECK(divergence(p, over_nodes(z)) == Approx(count * (std::log(count) - entropy)));
    CHECK(divergence(p, over_classes(z)) == Approx(0).margin(1e-14));
  }
}

TEST_CASE("softmax axis: sums of slopes tell the two apart", "[ops]") {
  const auto p = over_classes({{0.1, 0.7, 0.2}, {-1, 0.3, 0.8}, {0.5, 0.5, -2}});
  const auto right = right_loss(p, some).slopes, wrong = wrong_slopes(p, some);
  double right_of_classes = 0, wrong_of_nodes = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(std::reduce(right.row(k).begin(), right.row(k).end()) == Approx(0).margin(1e-15));
    CHECK(sum_of_column(wrong, k) == Approx(0).margin(1e-15));
    right_of_classes += std::abs(sum_of_column(right, k));
    wrong_of_nodes += std::abs(std::reduce(wrong.row(k).begin(), wrong.row(k).end()));
  }
  CHECK(right_of_classes > 0.01);
  CHECK(wrong_of_nodes > 0.01);
}

TEST_CASE("softmax axis: a number added to a class in all nodes is not seen", "[ops]") {
  auto shifted = some;
  for (std::size_t v = 0; v < shifted.rows(); ++v) {
    shifted(v, 0) += 100;
  }
  check_table(over_nodes(shifted), over_nodes(some));
  for (std::size_t v = 0; v < shifted.rows(); ++v) {
    CHECK(over_classes(shifted)(v, 0) == Approx(1));
  }
}
