// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "experiments/report/comparison.hpp"
#include "experiments/report/sheet.hpp"

/// Tables 1 to 4 of the paper, ours beside the paper's numbers.
namespace graphpatcher {

/// "Tail-GNN" and "tailgnn" are one name.
std::string bare_name(std::string_view name);

/// One group of one table: a column a dataset, a row a method. Backbones and datasets without a result of ours are left
/// out; no rows if that is all of them.
sheet paper_table(const cell_index& index, int table, node_group group);

/// What the cells of these tables say.
inline constexpr const char* paper_table_hint =
    "Accuracy in percent on the datasets that were run, mean ± standard deviation over seeds; below it the paper's "
    "mean and ours minus the paper's. "
    "Gains are paired by seed, with a 95 % interval (Student t) in brackets; an arrow without a coloured ground may be "
    "noise. Controls that patch have as many patches as GraphPatcher chose. The best control is the rule with answers "
    "that need "
    "no training (weighted-controls) where it was run, else the control best on test: that with the highest mean "
    "accuracy "
    "on the low third.";

}  // namespace graphpatcher
