// SPDX-License-Identifier: MIT
#include "graphpatcher/graph/split_like.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

using namespace graphpatcher;

TEST_CASE("a random split of the sizes of another") {
  std::vector<int> labels(60);
  for (std::size_t v = 0; v < labels.size(); ++v) {
    labels[v] = v < 5 ? -1 : static_cast<int>(v % 3);
  }
  const node_split<int> known{{5, 6, 8, 9, 12}, {20, 21, 22, 23}, {40, 41, 42, 43, 44, 45, 46}};  // 2, 3, 3, 0, 0 ...
  const auto split = random_split_like(known, labels, 7);
  const auto count = [&](const std::vector<int>& part, int label) {
    return std::ranges::count_if(part, [&](int v) { return labels[static_cast<std::size_t>(v)] == label; });
  };
  for (const int label : {0, 1, 2}) {
    CHECK(count(split.train, label) == count(known.train, label));
  }
  CHECK(split.validation.size() == 4);
  CHECK(split.test.size() == 7);
  std::set<int> all;
  for (const auto* part : {&split.train, &split.validation, &split.test}) {
    CHECK(std::ranges::is_sorted(*part));
    all.insert(part->begin(), part->end());
  }
  CHECK(all.size() == 16);
  CHECK(*all.begin() >= 5);  // nobody without a label
  CHECK(random_split_like(known, labels, 7).test == split.test);
  CHECK(random_split_like(known, labels, 8).test != split.test);
}

TEST_CASE("a split that does not fit its labels is refused") {
  const std::vector<int> labels{0, 1, -1};
  CHECK_THROWS_WITH(random_split_like<int>({{2}, {}, {}}, labels, 1), Catch::Contains("training node 2"));
  CHECK_THROWS_WITH(random_split_like<int>({{3}, {}, {}}, labels, 1), Catch::Contains("training node 3"));
  CHECK_THROWS_WITH(random_split_like<int>({{0}, {1}, {2}}, labels, 1), Catch::Contains("at most the 2 nodes"));
}
