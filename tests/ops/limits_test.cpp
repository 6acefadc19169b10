// SPDX-License-Identifier: MIT
// What stands exactly at a limit, or beyond what fits into one piece: the first id that is none, draws that are equal
// to a threshold, more columns than a vector or a block has.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "graphpatcher/ops/detail/message_checks.hpp"
#include "graphpatcher/ops/dropout.hpp"
#include "graphpatcher/ops/edge_softmax.hpp"
#include "graphpatcher/ops/loss.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/random_matrix.hpp"
#include "support/random_messages.hpp"

using namespace graphpatcher;
using support::largest_difference;
using support::random_matrix;

TEST_CASE("ids: the message names the first that is outside, be it the count itself", "[limits]") {
  const std::vector<std::int32_t> ids{0, 2, 3, -1, 7};
  CHECK(support::message_of<index_error>([&] { expects_ids(std::span<const std::int32_t>(ids), 3, "ids"); }) ==
        "ids: expected ids in [0, 3), got 3 at position 2");
  CHECK_NOTHROW(expects_ids(std::span<const std::int32_t>(ids).first(3), 4, "ids"));
}

TEST_CASE("dropout: a draw that is equal to the probability keeps its element", "[limits]") {
  const random_stream stream(9, purpose::dropout);
  for (const std::size_t cols : {std::size_t{4}, std::size_t{64}, std::size_t{65}}) {  // narrow rows and wide ones
    matrix<float> x(1, cols);
    x.fill(1);
    matrix<float> y(1, cols);
    const std::size_t column = cols - 1;
    const double probability = stream.bits(0, column / 4)[column % 4] * 0x1p-32;
    dropout(cpu{1}, {stream, probability}, std::span<const std::int32_t>{}, x, y.view());
    CHECK(y(0, column) > 0);
    dropout(cpu{1}, {stream, probability + 0x1p-32}, std::span<const std::int32_t>{}, x, y.view());
    CHECK(y(0, column) == 0);
  }
}

TEST_CASE("edge_softmax: rows of any number of heads keep their own largest scores", "[limits]") {
  // Neither the first score of a row nor its neighbour rows may stand for the largest.
  const std::vector<std::int32_t> offsets{0, 3, 5};
  for (const std::size_t heads : {1u, 2u, 3u, 5u, 16u, 20u}) {
    matrix<double> scores(5, heads);
    for (std::size_t h = 0; h < heads; ++h) {
      const double top = 1000 + static_cast<double>(h);
      const double column[] = {-2000, top, top - 1, 9000, 9000};
      for (std::size_t e = 0; e < 5; ++e) {
        scores(e, h) = column[e];
      }
    }
    matrix<double> alpha(5, heads);
    edge_softmax(cpu{1}, std::span<const std::int32_t>(offsets), scores, alpha.view());
    const double larger = 1 / (1 + std::exp(-1.0));
    for (std::size_t h = 0; h < heads; ++h) {
      CAPTURE(heads, h);
      CHECK(alpha(0, h) == 0);
      CHECK(alpha(1, h) == Approx(larger));
      CHECK(alpha(2, h) == Approx(1 - larger));
      CHECK(alpha(3, h) == 0.5);
      CHECK(alpha(4, h) == 0.5);
    }
  }
}

TEST_CASE("edge_softmax_adjoint: more heads than a block", "[limits]") {
  const std::vector<std::int32_t> offsets{0, 3, 5};
  const std::size_t heads = 37;
  const auto alpha = random_matrix<double>(5, heads, 1);
  const auto gradient = random_matrix<double>(5, heads, 2);
  matrix<double> result(5, heads);
  matrix<double> expected(5, heads);
  edge_softmax_adjoint(cpu{1}, std::span<const std::int32_t>(offsets), alpha, gradient, result.view());
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t row = 0; row < 2; ++row) {
      const auto begin = static_cast<std::size_t>(offsets[row]);
      const auto end = static_cast<std::size_t>(offsets[row + 1]);
      double mean = 0;
      for (std::size_t e = begin; e < end; ++e) {
        mean += alpha(e, h) * gradient(e, h);
      }
      for (std::size_t e = begin; e < end; ++e) {
        expected(e, h) = alpha(e, h) * (gradient(e, h) - mean);
      }
    }
  }
  CHECK(largest_difference(result, expected) < 1e-13);
}

TEST_CASE("spmm_adjoint: sources are scaled where receivers are not", "[limits]") {
  const auto graph = random_input::messages<std::int32_t>(30, 1);
  const auto block = graph.towards(1);
  std::vector<double> right(block.source_rows());
  for (std::size_t j = 0; j < right.size(); ++j) {
    right[j] = 0.5 + static_cast<double>(j);
  }
  const auto gradient = random_matrix<double>(block.rows(), 7, 3);
  matrix<double> result(block.source_rows(), 7);
  matrix<double> expected(block.source_rows(), 7);
  spmm_adjoint(cpu{1}, block, {.right = right}, gradient, result.view());
  for (std::size_t i = 0; i < block.rows(); ++i) {
    for (auto e = static_cast<std::size_t>(block.offsets()[i]); e < static_cast<std::size_t>(block.offsets()[i + 1]);
         ++e) {
      const auto j = static_cast<std::size_t>(block.sources()[e]);
      for (std::size_t c = 0; c < 7; ++c) {
        expected(j, c) += right[j] * gradient(i, c);
      }
    }
  }
  CHECK(largest_difference(result, expected) < 1e-11);
}

TEST_CASE("losses: more classes than a vector or a block of columns has", "[limits]") {
  const std::size_t classes = 75;
  const auto logits = random_matrix<double>(3, classes, 1);
  matrix<double> p(3, classes);
  softmax(cpu{1}, logits, p.view());

  // One target a row, without eps: the slope is p - y.
  matrix<double> y(3, classes);
  softmax(cpu{1}, random_matrix<double>(3, classes, 2), y.view());
  std::vector<double> losses(3);
  matrix<double> slopes(3, classes);
  matrix<double> expected(3, classes);
  kl_divergence(cpu{1}, y, logits, 1, 0, std::span<double>(losses), slopes.view());
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < classes; ++c) {
      expected(r, c) = p(r, c) - y(r, c);
    }
  }
  CHECK(largest_difference(slopes, expected) < 1e-14);

  // Rows 2 and 0 get their slopes, 2 · 0.5 times each; row 1 stays.
  const std::vector<std::int32_t> rows{2, 0, 2};
  auto gradient = random_matrix<double>(3, classes, 4);
  auto sums = gradient;
  add_slopes<double, std::int32_t>(cpu{3}, slopes.view(), rows, 0.5, matrix<double>{{2}}, gradient.view());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::size_t c = 0; c < classes; ++c) {
      sums(static_cast<std::size_t>(rows[k]), c) += slopes(k, c);
    }
  }
  CHECK(largest_difference(gradient, sums) < 1e-14);
}
