// SPDX-License-Identifier: MIT
#include "experiments/report/node_doubt.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "experiments/sample_cells.hpp"

using namespace graphpatcher;

namespace {

/// A cell of which only the outcomes matter.
cell_result cell_of(std::vector<bool> tested, std::vector<bool> before, std::vector<bool> after) {
  cell_result cell;
  cell.outcomes = {std::move(tested), std::move(before), std::move(after)};
  return cell;
}

}  // namespace

TEST_CASE("the doubt of nodes: means by hand, of every third") {
  // Six tested nodes of seven in the order of their degrees: gains +1 0 | 0 -1 | +1 +1.
  const auto cell = cell_of({true, true, true, false, true, true, true}, {false, true, false, true, false, false},
                            {true, true, false, false, true, true});
  const cell_index::by_seed cells{{1, &cell}};
  CHECK(doubt_of_nodes(cells, node_group::low).mean == Approx(50));
  CHECK(doubt_of_nodes(cells, node_group::low).nodes == 2);
  CHECK(doubt_of_nodes(cells, node_group::high).mean == Approx(100));
  CHECK(doubt_of_nodes(cells, node_group::high).low == Approx(100));  // both nodes gain, whichever are drawn
  CHECK(doubt_of_nodes(cells, node_group::overall).mean == Approx(200.0 / 6));
  const auto low = doubt_of_nodes(cells, node_group::low);
  CHECK(low.low == 0);  // one of the two nodes twice, in a quarter of the draws each
  CHECK(low.high == 100);
}

TEST_CASE("the doubt of nodes: as wide as the mean's standard error, and the same for the same seed") {
  std::vector<bool> tested(900, true), before(900, false), after(900, false);
  for (std::size_t i = 0; i < 900; ++i) {
    after[i] = i % 4 == 0;
  }
  const auto cell = cell_of(tested, before, after);
  const auto doubt = doubt_of_nodes({{1, &cell}}, node_group::overall, 2000);
  const double error = 100 * std::sqrt(0.25 * 0.75 / 900);
  CHECK(doubt.mean == 25);
  CHECK(doubt.low == Approx(25 - 1.96 * error).margin(0.3));  // 2000 draws: their quantiles are that sure
  CHECK(doubt.high == Approx(25 + 1.96 * error).margin(0.3));
  const auto again = doubt_of_nodes({{1, &cell}}, node_group::overall, 2000);
  CHECK(again.low == doubt.low);
  CHECK(again.high == doubt.high);
  CHECK(doubt_of_nodes({{1, &cell}}, node_group::overall, 2000, 2).low != doubt.low);

  // The same nodes in ten seeds are no ten times as many nodes.
  cell_index::by_seed ten;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ten[seed] = &cell;
  }
  const auto clustered = doubt_of_nodes(ten, node_group::overall, 2000);
  CHECK(clustered.nodes == 900);
  CHECK(clustered.low == doubt.low);
}

TEST_CASE("the doubt of nodes that other seeds test: each counts as often as it was tested") {
  const auto first = cell_of({true, true, false}, {false, false}, {true, false});
  const auto second = cell_of({false, true, true}, {false, true}, {true, false});
  const auto doubt = doubt_of_nodes({{1, &first}, {2, &second}}, node_group::overall);
  CHECK(doubt.nodes == 3);
  CHECK(doubt.mean == Approx(100.0 * (1 + 1 - 1) / 4));
}

TEST_CASE("the doubt of nodes: nothing is known without outcomes, or of different graphs") {
  const cell_result nothing;
  CHECK(doubt_of_nodes({}, node_group::low).nodes == 0);
  CHECK(std::isnan(doubt_of_nodes({{1, &nothing}}, node_group::low).mean));
  const auto one = cell_of({true, true, true}, {true, true, true}, {true, true, true});
  const auto other = cell_of({true, true, true, true}, {true, true, true, true}, {true, true, true, true});
  CHECK(doubt_of_nodes({{1, &one}, {2, &other}}, node_group::overall).nodes == 0);
  CHECK(doubt_of_nodes({{1, &one}, {2, &nothing}}, node_group::overall).nodes == 3);
}
