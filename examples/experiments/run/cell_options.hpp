// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "experiments/results/cell.hpp"
#include "experiments/run/settings.hpp"

namespace graphpatcher {

struct cell_options {
  std::size_t patches = 8;  ///< results with 0, 1, ..., this many
  std::size_t most = 5;     ///< the number is chosen among 0, 1, ..., this
  tuned_settings tuned{};   ///< what the preset `tuned` stands for
};

/// Whether a method is run once for each setting: whether it trains patches.
bool has_settings(std::string_view method);

/// Whether a cell is GraphPatcher in the preset `best`: by the rule of docs/rule.md, the method rule_name().
bool is_best(const cell_key& key);

/// How GraphPatcher is set in a cell.
patcher_config cell_config(const cell_key& key, const cell_options& options);

/// The same by name, as a cell keeps it.
run_settings settings_of(const patcher_config& config);

/// Whether a finished cell is what its key stands for now: presets change, and so does what a search found.
/// Options that only one of the two knows say nothing.
bool is_current(const cell_result& cell, const cell_options& options);

}  // namespace graphpatcher
