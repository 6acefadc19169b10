// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphpatcher/methods/method_info.hpp"

/// What can be run, by name, in the order of tables.
namespace graphpatcher {

/// The datasets of this project's tables, as load_dataset() calls them.
inline constexpr std::array<std::string_view, 7> experiment_datasets{
    "cora", "citeseer", "pubmed", "amazon-photo", "coauthor-cs", "chameleon", "actor"};

inline constexpr std::array<std::string_view, 3> experiment_backbones{"gcn", "sage", "gat"};

/// Presets of a patcher's options; run/settings.hpp says what they stand for.
inline constexpr std::array<std::string_view, 6> experiment_presets{"best",  "released", "paper",
                                                                    "small", "spread",   "tuned"};

/// A dataset with a public split, split at random instead, by each seed otherwise: "cora-random" (--splits).
std::string random_dataset(std::string_view dataset);
/// The dataset of such a name, or of any other: "cora".
std::string public_dataset(std::string_view dataset);

/// Whether ROC-AUC stands for accuracy, as those who made the dataset measure: of two uneven classes.
bool is_measured_by_auc(std::string_view dataset);

/// Every method of the library (methods/registry.hpp), and one of them: argument_error if there is none of that name.
std::span<const method_info> known_methods();
const method_info& find_method(std::string_view name);
/// For results that a later version may have written: a name that isn't known is another training.
method_info info_of(std::string_view name);

/// Names of the methods of a role; the only one of it.
std::vector<std::string> methods_of(method_role role);
const std::string& baseline_name();  ///< the backbone alone
const std::string& patcher_name();   ///< GraphPatcher, which has settings
const std::string& rule_name();      ///< the rule that weighs all answers of its patchers
/// The fairest of controls, if it is known: the same rule with answers that need no training.
inline constexpr std::string_view fair_control = "weighted-controls";

}  // namespace graphpatcher
