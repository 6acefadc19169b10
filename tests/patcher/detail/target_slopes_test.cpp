// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/target_slopes.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "support/random_matrix.hpp"
#include "support/slope.hpp"

namespace gp = graphpatcher;
using gp::fast::target_slopes;

namespace {

std::vector<double> softmax(std::span<const double> logits) {
  std::vector<double> p(logits.begin(), logits.end());
  double sum = 0;
  for (double& value : p) {
    value = std::exp(value);
    sum += value;
  }
  for (double& value : p) {
    value /= sum;
  }
  return p;
}

/// Divergences one by one: Σ_l w_l Σ_c (y_lc + eps) (log(y_lc + eps) - log(p_c + eps)).
double slow_divergence(std::span<const double> logits, const gp::matrix<double>& targets,
                       const std::vector<double>& shares, double eps) {
  const auto p = softmax(logits);
  double sum = 0;
  for (std::size_t l = 0; l < targets.rows(); ++l) {
    for (std::size_t c = 0; c < p.size(); ++c) {
      const double y = targets(l, c) + eps;
      sum += y > 0 ? shares[l] * y * (std::log(y) - std::log(p[c] + eps)) : 0;
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("the divergence of two classes, by hand", "[patcher][fast]") {
  const std::vector<double> logits{std::log(3.0), 0};  // p = 3/4, 1/4
  const std::vector<double> mean{0.5, 0.5};
  const double entropy = std::log(0.5);
  std::vector<double> slopes(2);
  const double found = target_slopes<double>{2, 0}.apply(logits, mean, entropy, slopes);
  // 2 (log 1/2 - 1/2 log 3/4 - 1/2 log 1/4)
  CHECK(found == Approx(2 * (std::log(0.5) - 0.5 * std::log(3.0 / 16))).epsilon(1e-14));
  CHECK(slopes[0] == Approx(2 * (0.75 - 0.5)).epsilon(1e-14));
  CHECK(slopes[1] == Approx(2 * (0.25 - 0.5)).epsilon(1e-14));
}

TEST_CASE("one divergence from the mean is the mean of those from every target", "[patcher][fast]") {
  for (const double eps : {0.0, 1e-9, 0.01}) {
    for (const std::size_t classes : {1, 2, 7}) {
      INFO(classes << " classes, eps " << eps);
      auto logits = support::random_matrix<double>(1, classes, 3);
      const std::vector<double> shares{0.5, 0.3, 0.2};
      gp::matrix<double> targets(3, classes);
      std::vector<double> mean(classes);
      double entropy = 0;
      for (std::size_t l = 0; l < 3; ++l) {
        const auto y = softmax(support::random_matrix<double>(1, classes, static_cast<unsigned>(l)).row(0));
        for (std::size_t c = 0; c < classes; ++c) {
          // one target is sure of the last class: zeros must not become NaN
          targets(l, c) = l < 2 ? y[c] : c + 1 == classes ? 1 : 0;
          mean[c] += shares[l] * targets(l, c);
          const double shifted = targets(l, c) + eps;
          entropy += shifted > 0 ? shares[l] * shifted * std::log(shifted) : 0;
        }
      }
      const auto expected = [&] { return 3 * slow_divergence(logits.row(0), targets, shares, eps); };
      std::vector<double> slopes(classes);
      const double found = target_slopes<double>{3, eps}.apply(logits.row(0), mean, entropy, slopes);
      CHECK(found == Approx(expected()).epsilon(1e-12).margin(1e-14));
      for (std::size_t c = 0; c < classes; ++c) {
        CHECK(slopes[c] == Approx(support::slope(logits(0, c), expected)).margin(support::slope_margin));
      }
    }
  }
}

TEST_CASE("logits far apart neither overflow nor lose the divergence", "[patcher][fast]") {
  const std::vector<float> logits{0, 2000};
  const std::vector<float> mean{1, 0};
  std::vector<float> slopes(2);
  CHECK(target_slopes<float>{1, 0}.apply(logits, mean, 0, slopes) == 2000);
  CHECK(slopes == std::vector<float>{-1, 1});
}
