// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/similar_nodes.hpp"

#include <catch2/catch.hpp>

#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

/// Every pair looked at, densely.
template <class T>
std::vector<std::vector<std::pair<node_id, double>>> slow_similar(const gp::feature_table<T, node_id>& x,
                                                                  std::size_t count) {
  std::vector<std::vector<double>> dense(x.rows(), std::vector<double>(x.cols()));
  for (std::size_t v = 0; v < x.rows(); ++v) {
    x.for_each_nonzero(v, [&](std::size_t column, T value) { dense[v][column] = static_cast<double>(value); });
  }
  const auto dot = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t c = 0; c < x.cols(); ++c) {
      sum += dense[a][c] * dense[b][c];
    }
    return sum;
  };
  std::vector<std::vector<std::pair<node_id, double>>> result(x.rows());
  for (std::size_t v = 0; v < x.rows(); ++v) {
    auto& found = result[v];
    for (std::size_t u = 0; u < x.rows(); ++u) {
      const double cosine = dot(v, u) / std::sqrt(dot(v, v) * dot(u, u));
      if (u != v && cosine > 0) {
        found.emplace_back(static_cast<node_id>(u), cosine);
      }
    }
    std::ranges::sort(found, [](const auto& a, const auto& b) { return a.second > b.second; });
    found.resize(std::min(count, found.size()));
    std::ranges::sort(found);
  }
  return result;
}

}  // namespace

TEST_CASE("similar nodes are those of the slow search", "[patcher]") {
  const auto data = toy::make<double>(60, 100);
  for (const std::size_t count : {1, 5, 100}) {
    const auto expected = slow_similar(data.features, count);
    const auto found = gp::similar_nodes(gp::cpu{2}, data.features, count);
    REQUIRE(found.rows() == 60);
    for (std::size_t v = 0; v < found.rows(); ++v) {
      double worst_found = 2, worst_expected = 2;
      REQUIRE(found.row_columns(v).size() == expected[v].size());
      for (std::size_t k = 0; k < expected[v].size(); ++k) {
        worst_found = std::min(worst_found, found.row_values(v)[k]);
        worst_expected = std::min(worst_expected, expected[v][k].second);
      }
      CHECK(worst_found == Approx(worst_expected).epsilon(1e-12));  // among equals any may be in the slow list
    }
  }
}

TEST_CASE("similar nodes of a matrix worked out by hand", "[patcher]") {
  // 0: (1, 0)  1: (2, 0)  2: (1, 1)  3: nothing  4: (-1, 0)
  const gp::feature_table x =
      gp::sparse_matrix<double, node_id>(5, 2, {0, 1, 2, 4, 4, 5}, {0, 0, 0, 1, 0}, {1, 2, 1, 1, -1});
  const auto found = gp::similar_nodes(gp::cpu{1}, x, 2);
  REQUIRE(found.row_columns(0).size() == 2);
  CHECK(found.row_columns(0)[0] == 1);
  CHECK(found.row_values(0)[0] == Approx(1.0));
  CHECK(found.row_columns(0)[1] == 2);
  CHECK(found.row_values(0)[1] == Approx(std::sqrt(0.5)));
  CHECK(found.row_columns(3).empty());  // without features: like nobody
  CHECK(found.row_columns(4).empty());  // opposite is not similar
  const auto one = gp::similar_nodes(gp::cpu{1}, x, 1);
  REQUIRE(one.row_columns(2).size() == 1);
  CHECK(one.row_columns(2)[0] == 0);  // of equals the lower id
  CHECK_THROWS_WITH(gp::similar_nodes(gp::cpu{1}, x, 0), Catch::Contains("at least 1"));
}

TEST_CASE("similar nodes don't depend on the number of threads", "[patcher]") {
  const auto data = toy::make<float>(200, 300);
  const auto one = gp::similar_nodes(gp::cpu{1}, data.features, 7);
  const auto three = gp::similar_nodes(gp::cpu{3}, data.features, 7);
  CHECK(std::ranges::equal(one.columns(), three.columns()));
  CHECK(std::ranges::equal(one.values(), three.values()));
}
