// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/neighborhood.hpp"

#include <catch2/catch.hpp>

#include "nn/layer_support.hpp"

namespace gp = graphpatcher;

TEMPLATE_TEST_CASE("a neighbourhood by hand and by a slow search", "[graph]", std::int32_t, std::int64_t) {
  using I = TestType;
  const auto graph = gp_test::small_graph<I>();
  const std::vector<I> targets{6, 8, 2};
  const auto near = gp::neighborhood(graph, std::span<const I>(targets), 1);
  CHECK(near.global_ids == std::vector<I>{6, 8, 2, 0, 1, 3, 4, 5, 7});
  CHECK(near.within == std::vector<I>{3, 9});
  CHECK(near.in_degree[0] == 4);
  // node 6: itself, 4, 5, 7
  CHECK(std::vector<I>(near.sources.begin(), near.sources.begin() + 4) == std::vector<I>{0, 6, 7, 8});
  for (const std::size_t hops : {0, 1, 2, 5}) {
    const std::vector<I> few{7, 1};
    const auto fast = gp::neighborhood(graph, std::span<const I>(few), hops);
    const auto slow = gp_test::around(graph, few, hops);
    CHECK(fast.global_ids == slow.global_ids);
    CHECK(fast.within == slow.within);
    CHECK(fast.offsets == slow.offsets);
    CHECK(fast.sources == slow.sources);
    CHECK(fast.in_degree == slow.in_degree);
    CHECK(fast.out_degree == slow.out_degree);
  }
}

TEST_CASE("a neighbourhood names bad targets", "[graph]") {
  const auto graph = gp_test::small_graph<std::int32_t>();
  const std::vector<std::int32_t> twice{1, 1}, outside{9}, negative{-1}, none;
  const auto make = [&](const std::vector<std::int32_t>& targets) {
    return gp::neighborhood(graph, std::span<const std::int32_t>(targets), 2);
  };
  CHECK_THROWS_AS(make(twice), gp::argument_error);
  CHECK_THROWS_WITH(make(outside), Catch::Contains("target 9, expected an id in [0, 9)"));
  CHECK_THROWS_AS(make(outside), gp::index_error);
  CHECK_THROWS_AS(make(negative), gp::index_error);
  CHECK_THROWS_AS(make(none), gp::argument_error);
}
