// SPDX-License-Identifier: MIT
// Sums, means and maxima over segments on a GPU, and their adjoints.
#include "graphpatcher/ops/segment_reduce.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "cuda/support/hubs.hpp"
#include "cuda/support/like_cpu.hpp"
#include "support/compare.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using namespace gp::test;
using random_input::values;

namespace {

template <class T>
std::span<T> all_of(gp::matrix<T>& m) {
  return {m.data(), m.size()};
}

/// Sum and mean over segments of given lengths, and their adjoints.
template <class T, class I>
void check_sums(const std::vector<std::size_t>& lengths, std::size_t cols, std::size_t gap) {
  INFO(lengths.size() << " segments, " << cols << " columns, gap " << gap);
  const auto graph = messages_of_degrees<I>(lengths, lengths.size(), lengths.size());
  const std::span<const I> offsets = graph.offsets;
  const std::size_t rows = graph.sources.size();
  const std::size_t segments = lengths.size();
  const std::size_t wide = cols + 2 * gap;
  enum role { x, gradient, out, x_gradient };
  const matrices<T> start{values<T>(rows, wide, 1), values<T>(segments, wide, 2), values<T>(segments, wide, 3),
                          values<T>(rows, wide, 4)};
  const double tolerance = rounding<T>(lengths.empty() ? 0 : std::ranges::max(lengths));
  for (const auto how : {gp::reduction::sum, gp::reduction::mean}) {
    check_like_cpu(start, tolerance, [&](const gp::executor& exec, matrices<T>& m) {
      gp::segment_reduce(exec, offsets, inner(m[x], gap), how, inner(m[out], gap));
      gp::segment_reduce_adjoint(exec, offsets, how, inner(m[gradient], gap), inner(m[x_gradient], gap));
    });
  }
}

/// Numbers with many ties, some infinities and NaNs.
template <class T>
gp::matrix<T> tied_values(std::size_t rows, std::size_t cols) {
  auto result = values<T>(rows, cols, 5);
  for (std::size_t i = 0; i < result.size(); ++i) {
    T& value = result.values()[i];
    value = i % 53 == 7    ? std::numeric_limits<T>::quiet_NaN()
            : i % 31 == 11 ? -std::numeric_limits<T>::infinity()
                           : std::round(value * 8);
  }
  return result;
}

/// The maximum over the sources of a block (or over rows that stand together,
/// as many as it has edges), its winners, and its adjoint.
template <class T, class I>
void check_max(const gp::message_block<I>& block, bool together, std::size_t cols, std::size_t gap) {
  INFO(block.rows() << " rows, " << cols << " columns, gap " << gap << (together ? ", together" : ""));
  const std::size_t x_rows = together ? block.edges() : block.source_rows();
  const std::size_t wide = cols + 2 * gap;
  enum role { x, gradient, out, x_gradient };
  const matrices<T> start{tied_values<T>(x_rows, wide), values<T>(block.rows(), wide, 2),
                          values<T>(block.rows(), wide, 3), values<T>(x_rows, wide, 4)};
  gp::matrix<I> expected;
  const auto change = [&](const gp::executor& exec, matrices<T>& m) {
    gp::matrix<I> winners(exec, block.rows(), cols);
    if (together) {
      gp::segment_max<T, I>(exec, block.offsets(), inner(m[x], gap), all_of(winners), inner(m[out], gap));
      gp::segment_max_adjoint<T, I>(exec, all_of(winners), inner(m[gradient], gap), inner(m[x_gradient], gap));
    } else {
      gp::segment_max(exec, block, inner(m[x], gap), all_of(winners), inner(m[out], gap));
      gp::segment_max_adjoint<T, I>(exec, block, all_of(winners), inner(m[gradient], gap), inner(m[x_gradient], gap));
    }
    if (exec.on_host()) {
      expected = winners;
    } else {
      CHECK(support::same_bits(to_host(winners), expected));
    }
  };
  // The maximum itself is copied: magnitude 0, so that nothing but the same number will do. A source may win all rows.
  auto magnitudes = absolute(start);
  std::ranges::fill(magnitudes[out].values(), T(0));
  std::ranges::fill(magnitudes[x_gradient].values(), static_cast<T>(block.rows() + 1));
  check_like_cpu(start, magnitudes, rounding<T>(block.rows() + 1), change);
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("sums and means of segments on a GPU", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const std::vector<std::size_t> mixed{3, 0, 1, 40, 0, 0, 2, 33, 17, 1};
  for (const std::size_t cols : {1, 3, 7, 32, 33, 64, 130, 256}) {
    check_sums<T, I>(mixed, cols, 0);
  }
  check_sums<T, I>(mixed, 1024, 0);
  check_sums<T, I>(mixed, 7, 1);
  check_sums<T, I>(mixed, 64, 4);
  check_sums<T, I>({0, 512, 1, 513, 768, 769, 0, 1300, 2}, 5, 0);
  check_sums<T, I>({0, 512, 1, 513, 768, 769, 0, 1300, 2}, 16, 0);
  for (const std::size_t segments : {31, 33, 129, 257}) {
    check_sums<T, I>(std::vector<std::size_t>(segments, 1), 3, 0);  // a row each
  }
  check_sums<T, I>({0, 0, 0}, 5, 0);
  check_sums<T, I>({}, 5, 0);
}

TEMPLATE_LIST_TEST_CASE("the largest of a segment on a GPU: ties, infinities and NaN", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const auto graph = random_input::messages<I>(40, 1);
  for (const std::size_t cols : {1, 3, 7, 32, 33, 64, 130, 256}) {
    check_max<T, I>(graph.all(), false, cols, 0);
    check_max<T, I>(graph.towards(1), true, cols, 0);
  }
  check_max<T, I>(graph.towards(1), false, 7, 1);
  check_max<T, I>(graph.towards(0), false, 64, 4);
  check_max<T, I>(graph.towards(0), true, 32, 2);
  check_max<T, I>(graph.towards(0), false, 1024, 0);
}

TEMPLATE_LIST_TEST_CASE("the largest of a segment on a GPU: hubs, rows around a block, none", "[cuda]", all_numbers) {
  using T = typename TestType::number;
  using I = typename TestType::index;
  const auto hubs = messages_with_hubs<I>();  // one group of lanes walks each of them
  check_max<T, I>(hubs.all(), false, 20, 0);
  check_max<T, I>(hubs.towards(0), false, 3, 0);
  check_max<T, I>(hubs.all(), true, 4, 0);
  for (const std::size_t rows : {1, 31, 33, 129, 257}) {
    const auto messages = messages_of_rows<I>(rows);
    check_max<T, I>(messages.all(), false, 5, 0);
  }
  const auto alone = messages_of_degrees<I>({0, 0, 0}, 3, 3);
  check_max<T, I>(alone.all(), false, 5, 0);
}

TEMPLATE_TEST_CASE("the largest of a segment on a GPU, by hand", "[cuda]", float, double) {
  using T = TestType;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T inf = std::numeric_limits<T>::infinity();
  const std::vector<int> offsets{0, 3, 3, 5};
  const auto x = to_gpu(gp::matrix<T>{{1, -inf, nan}, {4, -inf, 9}, {4, -inf, inf}, {-2, 5, 3}, {-1, nan, 3}});
  gp::matrix<T> out(gpu(), 3, 3);
  gp::matrix<int> winners(gpu(), 3, 3);
  gp::segment_max<T, int>(gpu(), offsets, x, all_of(winners), out.view());
  CHECK(support::same_bits(to_host(out), gp::matrix<T>{{4, -inf, nan}, {0, 0, 0}, {-1, nan, 3}}));
  CHECK(support::same_bits(to_host(winners), gp::matrix<int>{{1, 0, 0}, {-1, -1, -1}, {4, 4, 3}}));
}
