// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/message_tables.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/neighborhood.hpp"
#include "graphpatcher/patcher/detail/rows_of.hpp"
#include "patcher/detail/backbones.hpp"
#include "patcher/detail/row_layers.hpp"
#include "support/slow_graph.hpp"
#include "support/slow_patching.hpp"

namespace gp = graphpatcher;
namespace fast = gp::fast;
using node_id = std::int32_t;
using slow::dense;

namespace {

dense features() {
  dense x = support::random_matrix<double>(6, 4, 2);
  std::ranges::fill(x.row(2), 0.0);  // a node without features
  x(0, 1) = x(4, 3) = 0;
  return x;
}

/// Rows of `width` numbers, compared with those of a matrix.
void check_row(const double* found, const dense& expected, std::size_t node) {
  for (std::size_t c = 0; c < expected.cols(); ++c) {
    INFO("node " << node << ", column " << c);
    CHECK(found[c] == Approx(expected(node, c)).margin(1e-12));  // a hundred products of numbers below 10
  }
}

}  // namespace

TEST_CASE("messages of every node in both layers are the slow ones", "[patcher][fast]") {
  const auto graph = slow::six_nodes<node_id>();
  const dense x = features();
  const gp::feature_table sparse = gp::sparse_from_dense<node_id>(x.view());
  const auto sources = slow::sources_of(graph);
  backbones::for_each<double>(4, 3, [&](const char* kind, const auto& model) {
    INFO(kind);
    const auto rows = fast::rows_of(model);
    const fast::message_tables<double, node_id> tables(gp::cpu{2}, rows, graph, sparse);
    const dense first = row_layers::messages_of(rows.first, x);
    const dense second = row_layers::messages_of(rows.second, slow::hidden(model, x, sources));
    for (node_id v = 0; v < 6; ++v) {
      check_row(tables.first_row(v), first, static_cast<std::size_t>(v));
      check_row(tables.second_row(v), second, static_cast<std::size_t>(v));
    }
    if (rows.scales_sources()) {
      const int out_degrees[] = {5, 3, 3, 4, 2, 1};  // the loop of a message graph counted, those of the data not
      for (node_id v = 0; v < 6; ++v) {
        CHECK(tables.out_degree(v) == out_degrees[v]);
        CHECK(tables.scale(v) == Approx(1 / std::sqrt(out_degrees[v])).epsilon(1e-15));
      }
    }
  });
}

TEST_CASE("tables of a neighbourhood hold the rows of the whole graph, bit for bit", "[patcher][fast]") {
  const auto graph = slow::six_nodes<node_id>();
  const gp::feature_table sparse = gp::sparse_from_dense<node_id>(features().view());
  const std::vector<node_id> targets{4, 5};
  const auto around = gp::neighborhood<node_id>(graph, targets, 2);  // 4 5 | 3 | 0: nodes 1 and 2 are out of reach
  REQUIRE(around.global_ids == std::vector<node_id>{4, 5, 3, 0});
  backbones::for_each<double>(4, 3, [&](const char* kind, const auto& model) {
    INFO(kind);
    const auto rows = fast::rows_of(model);
    const fast::message_tables<double, node_id> whole(gp::cpu{}, rows, graph, sparse);
    const fast::message_tables<double, node_id> local(gp::cpu{}, rows, around, sparse, around.nodes_within(1));
    for (node_id i = 0; i < 4; ++i) {
      const node_id v = around.global_ids[static_cast<std::size_t>(i)];
      CHECK(std::equal(local.first_row(i), local.first_row(i) + rows.first.width(), whole.first_row(v)));
      CHECK(
          (i == 3 || std::equal(local.second_row(i), local.second_row(i) + rows.second.width(), whole.second_row(v))));
      CHECK((!rows.scales_sources() || local.scale(i) == whole.scale(v)));
    }
  });
}

TEST_CASE("features of another width are refused", "[patcher][fast]") {
  const gp::gcn_backbone<double> model({.hidden = 8}, 5, 3);
  const gp::feature_table sparse = gp::sparse_from_dense<node_id>(features().view());
  using tables = fast::message_tables<double, node_id>;
  CHECK_THROWS_WITH(tables(gp::cpu{}, fast::rows_of(model), slow::six_nodes<node_id>(), sparse),
                    "fast path: expected 5 features, as the backbone has, got 4");
}
