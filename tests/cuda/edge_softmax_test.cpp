// SPDX-License-Identifier: MIT
// Attention over edges on a GPU: head products, scores, softmax, and their adjoints.
#include "graphpatcher/ops/edge_softmax.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "cuda/support/hubs.hpp"
#include "cuda/support/like_cpu.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using namespace gp::test;
using random_input::values;

namespace {

/// head_dot and its adjoints for `rows` rows of `heads` heads of `width` channels.
template <class T>
void check_head_dot(std::size_t rows, std::size_t heads, std::size_t width, std::size_t gap) {
  INFO(rows << " rows, " << heads << " heads of " << width << " channels, gap " << gap);
  const std::size_t cols = heads * width + 2 * gap;
  enum role { z, l, gradient, out, z_gradient, l_gradient };
  const matrices<T> start{values<T>(rows, cols, 1),      values<T>(1, cols, 2),    values<T>(rows, heads + 2, 3),
                          values<T>(rows, heads + 2, 4), values<T>(rows, cols, 5), values<T>(1, cols, 6)};
  check_like_cpu(start, rounding<T>(std::max(rows, width)), [&](const gp::executor& exec, matrices<T>& m) {
    gp::head_dot(exec, inner(m[z], gap), inner(m[l], gap), inner(m[out], 1));
    gp::head_dot_adjoint_z(exec, inner(m[l], gap), inner(m[gradient], 1), inner(m[z_gradient], gap));
    gp::head_dot_adjoint_l(exec, inner(m[z], gap), inner(m[gradient], 1), inner(m[l_gradient], gap));
  });
}

/// edge_scores and its adjoints.
template <class T, class I>
void check_scores(const gp::message_block<I>& block, std::size_t heads, std::size_t gap) {
  INFO(block.rows() << " rows, " << heads << " heads, gap " << gap);
  const std::size_t cols = heads + 2 * gap;
  const T slope = T(0.2);
  enum role { el, er, gradient, scores, out, el_gradient, er_gradient };
  const matrices<T> start{values<T>(block.source_rows(), cols, 1), values<T>(block.rows(), cols, 2),
                          values<T>(block.edges(), cols, 3),       values<T>(block.edges(), cols, 4),
                          values<T>(block.edges(), cols, 5),       values<T>(block.source_rows(), cols, 6),
                          values<T>(block.rows(), cols, 7)};
  check_like_cpu(start, rounding<T>(longest_sum(block.graph())), [&](const gp::executor& exec, matrices<T>& m) {
    gp::edge_scores(exec, block, inner(m[el], gap), inner(m[er], gap), slope, inner(m[out], gap));
    gp::edge_scores_adjoint_rows(exec, block, inner(m[scores], gap), slope, inner(m[gradient], gap),
                                 inner(m[er_gradient], gap));
    gp::edge_scores_adjoint_sources(exec, block, inner(m[scores], gap), slope, inner(m[gradient], gap),
                                    inner(m[el_gradient], gap));
  });
}

/// edge_softmax and its adjoint. Scores reach 30, so that most of a row's
/// exponentials are small beside its largest.
template <class T, class I>
void check_softmax(const gp::message_block<I>& block, std::size_t heads, std::size_t gap) {
  INFO(block.rows() << " rows, " << heads << " heads, gap " << gap);
  const std::size_t cols = heads + 2 * gap;
  enum role { scores, gradient, out, scores_gradient };
  matrices<T> start{values<T>(block.edges(), cols, 1), values<T>(block.edges(), cols, 2),
                    values<T>(block.edges(), cols, 3), values<T>(block.edges(), cols, 4)};
  for (T& score : start[scores].values()) {
    score *= 30;
  }
  const auto softmax = [&](const gp::executor& exec, matrices<T>& m) {
    gp::edge_softmax(exec, block, inner(m[scores], gap), inner(m[out], gap));
  };
  // α is a quotient of positive numbers: relative to itself it is off by the roundings of its sum, by two or three more
  // of each exponential, and by that of its exponent: score - largest, up to 60, is rounded to 16 epsilons here, and
  // not there, where scores are taken as they are.
  start = changed(gp::cpu{1}, start, softmax);
  const double tolerance = rounding<T>(longest_sum(block.graph()) + 4 + 16);
  check_like_cpu(start, absolute(start), tolerance, softmax);
  // |α · (gradient - Σ α · gradient)| <= 2 α for gradients in [-1, 1]; what was there before is added
  auto magnitudes = absolute(start);
  for (std::size_t i = 0; i < magnitudes[scores_gradient].size(); ++i) {
    magnitudes[scores_gradient].values()[i] += 2 * magnitudes[out].values()[i];
  }
  check_like_cpu(start, magnitudes, tolerance, [&](const gp::executor& exec, matrices<T>& m) {
    gp::edge_softmax_adjoint(exec, block, inner(m[out], gap), inner(m[gradient], gap), inner(m[scores_gradient], gap));
  });
}

}  // namespace

