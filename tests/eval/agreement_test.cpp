// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/agreement.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/builder.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;

namespace {

const auto path = gp::build_graph<node_id>(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
const std::vector<std::size_t> predicted{0, 0, 1, 1, 1};

}  // namespace

TEST_CASE("agreement: labels and neighbours' predictions, on a path of five nodes", "[eval]") {
  // 0: all of its neighbours are of its class; 2: half of them; 4: all. By chance half: pi = (1, 2) / 3, r = (1/2,
  // 1/2).
  const std::vector<node_id> nodes{0, 2, 4}, labels{0, 1, 1};
  CHECK(gp::neighbor_agreement<node_id>(path, predicted, nodes, labels, 2) == Approx((2.5 / 3 - 0.5) / 0.5));
  CHECK(gp::neighbor_agreement<node_id>(path, predicted, {}, {}, 2) == 0);
  const auto alone = gp::build_graph<node_id>(5, {{0, 1}});
  CHECK(gp::neighbor_agreement<node_id>(alone, predicted, std::vector<node_id>{2, 3}, std::vector<node_id>{1, 1}, 2) ==
        0);
  const std::vector<std::size_t> one_class(5, 1);
  CHECK(gp::neighbor_agreement<node_id>(path, one_class, nodes, std::vector<node_id>{1, 1, 1}, 2) ==
        0);  // chance does as well
}

TEST_CASE("agreement: the neighbours' vote without labels, on a path of five nodes", "[eval]") {
  // Votes 0, 0 (a tie), 0 (a tie), 1, 1: four of five agree; by chance (2 * 3 + 3 * 2) / 25.
  CHECK(gp::vote_agreement(path, predicted, 2) == Approx((0.8 - 0.48) / 0.52));
  CHECK(gp::vote_agreement(gp::build_graph<node_id>(3, std::vector<gp::edge<node_id>>{}),
                           std::vector<std::size_t>{0, 1, 0}, 2) == 0);
}

TEST_CASE("agreement: changes among the more confident half", "[eval]") {
  const gp::matrix<double> p{{0.9, 0.1}, {0.6, 0.4}, {0.2, 0.8}, {0.5, 0.5}, {0.3, 0.7}};
  const gp::matrix<double> others{{0.8, 0.2}, {0.1, 0.9}, {0.7, 0.3}, {0.4, 0.6}, {0.3, 0.7}};
  CHECK(gp::largest_columns<double>(p) == std::vector<std::size_t>{0, 0, 1, 0, 1});
  CHECK(gp::confident_changes<double>(p, others) == Approx(1.0 / 3));  // of 0, 2 and 4 only 2
}
