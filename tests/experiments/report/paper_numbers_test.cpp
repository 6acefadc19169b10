// SPDX-License-Identifier: MIT
#include "experiments/report/paper_numbers.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

using namespace graphpatcher;

TEST_CASE("numbers of the paper, one of each table") {
  const auto check = [](int table, const char* group, const char* backbone, const char* method, const char* dataset) {
    const auto value = paper_value(table, group, backbone, method, dataset);
    REQUIRE(value);
    return value->accuracy;
  };
  CHECK(check(1, "low", "GCN", "none", "cora") == 73.27);
  CHECK(check(1, "low", "GCN", "GraphPatcher", "cora") == 78.08);
  CHECK(paper_value(1, "low", "GCN", "none", "citeseer")->deviation == 0.92);
  CHECK(check(1, "overall", "GCN", "none", "actor") > 0);
  CHECK(check(2, "high", "GAT", "TuneUp", "ogbn-arxiv") > 0);
  CHECK(check(3, "low", "DGI", "none", "wikics") > 0);
  CHECK(check(4, "overall", "GRAND", "GraphPatcher", "pubmed") > 0);
  CHECK(paper_value(1, "low", "GCN", "Tail-GNN", "ogbn-arxiv")->out_of_memory());
}

TEST_CASE("what the paper does not have is nothing") {
  CHECK_FALSE(paper_value(2, "low", "GCN", "none", "actor"));
  CHECK_FALSE(paper_value(2, "overall", "GCN", "none", "cora"));
  CHECK_FALSE(paper_value(3, "low", "DGI", "none", "citeseer"));
  CHECK_FALSE(paper_value(1, "low", "GCN", "zero", "cora"));
  CHECK_FALSE(paper_value(1, "low", "gcn", "none", "cora"));
}

TEST_CASE("every row is plausible and there once") {
  CHECK(paper_rows.size() == 60);
  for (const auto& row : paper_rows) {
    INFO(row.table << " " << row.group << " " << row.backbone << " " << row.method);
    CHECK(std::ranges::count_if(paper_rows, [&](const paper_row& other) {
            return other.table == row.table && other.group == row.group && other.backbone == row.backbone &&
                   other.method == row.method;
          }) == 1);
    const auto columns = std::ranges::count_if(row.accuracy, [](double value) { return value != 0; });
    CHECK(columns == (row.table == 1 ? 9 : row.table == 2 ? 7 : 3));
    for (const double value : row.accuracy) {
      CHECK((!(value == value) || value == 0 || (value > 20 && value < 100)));
    }
  }
}

TEST_CASE("backbones as the paper writes them") {
  CHECK(paper_backbone("sage") == "GraphSAGE");
  CHECK(paper_backbone("gcn") == "GCN");
  CHECK(paper_backbone("mine") == "mine");
}