TEMPLATE_TEST_CASE("products with heads on a GPU", "[cuda]", float, double) {
  using T = TestType;
  using shape = std::array<std::size_t, 4>;  // rows, heads, channels of a head, columns beside those
  for (const auto& [rows, heads, width, gap] :
       {shape{0, 2, 3, 0}, shape{1, 1, 1, 0}, shape{33, 1, 7, 1}, shape{31, 3, 5, 0}, shape{70, 8, 8, 0},
        shape{40, 8, 32, 4}, shape{20, 40, 3, 0}, shape{9, 1, 130, 0}, shape{5, 1, 1024, 0}, shape{300, 2, 1, 0},
        shape{20, 4, 33, 2}, shape{1200, 2, 4, 0}}) {
    check_head_dot<T>(rows, heads, width, gap);
  }
}

TEMPLATE_LIST_TEST_CASE("edge scores on a GPU", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const auto graph = random_input::messages<I>(40, 1);
  for (const std::size_t heads : {1, 3, 7, 8, 32, 33, 64, 130}) {
    for (const auto& block : random_input::blocks(graph)) {
      check_scores<T>(block, heads, heads % 3);
    }
  }
  const auto hubs = messages_with_hubs<I>();
  check_scores<T>(hubs.all(), 1, 0);
  check_scores<T>(hubs.towards(1), 8, 0);
  check_scores<T>(hubs.towards(0), 3, 1);
}

TEMPLATE_LIST_TEST_CASE("softmax over edges on a GPU", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const auto graph = random_input::messages<I>(40, 1);
  for (const std::size_t heads : {1, 3, 7, 8, 32, 33, 64, 130}) {
    for (const auto& block : random_input::blocks(graph)) {
      check_softmax<T>(block, heads, heads % 3);
    }
  }
  const auto hubs = messages_with_hubs<I>();
  check_softmax<T>(hubs.all(), 1, 0);
  check_softmax<T>(hubs.towards(1), 8, 0);
  check_softmax<T>(hubs.towards(0), 3, 1);
}

TEMPLATE_TEST_CASE("attention over edges on a GPU: rows around a warp and a block, and none", "[cuda]", float, double) {
  for (const std::size_t rows : {0, 1, 31, 33, 129, 257}) {
    const auto graph = messages_of_rows<int>(rows);
    check_scores<TestType>(graph.all(), 4, 0);
    check_softmax<TestType>(graph.all(), 1, 0);
  }
  const auto no_edges = messages_of_degrees<int>({0, 0, 0}, 3, 3);
  check_scores<TestType>(no_edges.all(), 4, 0);
  check_softmax<TestType>(no_edges.all(), 4, 0);
}

TEMPLATE_TEST_CASE("softmax over edges on a GPU: ties, infinities and NaN", "[cuda]", float, double) {
  using T = TestType;
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T huge = std::numeric_limits<T>::max();
  // rows: two ties; one masked out; all masked out; a NaN; none; an infinity; far apart; a single edge
  const std::vector<int> offsets{0, 2, 5, 7, 9, 9, 11, 13, 14};
  const auto scores = to_gpu(
      gp::matrix<T>{{5}, {5}, {-1}, {-inf}, {-1}, {-inf}, {-inf}, {1}, {nan}, {inf}, {2}, {huge}, {-huge}, {-7}});
  const gp::matrix<T> expected{{0.5}, {0.5}, {0.5}, {0},   {0.5}, {nan}, {nan},
                               {nan}, {nan}, {nan}, {nan}, {1},   {0},   {1}};
  for_each_schedule([&] {
    gp::matrix<T> alpha(gpu(), 14, 1);
    gp::edge_softmax<T, int>(gpu(), offsets, scores, alpha.view());
    CHECK(relative_error(to_host(alpha), expected, expected) == 0);
  });
}

TEST_CASE("softmax over edges on a GPU: a hub with a NaN and masked edges", "[cuda]") {
  const std::size_t edges = 1300;
  const std::vector<int> offsets{0, static_cast<int>(edges)};
  gp::matrix<float> scores(edges, 2);
  scores.fill(-std::numeric_limits<float>::infinity());
  scores(700, 0) = scores(1299, 0) = 3;
  scores(9, 1) = std::numeric_limits<float>::quiet_NaN();
  gp::matrix<float> alpha(gpu(), edges, 2);
  gp::edge_softmax<float, int>(gpu(), offsets, to_gpu(scores), alpha.view());
  const auto got = to_host(alpha);
  for (std::size_t e = 0; e < edges; ++e) {
    CHECK(got(e, 0) == (e == 700 || e == 1299 ? 0.5f : 0.0f));
    CHECK(std::isnan(got(e, 1)));
  }
}
