// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

/// Tables 1 to 4 of the paper (Ju et al., "GraphPatcher", NeurIPS 2023): test
/// accuracy in percent, mean and standard deviation, by degree group.
namespace graphpatcher {

/// The columns of the tables, in the paper's order.
inline constexpr std::array<std::string_view, 9> paper_datasets{
    "cora", "citeseer", "pubmed", "wikics", "amazon-photo", "coauthor-cs", "ogbn-arxiv", "chameleon", "actor"};

struct paper_number {
  double accuracy = 0;  ///< NaN: out of memory
  double deviation = 0;

  constexpr bool out_of_memory() const { return accuracy != accuracy; }
};

/// One row: entry i of both arrays belongs to paper_datasets[i]; 0 where the table has no such column.
struct paper_row {
  int table = 0;
  std::string_view group;     ///< "low", "high", "overall"
  std::string_view backbone;  ///< as the paper writes it: "GCN", "GraphSAGE"
  std::string_view method;    ///< likewise; "none" = the backbone alone
  std::array<double, 9> accuracy{};
  std::array<double, 9> deviation{};
};

// clang-format off
inline constexpr auto paper_rows = [] {
  constexpr double none = 0, oom = std::numeric_limits<double>::quiet_NaN();
  return std::to_array<paper_row>({
      {1, "low", "GCN", "none",
       {73.27, 64.86, 76.88, 72.98, 75.59, 84.59, 63.15, 54.05, 27.30},
       {0.01, 0.92, 0.40, 0.50, 0.43, 0.45, 0.13, 0.18, 0.52}},
      {1, "low", "GCN", "ColdBrew",
       {73.82, 65.60, 77.72, 73.98, 76.18, 85.56, 63.02, 53.41, 27.88},
       {0.98, 0.08, 0.63, 0.52, 0.80, 0.69, 0.21, 0.22, 0.13}},
      {1, "low", "GCN", "Tail-GNN",
       {71.17, 57.66, 75.38, 74.36, 77.22, 85.13, oom, 53.48, 27.80},
       {0.80, 0.83, 0.89, 0.18, 0.94, 0.60, oom, 0.04, 0.62}},
      {1, "low", "GCN", "TuneUp",
       {74.47, 65.17, 77.18, 72.60, 76.08, 84.68, 63.34, 53.87, 27.94},
       {0.34, 0.22, 0.39, 0.75, 0.62, 0.50, 0.32, 0.43, 0.14}},
      {1, "low", "GCN", "EERM",
       {73.40, 64.27, 76.30, 73.12, 75.15, 84.82, 63.20, 54.11, 27.48},
       {0.06, 0.33, 0.20, 0.68, 0.59, 0.74, 0.11, 0.32, 0.39}},
      {1, "low", "GCN", "GTrans",
       {73.16, 64.95, 77.05, 72.15, 75.55, 84.74, 62.88, 54.29, 27.53},
       {0.66, 0.83, 1.00, 0.50, 0.55, 0.06, 0.14, 0.14, 0.21}},
      {1, "low", "GCN", "DropEdge",
       {73.57, 65.47, 75.68, 73.94, 76.49, 84.31, 61.33, 54.12, 27.39},
       {0.97, 0.27, 0.82, 0.20, 0.03, 0.33, 0.33, 0.41, 0.24}},
      {1, "low", "GCN", "GraphPatcher",
       {78.08, 67.27, 78.98, 74.04, 77.84, 86.76, 64.01, 54.48, 29.27},
       {0.06, 0.20, 0.21, 0.86, 0.36, 0.84, 0.12, 0.71, 0.57}},
      {1, "high", "GCN", "none",
       {86.83, 77.25, 80.84, 83.40, 84.07, 90.20, 80.46, 54.11, 27.41},
       {0.17, 1.00, 0.76, 0.70, 0.71, 0.37, 0.18, 0.73, 0.29}},
      {1, "high", "GCN", "ColdBrew",
       {84.80, 75.33, 78.66, 71.98, 77.07, 82.16, 70.57, 53.72, 26.67},
       {0.04, 0.84, 0.38, 0.95, 0.14, 0.39, 0.36, 0.48, 0.29}},
      {1, "high", "GCN", "Tail-GNN",
       {84.13, 74.85, 78.74, 78.91, 80.32, 86.75, oom, 54.53, 27.13},
       {0.48, 0.30, 0.34, 0.97, 0.60, 0.90, oom, 0.12, 0.44}},
      {1, "high", "GCN", "TuneUp",
       {87.13, 76.95, 81.74, 83.11, 81.57, 90.65, 80.09, 54.25, 26.64},
       {0.67, 0.63, 0.49, 0.53, 0.07, 0.86, 0.51, 0.59, 0.71}},
      {1, "high", "GCN", "EERM",
       {85.89, 76.32, 79.98, 82.98, 84.32, 90.17, 80.37, 54.41, 27.39},
       {0.09, 0.23, 0.06, 0.07, 0.96, 0.11, 0.12, 0.71, 0.14}},
      {1, "high", "GCN", "GTrans",
       {86.32, 76.60, 80.56, 83.42, 83.95, 89.99, 80.77, 54.21, 27.29},
       {0.34, 0.44, 0.92, 0.04, 0.99, 0.10, 0.26, 0.19, 0.12}},
      {1, "high", "GCN", "DropEdge",
       {86.53, 76.35, 81.44, 83.37, 84.97, 89.28, 80.64, 54.17, 27.38},
       {0.99, 0.17, 0.51, 0.43, 0.56, 0.08, 0.36, 0.11, 0.21}},
      {1, "high", "GCN", "GraphPatcher",
       {88.02, 76.65, 83.83, 83.49, 84.17, 90.59, 80.61, 54.20, 27.43},
       {0.11, 0.18, 0.79, 0.22, 0.97, 0.46, 0.25, 0.21, 0.62}},
      {1, "overall", "GCN", "none",
       {81.22, 70.51, 79.14, 77.30, 80.38, 88.16, 71.73, 52.83, 27.20},
       {0.40, 0.46, 0.31, 0.41, 0.86, 0.66, 0.14, 0.35, 0.57}},
      {1, "overall", "GCN", "ColdBrew",
       {80.70, 70.10, 78.66, 73.82, 78.24, 85.80, 63.55, 52.12, 26.75},
       {0.86, 0.55, 0.93, 0.69, 0.62, 0.79, 0.48, 0.53, 0.32}},
      {1, "overall", "GCN", "Tail-GNN",
       {79.44, 65.80, 76.14, 74.66, 80.68, 87.02, oom, 52.46, 27.62},
       {0.64, 0.04, 0.25, 0.18, 0.58, 0.33, oom, 0.12, 0.47}},
      {1, "overall", "GCN", "TuneUp",
       {82.11, 70.92, 79.91, 76.93, 79.74, 88.46, 71.51, 52.89, 27.32},
       {0.39, 0.02, 0.26, 0.81, 0.28, 0.97, 0.30, 0.41, 0.64}},
      {1, "overall", "GCN", "EERM",
       {81.47, 70.08, 78.65, 77.29, 79.79, 88.07, 71.70, 52.93, 27.65},
       {0.19, 0.19, 0.43, 0.96, 0.61, 0.30, 0.18, 0.24, 0.29}},
      {1, "overall", "GCN", "GTrans",
       {80.79, 69.51, 78.67, 76.39, 80.02, 88.06, 71.77, 52.67, 26.93},
       {0.51, 0.93, 0.93, 0.27, 0.80, 0.96, 0.19, 0.35, 0.41}},
      {1, "overall", "GCN", "DropEdge",
       {81.10, 71.10, 78.90, 77.49, 81.11, 87.56, 71.82, 52.89, 27.28},
       {0.31, 0.86, 0.68, 0.78, 0.72, 0.64, 0.33, 0.22, 0.32}},
      {1, "overall", "GCN", "GraphPatcher",
       {84.17, 71.65, 81.13, 78.12, 81.23, 89.44, 72.31, 53.21, 28.34},
       {0.54, 0.05, 0.68, 0.57, 0.32, 0.79, 0.22, 0.39, 0.24}},
      {2, "low", "GCN", "none",
       {73.27, 64.86, 76.88, 72.98, 75.59, 84.59, 63.15},
       {0.01, 0.92, 0.40, 0.50, 0.43, 0.45, 0.13}},
      {2, "low", "GCN", "TuneUp",
       {74.47, 65.17, 77.18, 72.60, 76.08, 84.68, 63.34},
       {0.34, 0.22, 0.39, 0.75, 0.62, 0.50, 0.32}},
      {2, "low", "GCN", "GraphPatcher",
       {78.08, 67.27, 78.98, 74.04, 77.84, 86.76, 64.01},
       {0.06, 0.20, 0.21, 0.86, 0.36, 0.84, 0.12}},
      {2, "low", "GraphSAGE", "none",
       {70.57, 67.44, 76.58, 61.83, 76.32, 74.53, 61.64},
       {0.84, 0.11, 0.36, 0.89, 0.33, 0.69, 0.62}},
      {2, "low", "GraphSAGE", "TuneUp",
       {71.47, 67.44, 77.78, 58.46, 78.48, 74.88, 62.43},
       {0.11, 0.21, 0.92, 0.77, 0.89, 0.76, 0.59}},
      {2, "low", "GraphSAGE", "GraphPatcher",
       {72.33, 67.89, 78.93, 61.46, 78.11, 75.14, 62.92},
       {0.21, 0.33, 0.05, 0.40, 0.13, 0.21, 0.28}},
      {2, "low", "GAT", "none",
       {73.27, 69.07, 72.37, 73.72, 79.66, 86.93, 63.54},
       {0.51, 0.11, 0.27, 0.64, 0.58, 0.50, 0.20}},
      {2, "low", "GAT", "TuneUp",
       {76.58, 66.67, 72.07, 72.08, 81.08, 86.72, 63.71},
       {0.07, 0.33, 0.81, 0.20, 0.25, 0.84, 0.31}},
      {2, "low", "GAT", "GraphPatcher",
       {76.88, 70.87, 74.47, 74.26, 80.05, 89.50, 64.12},
       {0.32, 0.78, 0.63, 0.72, 0.19, 0.93, 0.14}},
      {2, "high", "GCN", "none",
       {86.83, 77.25, 80.84, 83.40, 84.07, 90.20, 80.46},
       {0.17, 1.00, 0.76, 0.70, 0.71, 0.37, 0.18}},
      {2, "high", "GCN", "TuneUp",
       {87.13, 76.95, 81.74, 83.11, 81.57, 90.65, 80.09},
       {0.67, 0.63, 0.49, 0.53, 0.07, 0.86, 0.51}},
      {2, "high", "GCN", "GraphPatcher",
       {88.02, 76.65, 83.83, 83.49, 84.17, 90.59, 80.61},
       {0.11, 0.18, 0.79, 0.22, 0.97, 0.46, 0.25}},
      {2, "high", "GraphSAGE", "none",
       {82.04, 72.46, 80.24, 60.83, 77.30, 69.24, 78.66},
       {0.01, 0.70, 0.12, 0.18, 0.56, 0.55, 0.08}},
      {2, "high", "GraphSAGE", "TuneUp",
       {80.84, 73.95, 81.14, 60.90, 79.36, 70.12, 79.26},
       {0.36, 0.36, 0.41, 0.05, 0.89, 0.25, 0.51}},
      {2, "high", "GraphSAGE", "GraphPatcher",
       {82.14, 73.22, 81.66, 61.02, 78.57, 70.53, 79.91},
       {0.48, 0.25, 0.46, 0.44, 0.14, 0.68, 0.31}},
      {2, "high", "GAT", "none",
       {85.33, 76.65, 81.14, 82.21, 87.84, 91.33, 81.37},
       {0.36, 0.80, 0.20, 0.44, 0.23, 0.81, 0.16}},
      {2, "high", "GAT", "TuneUp",
       {86.23, 76.65, 80.84, 81.73, 89.02, 92.00, 81.44},
       {0.47, 0.33, 0.02, 0.36, 0.78, 0.04, 0.11}},
      {2, "high", "GAT", "GraphPatcher",
       {86.53, 76.35, 81.14, 82.34, 87.84, 91.61, 81.49},
       {0.37, 0.39, 0.89, 0.08, 0.56, 0.20, 0.15}},
      {3, "low", "DGI", "none",
       {78.47, none, 75.63, 75.86},
       {0.37, none, 0.82, 0.61}},
      {3, "low", "DGI", "GraphPatcher",
       {79.95, none, 78.04, 77.31},
       {0.53, none, 0.97, 0.91}},
      {3, "low", "GRACE", "none",
       {77.81, none, 77.80, 74.31},
       {0.73, none, 0.65, 0.63}},
      {3, "low", "GRACE", "GraphPatcher",
       {78.53, none, 78.49, 75.12},
       {0.82, none, 0.16, 0.34}},
      {3, "low", "ParetoGNN", "none",
       {78.85, none, 78.32, 74.17},
       {0.71, none, 0.33, 0.18}},
      {3, "low", "ParetoGNN", "GraphPatcher",
       {79.91, none, 79.11, 76.41},
       {0.62, none, 0.89, 0.22}},
      {3, "high", "DGI", "none",
       {86.83, none, 81.14, 81.09},
       {0.82, none, 0.28, 0.81}},
      {3, "high", "DGI", "GraphPatcher",
       {86.91, none, 82.31, 80.95},
       {0.10, none, 0.53, 0.19}},
      {3, "high", "GRACE", "none",
       {85.03, none, 78.74, 83.91},
       {0.05, none, 0.84, 0.56}},
      {3, "high", "GRACE", "GraphPatcher",
       {85.12, none, 79.58, 84.12},
       {0.25, none, 0.31, 0.22}},
      {3, "high", "ParetoGNN", "none",
       {87.03, none, 80.89, 81.57},
       {0.84, none, 0.84, 0.84}},
      {3, "high", "ParetoGNN", "GraphPatcher",
       {87.32, none, 80.55, 81.78},
       {0.27, none, 0.32, 0.51}},
      {4, "low", "GRAND", "none",
       {80.18, 70.57, 80.48},
       {0.64, 0.68, 0.14}},
      {4, "low", "GRAND", "GraphPatcher",
       {81.58, 72.73, 84.68},
       {0.45, 0.29, 0.29}},
      {4, "high", "GRAND", "none",
       {88.32, 79.64, 83.53},
       {0.75, 0.86, 0.52}},
      {4, "high", "GRAND", "GraphPatcher",
       {88.92, 79.54, 84.43},
       {0.18, 0.13, 0.21}},
      {4, "overall", "GRAND", "none",
       {85.22, 74.90, 82.30},
       {0.80, 0.77, 0.41}},
      {4, "overall", "GRAND", "GraphPatcher",
       {85.90, 76.10, 84.20},
       {0.44, 0.38, 0.26}},
  });
}();
// clang-format on

/// The value of a table, if it has one. Names as the paper writes them; datasets as load_dataset() does.
constexpr std::optional<paper_number> paper_value(int table, std::string_view group, std::string_view backbone,
                                                  std::string_view method, std::string_view dataset) {
  for (const auto& row : paper_rows) {
    if (row.table == table && row.group == group && row.backbone == backbone && row.method == method) {
      for (std::size_t i = 0; i < paper_datasets.size(); ++i) {
        if (paper_datasets[i] == dataset && row.accuracy[i] != 0) {
          return paper_number{row.accuracy[i], row.deviation[i]};
        }
      }
    }
  }
  return std::nullopt;
}

/// "gcn" as the paper writes it; a name it doesn't know stays as it is.
constexpr std::string_view paper_backbone(std::string_view backbone) {
  constexpr std::array<std::array<std::string_view, 2>, 7> names{{{"gcn", "GCN"},
                                                                  {"sage", "GraphSAGE"},
                                                                  {"gat", "GAT"},
                                                                  {"dgi", "DGI"},
                                                                  {"grace", "GRACE"},
                                                                  {"paretognn", "ParetoGNN"},
                                                                  {"grand", "GRAND"}}};
  for (const auto& [ours, theirs] : names) {
    if (ours == backbone) {
      return theirs;
    }
  }
  return backbone;
}

}  // namespace graphpatcher
