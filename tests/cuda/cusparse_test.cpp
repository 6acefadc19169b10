// SPDX-License-Identifier: MIT
// cuSPARSE's product with a graph, which spmm() is compared with.
#include <catch2/catch.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "cuda/support/twin.hpp"
#include "graphpatcher/cuda/cusparse.hpp"

namespace gp = graphpatcher;
using gp::test::gpu;
using gp::test::layouts;
using gp::test::margins;
using gp::test::positive;
using gp::test::rounding;
using gp::test::twin;
using node_id = std::int32_t;

namespace {

/// Edges by row, host memory.
struct edge_list {
  std::vector<node_id> offsets;
  std::vector<node_id> sources;
};

/// Rows without edges, with one, with the same edge several times, and a hub of
/// `hub` edges.
edge_list edges_of(std::size_t rows, std::size_t source_rows, std::size_t hub) {
  edge_list result{{0}, {}};
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t count = r == 2 ? hub : r % 4;
    for (std::size_t e = 0; e < count; ++e) {
      result.sources.push_back(static_cast<node_id>((r + e / 2) * 5 % source_rows));
    }
    result.offsets.push_back(static_cast<node_id>(result.sources.size()));
  }
  return result;
}

/// out(i, :) = Σ_e values[e] x(sources[e], :), edge by edge.
template <class T>
void slow_product(const edge_list& edges, std::span<const T> values, gp::matrix_view<const T> x,
                  gp::matrix_view<T> out) {
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t c = 0; c < out.cols(); ++c) {
      double sum = 0;
      for (auto e = static_cast<std::size_t>(edges.offsets[i]); e < static_cast<std::size_t>(edges.offsets[i + 1]);
           ++e) {
        sum += static_cast<double>(values[e]) * static_cast<double>(x(static_cast<std::size_t>(edges.sources[e]), c));
      }
      out(i, c) = static_cast<T>(sum);
    }
  }
}

template <class T>
void check_product(const edge_list& edges, std::size_t source_rows, std::size_t cols, margins around) {
  const std::size_t rows = edges.offsets.size() - 1;
  const gp::executor host(gp::cpu{1});
  twin<T> values(positive<T>(1, edges.sources.size(), 1)), x(positive<T>(source_rows, cols, 2), around);
  twin<T> out(rows, cols, 3, {0, around.right});
  slow_product<T>(edges, values.row_on(host), x.on(host), out.on(host));
  const gp::backend::device_array<node_id> offsets(gpu(), edges.offsets);
  const gp::backend::device_array<node_id> sources(gpu(), edges.sources);
  const gp::edge_view<node_id> there{offsets, sources, source_rows};
  gp::backend::cusparse_spmm<T, node_id>(gpu(), there, values.row_on(gpu()), x.on(gpu()), out.on(gpu()));
  INFO(out.shape() << ", " << edges.sources.size() << " edges");
  CHECK(out.difference() <= rounding<T>(300));  // the hub's sum, of as many positive terms
}

}  // namespace

TEMPLATE_TEST_CASE("cuSPARSE on a GPU: weighted sums over edges", "[cuda]", float, double) {
  for (const margins around : layouts) {
    for (const std::size_t cols : {1, 3, 32, 33, 130}) {
      check_product<TestType>(edges_of(40, 25, 300), 25, cols, around);
    }
    check_product<TestType>(edges_of(1, 1, 0), 1, 5, around);
    check_product<TestType>(edges_of(300, 7, 33), 7, 4, around);
  }
}

TEMPLATE_TEST_CASE("cuSPARSE on a GPU: without edges, rows or columns", "[cuda]", float, double) {
  for (const margins around : layouts) {
    check_product<TestType>({{0, 0, 0, 0}, {}}, 5, 7, around);  // sums of nothing are 0
    check_product<TestType>({{0}, {}}, 5, 7, around);
    check_product<TestType>(edges_of(4, 5, 2), 5, 0, around);
  }
}

TEST_CASE("cuSPARSE on a GPU: what does not fit is refused", "[cuda]") {
  const edge_list edges = edges_of(4, 5, 2);
  const gp::backend::device_array<node_id> offsets(gpu(), edges.offsets);
  const gp::backend::device_array<node_id> sources(gpu(), edges.sources);
  const gp::edge_view<node_id> there{offsets, sources, 5};
  twin<float> values(1, edges.sources.size(), 1), x(5, 3, 2), out(4, 3, 3), narrow(4, 2, 4);
  const auto product = [&](std::span<const float> weights, gp::matrix_view<float> result) {
    gp::backend::cusparse_spmm<float, node_id>(gpu(), there, weights, x.on(gpu()), result);
  };
  CHECK_NOTHROW(product(values.row_on(gpu()), out.on(gpu())));
  CHECK_THROWS_AS(product(values.row_on(gpu()), narrow.on(gpu())), gp::shape_error);
  CHECK_THROWS_WITH(product(values.row_on(gpu()).first(2), out.on(gpu())), Catch::Contains("got 2"));
}
