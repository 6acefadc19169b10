// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <random>

#include "graphpatcher/patcher/similar_nodes.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;
using nearest_nodes = std::vector<gp::detail::likenesses<double, node_id>>;

namespace {

/// Words of documents, some documents without any and some twice; of weights above and below 0.
gp::feature_table<double, node_id> documents(std::size_t nodes, std::size_t words, double share) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(0, 1);
  gp::matrix<double> x(nodes, words);
  for (std::size_t v = 0; v < nodes; ++v) {
    for (std::size_t c = 0; c < words; ++c) {
      const double has = number(random), much = number(random);
      x(v, c) = v % 50 == 7 || has > share ? 0 : much - 0.2;
    }
    if (v % 9 == 8) {
      std::ranges::copy(x.row(v - 5), x.row(v).begin());
    }
  }
  return gp::sparse_from_dense<node_id>(x.view());
}

nearest_nodes by_products(const gp::feature_table<double, node_id>& x, std::size_t count, int threads) {
  return gp::detail::alike_by_products<double, node_id>(gp::cpu{threads}, x.rows(),
                                                        gp::detail::sparse_cosines<double, node_id>(x), count);
}

}  // namespace

TEST_CASE("similar nodes: products and features lead to the same ones", "[patcher]") {
  for (const std::size_t nodes : {1, 63, 64, 65, 512, 700, 1100}) {  // around a block and a panel
    const auto x = documents(nodes, 40, 0.2);
    for (const std::size_t count : {1, 6, 2000}) {
      INFO(nodes << " nodes, " << count << " of them");
      const auto slow = gp::detail::alike_by_features(gp::cpu{1}, x.sparse(), count);
      const auto fast = by_products(x, count, 1);
      REQUIRE(fast.size() == slow.size());
      for (std::size_t v = 0; v < nodes; ++v) {
        REQUIRE(fast[v].size() == slow[v].size());
        for (std::size_t k = 0; k < fast[v].size(); ++k) {
          REQUIRE(fast[v][k].second == Approx(slow[v][k].second).epsilon(1e-12).margin(1e-15));
        }
      }
      CHECK(by_products(x, count, 3) == fast);
    }
  }
}

TEST_CASE("similar nodes: a cosine is the same bits from both sides", "[patcher]") {
  const auto x = documents(300, 40, 0.3);
  const auto nearest = by_products(x, 300, 2);
  std::size_t seen = 0;
  for (std::size_t v = 0; v < nearest.size(); ++v) {
    for (const auto& [u, cosine] : nearest[v]) {
      const auto& others = nearest[static_cast<std::size_t>(u)];
      const auto back = std::ranges::find(others, static_cast<node_id>(v), [](const auto& pair) { return pair.first; });
      REQUIRE(back != others.end());
      CHECK(back->second == cosine);
      ++seen;
    }
  }
  CHECK(seen > 10'000);
}

TEST_CASE("similar nodes: of equals the lower ids, whatever the order in which they are found", "[patcher]") {
  const gp::feature_table x = gp::sparse_matrix<double, node_id>(
      130, 1,
      [] {
        std::vector<node_id> offsets(131);
        std::iota(offsets.begin(), offsets.end(), 0);
        return offsets;
      }(),
      std::vector<node_id>(130, 0), std::vector<double>(130, 2));  // all nodes are alike
  for (const int threads : {1, 4}) {
    const auto nearest = by_products(x, 3, threads);
    CHECK(nearest[100] == gp::detail::likenesses<double, node_id>{{0, 1}, {1, 1}, {2, 1}});
    CHECK(nearest[1] == gp::detail::likenesses<double, node_id>{{0, 1}, {2, 1}, {3, 1}});
  }
}

TEST_CASE("most_alike: keeps the largest in any order of offers, and says what it would refuse", "[patcher]") {
  gp::detail::most_alike<double, node_id> list;
  CHECK(list.least() > 0);
  list.offer(9, 0.0, 2);  // not above 0
  CHECK(list.found().empty());
  list.offer(4, 0.5, 2);
  CHECK(list.least() < 0.5);  // there is room
  list.offer(7, 0.75, 2);
  CHECK(list.least() == 0.5);
  list.offer(5, 0.5, 2);  // as good as the last, with a higher id
  CHECK(list.found() == gp::detail::likenesses<double, node_id>{{7, 0.75}, {4, 0.5}});
  list.offer(3, 0.5, 2);
  list.offer(8, 0.75, 2);
  CHECK(list.found() == gp::detail::likenesses<double, node_id>{{7, 0.75}, {8, 0.75}});
}

TEST_CASE("similar nodes: products where words are common, features where they are rare", "[patcher]") {
  CHECK(gp::detail::products_are_faster(documents(500, 40, 0.2).sparse()));
  const auto rare = gp::sparse_matrix<double, node_id>(
      500, 500,
      [] {  // no word twice
        std::vector<node_id> offsets(501);
        std::iota(offsets.begin(), offsets.end(), 0);
        return offsets;
      }(),
      [] {
        std::vector<node_id> columns(500);
        std::iota(columns.begin(), columns.end(), 0);
        return columns;
      }(),
      std::vector<double>(500, 1));
  CHECK(!gp::detail::products_are_faster(rare));
  CHECK(gp::similar_nodes(gp::cpu{2}, gp::feature_table(rare), 5).nonzeros() == 0);
  const auto wide = gp::sparse_matrix<double, node_id>(2, 1'000'000'000, {0, 1, 2}, {5, 5}, {1, 1});
  CHECK(!gp::detail::products_are_faster(wide));
}

TEST_CASE("similar nodes: nobody is like anybody without features or nodes", "[patcher]") {
  const gp::feature_table none = gp::sparse_matrix<double, node_id>(3, 0, {0, 0, 0, 0}, {}, {});
  CHECK(gp::similar_nodes(gp::cpu{2}, none, 5).nonzeros() == 0);
  const gp::feature_table empty = gp::sparse_matrix<double, node_id>(0, 4, {0}, {}, {});
  CHECK(gp::similar_nodes(gp::cpu{2}, empty, 5).rows() == 0);
  const gp::feature_table zeros = gp::sparse_matrix<double, node_id>(3, 4, {0, 0, 0, 0}, {}, {});
  CHECK(gp::similar_nodes(gp::cpu{2}, zeros, 5).nonzeros() == 0);
}
