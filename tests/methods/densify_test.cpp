// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/densify.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/models/sage.hpp"
#include "methods/method_support.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

TEST_CASE("densify: the most similar nodes that a node doesn't receive from yet", "[methods]") {
  const auto graph = gp::build_graph<node_id>(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const gp::sparse_matrix<double, node_id> alike(5, 5, {0, 4, 4, 4, 4, 5}, {1, 2, 3, 4, 0}, {0.9, 0.5, 0.7, 0.5, 1.0});
  CHECK(gp::most_alike(graph, alike, 2)(0) == std::vector<node_id>{3, 2});     // 1 is a neighbour; of equals the lower
  CHECK(gp::most_alike(graph, alike, 9)(0) == std::vector<node_id>{3, 2, 4});  // all there are
  CHECK(gp::most_alike(graph, alike, 2)(1).empty());
  CHECK(gp::most_alike(graph, alike, 0)(0).empty());
}

TEST_CASE("densify: an answer is that of the graph in which the node alone has more neighbours", "[methods]") {
  const auto data = toy::make<double>(40, 50);
  const gp::gcn_backbone<double> model({.hidden = 8, .norm = gp::normalisation::mean}, 12, 3);
  const auto answers = gp::densified_answers(gp::cpu{2}, data, model, 3);
  REQUIRE(answers.size() == 4);
  const auto alike = gp::similar_nodes(gp::cpu{1}, data.features, 20);
  for (std::size_t k = 0; k <= 3; ++k) {
    for (std::size_t v = 0; v < data.nodes(); v += 3) {
      std::vector<node_id> offsets{0}, neighbors;
      for (std::size_t u = 0; u < data.nodes(); ++u) {
        std::vector<node_id> row(data.graph.neighbors(u).begin(), data.graph.neighbors(u).end());
        if (u == v) {
          const auto added = gp::most_alike(data.graph, alike, k)(v);
          row.insert(row.end(), added.begin(), added.end());
          std::ranges::sort(row);
        }
        neighbors.insert(neighbors.end(), row.begin(), row.end());
        offsets.push_back(static_cast<node_id>(neighbors.size()));
      }
      const auto expected = gp::predict(gp::cpu{1}, model, gp::csr_graph<node_id>(offsets, neighbors), data.features);
      for (std::size_t c = 0; c < 3; ++c) {
        CHECK(answers[k](v, c) == Approx(expected(v, c)).epsilon(1e-10).margin(1e-12));
      }
    }
  }
}
