// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "graphpatcher/ops/edge_softmax.hpp"
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

}  // namespace

TEST_CASE("head_dot: hand-computed, with its adjoints") {
  const gp::matrix<double> z{{1, 2, 3, 4}, {5, 6, 7, 8}};
  const gp::matrix<double> l{{1, -1, 2, 0}};
  gp::matrix<double> out(2, 2);
  gp::head_dot(one, z, l, out.view());
  CHECK(same_bits(out, {{-1, 6}, {-1, 14}}));
  const gp::matrix<double> gradient{{1, 10}, {2, 20}};
  gp::matrix<double> z_gradient(2, 4);
  z_gradient.fill(1);
  gp::head_dot_adjoint_z(one, l, gradient, z_gradient.view());
  CHECK(same_bits(z_gradient, {{2, 0, 21, 1}, {3, -1, 41, 1}}));
  gp::matrix<double> l_gradient(1, 4);
  l_gradient.fill(1);
  gp::head_dot_adjoint_l(one, z, gradient, l_gradient.view());
  CHECK(same_bits(l_gradient, {{12, 15, 171, 201}}));
}

TEMPLATE_TEST_CASE("edge scores and softmax: the same as obvious loops", "", std::int32_t, std::int64_t) {
  const auto graph = messages<TestType>(70, 1);
  for (const auto& block : blocks(graph)) {
    const std::size_t heads = 3;
    const auto el = values<double>(block.source_rows() + 1, heads, 2);
    const auto er = values<double>(block.source_rows(), heads, 3);
    const auto rows = edge_rows(block);
    gp::matrix<double> scores(block.edges(), heads);
    gp::edge_scores(one, block, el, er, 0.2, scores.view());
    gp::matrix<double> alpha(block.edges(), heads);
    gp::edge_softmax(one, block.offsets(), scores, alpha.view());
    const auto gradient = values<double>(block.edges(), heads, 4);
    gp::matrix<double> scores_gradient(block.edges(), heads);
    gp::edge_softmax_adjoint(one, block.offsets(), alpha, gradient, scores_gradient.view());
    gp::matrix<double> el_gradient(el.rows(), heads);
    gp::edge_scores_adjoint_sources(one, block, scores, 0.2, gradient, el_gradient.view());
    gp::matrix<double> er_gradient(er.rows(), heads);
    gp::edge_scores_adjoint_rows(one, block, scores, 0.2, gradient, er_gradient.view());

    gp::matrix<double> sum(block.rows(), heads);
    gp::matrix<double> mean(block.rows(), heads);
    gp::matrix<double> expected_scores(block.edges(), heads);
    gp::matrix<double> expected_el(el.rows(), heads);
    gp::matrix<double> expected_er(er.rows(), heads);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const auto j = static_cast<std::size_t>(block.sources()[e]);
      for (std::size_t h = 0; h < heads; ++h) {
        const double s = el(j, h) + er(rows[e], h);
        expected_scores(e, h) = s > 0 ? s : 0.2 * s;
        sum(rows[e], h) += std::exp(expected_scores(e, h));
        expected_el(j, h) += gradient(e, h) * (s > 0 ? 1 : 0.2);
        expected_er(rows[e], h) += gradient(e, h) * (s > 0 ? 1 : 0.2);
      }
    }
    gp::matrix<double> expected_alpha(block.edges(), heads);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      for (std::size_t h = 0; h < heads; ++h) {
        expected_alpha(e, h) = std::exp(expected_scores(e, h)) / sum(rows[e], h);
        mean(rows[e], h) += expected_alpha(e, h) * gradient(e, h);
      }
    }
    gp::matrix<double> expected_gradient(block.edges(), heads);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      for (std::size_t h = 0; h < heads; ++h) {
        expected_gradient(e, h) = expected_alpha(e, h) * (gradient(e, h) - mean(rows[e], h));
      }
    }
    CHECK(same_bits(scores, expected_scores));
    CHECK(largest_difference(alpha, expected_alpha) < 1e-14);
    CHECK(largest_difference(scores_gradient, expected_gradient) < 1e-14);
    CHECK(largest_difference(el_gradient, expected_el) < 1e-12);
    CHECK(largest_difference(er_gradient, expected_er) < 1e-12);
  }
}

TEST_CASE("edge_softmax: large scores do not overflow") {
  const std::vector<int> offsets{0, 2, 2, 3};
  const gp::matrix<float> scores{{1000}, {999}, {-1000}};
  gp::matrix<float> alpha(3, 1);
  gp::edge_softmax(one, std::span<const int>(offsets), scores, alpha.view());
  CHECK(alpha(0, 0) == Approx(1 / (1 + std::exp(-1.0))));
  CHECK(alpha(1, 0) == Approx(std::exp(-1.0) / (1 + std::exp(-1.0))));
  CHECK(alpha(2, 0) == 1.0f);
}

