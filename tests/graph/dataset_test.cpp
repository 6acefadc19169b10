// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cstdint>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

namespace {

using data32 = dataset<float, std::int32_t>;

data32 small() {
  const std::vector<edge<std::int32_t>> edges{{0, 1}, {1, 2}, {2, 3}};
  const matrix<float> features{{1, 0}, {0, 1}, {1, 1}, {0, 0}};
  data32 data;
  data.name = "small";
  data.graph = build_graph(4, edges);
  data.features = sparse_from_dense<std::int32_t>(features.view());
  data.labels = {0, 1, 1, -1};
  data.classes = 2;
  data.split = {{0}, {1}, {2}};
  return data;
}

}  // namespace

TEST_CASE("a dataset whose parts fit is accepted", "[dataset]") {
  CHECK_NOTHROW(small().check());
  CHECK(small().nodes() == 4);
}

TEST_CASE("a dataset without nodes is refused", "[dataset]") {
  CHECK_THROWS_AS(data32{}.check(), shape_error);
  CHECK_THROWS_WITH(data32{}.check(), Contains("at least one node"));
}

TEST_CASE("features and labels of another size are refused", "[dataset]") {
  auto data = small();
  data.features = sparse_from_dense<std::int32_t>(matrix<float>(3, 2).view());
  CHECK_THROWS_AS(data.check(), shape_error);
  CHECK_THROWS_WITH(data.check(), Contains("small") && Contains("features of 4 nodes, got 3"));
  data = small();
  data.labels.pop_back();
  CHECK_THROWS_AS(data.check(), shape_error);
  CHECK_THROWS_WITH(data.check(), Contains("labels of 4 nodes, got 3"));
}

TEST_CASE("labels out of range are refused", "[dataset]") {
  auto data = small();
  data.labels[2] = 2;
  CHECK_THROWS_AS(data.check(), index_error);
  CHECK_THROWS_WITH(data.check(), Contains("node 2 has label 2") && Contains("[0, 2)"));
  data.labels[2] = -2;
  CHECK_THROWS_AS(data.check(), index_error);
  data = small();
  data.classes = 0;
  CHECK_THROWS_AS(data.check(), argument_error);
}

TEST_CASE("a split that names a node twice is refused", "[dataset]") {
  auto data = small();
  data.split.test = {0};
  CHECK_THROWS_AS(data.check(), argument_error);
  CHECK_THROWS_WITH(data.check(), Contains("node 0 is named twice") && Contains("'train' and 'test'"));
  data = small();
  data.split.validation = {1, 1};
  CHECK_THROWS_AS(data.check(), argument_error);
  CHECK_THROWS_WITH(data.check(), Contains("'validation' and 'validation'"));
}

TEST_CASE("a split that names an unknown or unlabelled node is refused", "[dataset]") {
  auto data = small();
  data.split.test = {4};
  CHECK_THROWS_AS(data.check(), index_error);
  data.split.test = {-1};
  CHECK_THROWS_AS(data.check(), index_error);
  data.split.test = {3};
  CHECK_THROWS_AS(data.check(), index_error);
  CHECK_THROWS_WITH(data.check(), Contains("has no label"));
}
