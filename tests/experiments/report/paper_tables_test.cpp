// SPDX-License-Identifier: MIT
#include "experiments/report/paper_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "experiments/sample_cells.hpp"

using namespace graphpatcher;

namespace {

std::string cell_at(const sheet& s, const std::string& row, const std::string& column, std::size_t nth = 0) {
  const auto c = static_cast<std::size_t>(std::ranges::find(s.columns, column) - s.columns.begin());
  for (const auto& line : s.rows) {
    if (line.head == row && !line.cells.empty() && nth-- == 0) {
      return c - 1 < line.cells.size() ? plain_text(line.cells[c - 1]) : "no such column";
    }
  }
  return "no such row";
}

}  // namespace

TEST_CASE("Table 1: ours, the paper's and the difference") {
  auto cells = test::sample_cells();
  cells.push_back(test::sample_cell("none", "", 1, 0));
  cells.back().key.dataset = "ogbn-arxiv";
  const cell_index index(cells);
  const auto low = paper_table(index, 1, node_group::low);
  CHECK(low.columns == std::vector<std::string>{"method", "cora", "ogbn-arxiv"});
  CHECK(cell_at(low, "GCN", "cora") == "72.00 ± 2.00 paper 73.27, -1.27");
  CHECK(cell_at(low, "GraphPatcher, released", "cora") == "74.00 ± 3.00 paper 78.08, -4.08");
  CHECK(cell_at(low, "GraphPatcher, released", "ogbn-arxiv") == "not run paper 64.01");
  CHECK(cell_at(low, "gain over GCN", "cora") == "+2.00 [-0.48, +4.48] paper +4.81");
  CHECK(cell_at(low, "gain over the best control", "cora") == "+1.00 [-0.24, +2.24], copy");
  CHECK(cell_at(low, "gain over GCN", "cora", 1) == "-1.00 [-2.24, +0.24] paper +4.81");  // of the preset "paper"
  CHECK(cell_at(low, "control: copy", "cora") == "73.00 ± 2.50");
  CHECK(cell_at(low, "control: untrained", "cora") == "no such row");  // nobody ran it
  CHECK(cell_at(low, "TuneUp (paper only)", "cora") == "paper 74.47");
  CHECK(cell_at(low, "Tail-GNN (paper only)", "ogbn-arxiv") == "paper: out of memory");
  const auto all = paper_table(index, 1, node_group::overall);
  CHECK(cell_at(all, "gain over GCN", "cora").starts_with("+0.50 [-0.12, +1.12]"));
}

TEST_CASE("tables have the datasets, backbones and presets that were run, no others") {
  auto cells = test::sample_cells();
  CHECK(cell_at(paper_table(cell_index(cells), 2, node_group::low), "GAT", "cora") == "no such row");
  CHECK(paper_table(cell_index(cells), 3, node_group::high).rows.empty());
  cells.push_back(test::sample_cell("none", "", 1, 0));
  cells.back().key.backbone = "gat";
  cells.back().key.dataset = "pubmed";
  cells.push_back(test::sample_patcher("released", 1, 1));
  cells.back().key.backbone = "sage";
  const cell_index index(cells);
  const auto two = paper_table(index, 2, node_group::low);
  CHECK(two.columns == std::vector<std::string>{"method", "cora", "pubmed"});
  CHECK(cell_at(two, "GAT", "cora").starts_with("not run paper"));
  CHECK(cell_at(two, "GAT", "pubmed").starts_with("70.00 paper"));
  CHECK(cell_at(two, "GraphPatcher", "pubmed").starts_with("not run paper"));           // GAT, under no preset
  CHECK(cell_at(two, "GraphPatcher, released", "cora", 1).starts_with("71.00 paper"));  // GraphSAGE
  CHECK(cell_at(two, "GraphPatcher, paper", "cora").starts_with("71.00 ± "));           // GCN
  CHECK(cell_at(two, "GraphPatcher, paper", "cora", 1) == "no such row");
  CHECK(paper_table(index, 2, node_group::overall).rows.empty());
  CHECK(paper_table(index, 4, node_group::overall).rows.empty());
  cells = {test::sample_patcher("released", 1, 1)};
  cells[0].key.dataset = "synthetic";
  CHECK(paper_table(cell_index(cells), 1, node_group::low).rows.empty());
}

TEST_CASE("another method shows once its cells are there") {
  auto cells = test::sample_cells();
  cells.push_back(test::sample_cell("tuneup", "", 1, 0));
  cells.push_back(test::sample_cell("none", "", 1, 0));
  cells.back().key.dataset = "pubmed";
  const cell_index index(cells);
  CHECK(cell_at(paper_table(index, 1, node_group::low), "TuneUp", "cora") == "70.00 paper 74.47, -4.47");
  CHECK(cell_at(paper_table(index, 1, node_group::low), "TuneUp", "pubmed").starts_with("not run paper"));
}

TEST_CASE("one seed has no interval") {
  std::vector<cell_result> cells{test::sample_cell("none", "", 1, 0), test::sample_patcher("released", 1, 1)};
  const cell_index index(cells);
  CHECK(cell_at(paper_table(index, 1, node_group::low), "gain over GCN", "cora") == "+1.00 one seed paper +4.81");
  CHECK(cell_at(paper_table(index, 1, node_group::low), "gain over the best control", "cora") == "n/a");
}