// Rows are computed together, and only where a score is far from 0 something is subtracted: a row must not notice what
// stands beside it. Empty rows, rows of a few edges and one that is longer than what is taken at once.
TEMPLATE_TEST_CASE("edge_softmax: right for far and near scores, and the same bits for a row alone", "", float,
                   double) {
  using T = TestType;
  std::vector<int> offsets{0};
  for (const int edges : {1, 2, 0, 5, 1, 17, 3, 33, 0, 1300, 4, 64, 1, 7, 15, 16}) {
    offsets.push_back(offsets.back() + edges);
  }
  const auto count = static_cast<std::size_t>(offsets.back());
  const T infinity = std::numeric_limits<T>::infinity();
  for (const std::size_t heads : {1, 2, 3, 4, 8, 16, 20}) {
    for (const T far : {T(0), T(31), T(33), T(-33), T(300), -infinity}) {
      CAPTURE(heads, far);
      auto scores = values<T>(count, heads, 11);
      for (std::size_t e = 3; e < count && far != 0; e += 97) {
        scores(e, e % heads) = far;
      }
      gp::matrix<T> alpha(count, heads);
      gp::edge_softmax(one, std::span<const int>(offsets), scores, alpha.view());
      for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const auto begin = static_cast<std::size_t>(offsets[i]);
        const auto end = static_cast<std::size_t>(offsets[i + 1]);
        const std::vector<int> alone{0, offsets[i + 1] - offsets[i]};
        gp::matrix<T> own(end - begin, heads);
        gp::edge_softmax<T>(one, std::span<const int>(alone), scores.view().middle_rows(begin, end), own.view());
        REQUIRE((begin == end || std::memcmp(own.data(), &alpha(begin, 0), own.size() * sizeof(T)) == 0));
        for (std::size_t h = 0; h < heads; ++h) {
          long double most = -infinity, sum = 0;
          for (std::size_t e = begin; e < end; ++e) {
            most = std::max<long double>(most, scores(e, h));
          }
          for (std::size_t e = begin; e < end; ++e) {
            sum += std::exp(scores(e, h) - most);
          }
          for (std::size_t e = begin; e < end && most > -infinity; ++e) {
            const auto below = std::min<long double>(most - scores(e, h), 1000);
            const auto want = static_cast<double>(std::exp(scores(e, h) - most) / sum);
            // an exponential, a sum of rounded terms, a quotient; a difference that is rounded counts as often as it is
            // large
            const double tolerance = std::numeric_limits<T>::epsilon() * static_cast<double>(8 + (end - begin) + below);
            REQUIRE(std::abs(static_cast<double>(alpha(e, h)) - want) <= tolerance * want + 1e-37);
          }
        }
      }
    }
  }
}

TEST_CASE("attention: the same bits for any number of threads") {
  const auto graph = messages<std::int32_t>(4000, 5);
  const auto block = graph.towards(1);
  const std::size_t heads = 4;
  const auto z = values<float>(4000, heads * 17, 1);
  const auto l = values<float>(1, heads * 17, 2);
  const auto edge_gradient = values<float>(block.edges(), heads, 3);
  const auto run = [&](const gp::cpu& exec) {
    std::vector<gp::matrix<float>> r;
    gp::head_dot(exec, z, l, r.emplace_back(4000, heads).view());
    const auto el = r.back();
    gp::head_dot_adjoint_z(exec, l, el, r.emplace_back(4000, heads * 17).view());
    gp::head_dot_adjoint_l(exec, z, el, r.emplace_back(1, heads * 17).view());
    gp::edge_scores(exec, block, el, el, 0.2f, r.emplace_back(block.edges(), heads).view());
    const auto scores = r.back();
    gp::edge_softmax(exec, block.offsets(), scores, r.emplace_back(block.edges(), heads).view());
    const auto alpha = r.back();
    gp::edge_softmax_adjoint(exec, block.offsets(), alpha, edge_gradient, r.emplace_back(block.edges(), heads).view());
    gp::edge_scores_adjoint_sources(exec, block, scores, 0.2f, edge_gradient, r.emplace_back(4000, heads).view());
    gp::edge_scores_adjoint_rows(exec, block, scores, 0.2f, edge_gradient, r.emplace_back(4000, heads).view());
    return r;
  };
  support::same_for_any_threads(run);
}

TEST_CASE("attention: what does not fit is refused") {
  const auto graph = messages<std::int32_t>(20, 6);
  const auto block = graph.towards(0);
  const gp::matrix<double> z(5, 6);
  const gp::matrix<double> l(1, 6);
  gp::matrix<double> out(5, 4);
  CHECK_THROWS_WITH(gp::head_dot(one, z, l, out.view()), Contains("6 columns do not split into 4"));
  gp::matrix<double> none(5, 0);
  CHECK_THROWS_AS(gp::head_dot(one, z, l, none.view()), gp::shape_error);
  gp::matrix<double> two(5, 2);
  CHECK_THROWS_AS(gp::head_dot(one, z, gp::matrix<double>(2, 6), two.view()), gp::shape_error);

  const gp::matrix<double> el(block.source_rows(), 2);
  const gp::matrix<double> er(block.rows(), 2);
  gp::matrix<double> scores(block.edges(), 2);
  gp::matrix<double> short_scores(block.edges() - 1, 2);
  CHECK_NOTHROW(gp::edge_scores(one, block, el, er, 0.2, scores.view()));
  CHECK_THROWS_AS(gp::edge_scores(one, block, er, er, 0.2, scores.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::edge_scores(one, block, el, gp::matrix<double>(4, 3), 0.2, scores.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::edge_scores(one, block, el, er, 0.2, short_scores.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::edge_scores(one, block, el, er, -0.1, scores.view()), gp::argument_error);
  CHECK_THROWS_AS(gp::edge_softmax(one, block.offsets(), short_scores, short_scores.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::edge_softmax(one, std::span<const int>{}, scores, scores.view()), gp::shape_error);
  CHECK_THROWS_AS(gp::edge_softmax_adjoint(one, block.offsets(), scores, short_scores, scores.view()), gp::shape_error);
}
