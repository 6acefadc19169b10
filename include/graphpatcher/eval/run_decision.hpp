// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "graphpatcher/core/choice_words.hpp"
#include "graphpatcher/eval/number_text.hpp"

/// How a run comes from answers with 0, 1, 2, ... patches to one: as plain data, for records, tables and reports.
namespace graphpatcher {

enum class patch_rule {
  weighted,   ///< all answers weighed on validation nodes, or the backbone where that is no surer (docs/rule.md)
  validated,  ///< the number of patches that does best on validation nodes
  always,     ///< the given number of patches for every node
};

template <>
struct choice_words<patch_rule> {
  static constexpr std::array list{word<patch_rule>{"weighted", patch_rule::weighted},
                                   word<patch_rule>{"validated", patch_rule::validated},
                                   word<patch_rule>{"always", patch_rule::always}};
};

/// An answer that the rule gives a weight.
struct weighted_answer {
  std::string name;
  double weight = 0;

  bool operator==(const weighted_answer&) const = default;
};

/// What the rule that weighs has found out in a run.
struct run_decision {
  bool accepted = false;  ///< the verdict; without it the answers are the backbone's, bit for bit
  double evidence = 0;    ///< t
  double needed = 0;      ///< what t must be above
  double agreement = 0;   ///< H
  std::size_t validation_nodes = 0;
  std::vector<weighted_answer> weights;  ///< the largest, largest first
  std::vector<std::string> warnings;

  bool operator==(const run_decision&) const = default;

  /// "the weighted answers (t = 4.21, needed 1.0; H = 0.72; 500 validation nodes)".
  std::string verdict() const {
    return text(accepted ? "the weighted answers" : "the backbone alone", " (t = ", fixed_text(evidence, 2),
                ", needed ", fixed_text(needed, 1), "; H = ", fixed_text(agreement, 2), "; ", validation_nodes,
                " validation nodes)");
  }

  /// Verdict, weights and warnings, a line each.
  std::string report() const {
    std::string lines = "verdict: " + verdict() + "\n";
    for (const auto& [name, weight] : weights) {
      lines += text("  ", fixed_text(weight, 3), "  ", name, "\n");
    }
    for (const auto& warning : warnings) {
      lines += "warning: " + warning + "\n";
    }
    return lines;
  }
};

}  // namespace graphpatcher
