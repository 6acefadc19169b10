// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/degree_groups.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

using namespace graphpatcher;

namespace {

/// A graph in which node v has the given degree; neighbours are node 0.
template <class I>
csr_graph<I> graph_with_degrees(const std::vector<std::size_t>& degrees) {
  std::vector<I> offsets{0};
  for (const std::size_t degree : degrees) {
    offsets.push_back(static_cast<I>(static_cast<std::size_t>(offsets.back()) + degree));
  }
  std::vector<I> neighbors(static_cast<std::size_t>(offsets.back()), I{0});
  return csr_graph<I>(std::move(offsets), std::move(neighbors));
}

using ids = std::vector<std::int32_t>;

}  // namespace

TEMPLATE_TEST_CASE("groups are ordered by degree, then by node id", "", std::int32_t, std::int64_t) {
  const auto graph = graph_with_degrees<TestType>({3, 1, 2, 1, 0, 2, 9});
  const auto groups = make_degree_groups(graph, std::vector<TestType>{6, 5, 3, 2, 1, 0});
  CHECK(groups.all == std::vector<TestType>{1, 3, 2, 5, 0, 6});
  CHECK(groups.low == std::vector<TestType>{1, 3});
  CHECK(groups.high == std::vector<TestType>{0, 6});
}

TEST_CASE("ties at the cut go to the lower id, whatever the order of the list") {
  const auto graph = graph_with_degrees<std::int32_t>({2, 2, 2, 2, 2, 2});
  for (const auto& order : {ids{0, 1, 2, 3, 4, 5}, ids{5, 4, 3, 2, 1, 0}, ids{3, 0, 5, 1, 4, 2}}) {
    const auto groups = make_degree_groups(graph, order);
    CHECK(groups.low == ids{0, 1});
    CHECK(groups.high == ids{4, 5});
  }
}

TEST_CASE("sizes: floor(n/3) and n - floor(2n/3)") {
  for (std::size_t n = 0; n <= 50; ++n) {
    const auto graph = graph_with_degrees<std::int32_t>(std::vector<std::size_t>(n, 1));
    ids nodes(n);
    std::iota(nodes.begin(), nodes.end(), 0);
    const auto groups = make_degree_groups(graph, nodes);
    CHECK(groups.low.size() == n / 3);
    CHECK(groups.high.size() == n - 2 * n / 3);
    CHECK(groups.all.size() == n);
  }
  STATIC_REQUIRE(low_group_size(1000) == 333);
  STATIC_REQUIRE(high_group_size(1000) == 334);
}

TEST_CASE("groups refuse bad node lists") {
  const auto graph = graph_with_degrees<std::int32_t>({1, 1, 1});
  CHECK_THROWS_WITH(make_degree_groups(graph, ids{2, 0, 2}), Catch::Contains("node 2 is named twice"));
  CHECK_THROWS_AS(make_degree_groups(graph, ids{2, 0, 2}), argument_error);
  CHECK_THROWS_AS(make_degree_groups(graph, ids{3}), index_error);
  CHECK_THROWS_AS(make_degree_groups(graph, ids{-1}), index_error);
}

TEST_CASE("accuracy of each group") {
  const auto graph = graph_with_degrees<std::int32_t>({0, 1, 2, 3, 4, 5});
  const ids labels{0, 0, 0, 0, 0, 0};
  const ids predictions{1, 0, 0, 1, 0, 0};
  const auto scores = grouped_accuracy(make_degree_groups(graph, ids{0, 1, 2, 3, 4, 5}), predictions, labels);
  CHECK(scores.low == 50.0);
  CHECK(scores.high == 100.0);
  CHECK(scores.overall == Approx(100.0 * 4 / 6).epsilon(1e-15));
  const auto few = grouped_accuracy(make_degree_groups(graph, ids{1, 2}), predictions, labels);
  CHECK(std::isnan(few.low));
  CHECK(few.high == 100.0);
}

TEST_CASE("accuracy by exact degree") {
  const auto graph = graph_with_degrees<std::int32_t>({4, 0, 4, 1, 4});
  const ids labels{1, 1, 1, 1, 0};
  const ids predictions{1, 0, 0, 1, 0};
  const auto counts = accuracy_by_degree(graph, predictions, labels, ids{4, 3, 2, 1, 0});
  REQUIRE(counts.size() == 3);
  CHECK((counts[0].degree == 0 && counts[0].nodes == 1 && counts[0].correct == 0));
  CHECK((counts[1].degree == 1 && counts[1].nodes == 1 && counts[1].correct == 1));
  CHECK((counts[2].degree == 4 && counts[2].nodes == 3 && counts[2].correct == 2));
  CHECK_THROWS_AS(accuracy_by_degree(graph, ids{1}, ids{1}, ids{0}), shape_error);
}

TEST_CASE("fractional groups share the nodes at the cut equally") {
  SECTION("by hand") {
    // 9 nodes, groups of 3. Low: 1 node of degree 0 (right), then 2 of the 4
    // nodes of degree 1, of which 3 are right: 1 + 2 * 3/4 of 3. High: the 2
    // nodes of degree 7 (1 right), then 1 of the 2 of degree 2 (none right).
    const std::vector<degree_count> counts{{0, 1, 1}, {1, 4, 3}, {2, 2, 0}, {7, 2, 1}};
    const auto scores = fractional_accuracy(counts);
    CHECK(scores.low == Approx(100.0 * 2.5 / 3).epsilon(1e-14));
    CHECK(scores.high == Approx(100.0 * 1 / 3).epsilon(1e-14));
    CHECK(scores.overall == Approx(100.0 * 5 / 9).epsilon(1e-14));
  }
  SECTION("without ties at the cuts it equals the plain groups") {
    const auto graph = graph_with_degrees<std::int32_t>({0, 1, 2, 3, 4, 5, 6});
    const ids nodes{0, 1, 2, 3, 4, 5, 6}, labels(7, 0), predictions{0, 1, 0, 0, 1, 0, 0};
    const auto plain = grouped_accuracy(make_degree_groups(graph, nodes), predictions, labels);
    const auto fractional = fractional_accuracy(accuracy_by_degree(graph, predictions, labels, nodes));
    CHECK(fractional.low == Approx(plain.low).epsilon(1e-14));
    CHECK(fractional.high == Approx(plain.high).epsilon(1e-14));
    CHECK(fractional.overall == Approx(plain.overall).epsilon(1e-14));
  }
  CHECK(std::isnan(fractional_accuracy({}).overall));
}
