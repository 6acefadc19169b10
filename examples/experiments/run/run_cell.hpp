// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "experiments/run/cell_options.hpp"
#include "experiments/run/cell_scorer.hpp"
#include "graphpatcher/methods/some_backbone.hpp"
#include "graphpatcher/models/train_backbone.hpp"

namespace graphpatcher {

/// Patchers of one backbone, each trained once, whichever cells ask for it: the rule's first is that of the method
/// graphpatcher with the same setting.
class patcher_shelf {
public:
  /// The one of these options; `train` makes it where nobody has asked for it before.
  template <class Train>
  const trained_patcher<float>& get(const patcher_config& config, const Train& train) {
    const auto found = std::ranges::find(patchers_, config, [](const auto& entry) { return entry.first; });
    return found != patchers_.end() ? found->second : patchers_.emplace_back(config, train()).second;
  }

private:
  std::deque<std::pair<patcher_config, trained_patcher<float>>> patchers_;
};

/// What the methods of a unit begin with, and what they share.
struct cell_backbone {
  some_backbone<float, std::int32_t> untrained;
  some_backbone<float, std::int32_t> trained;
  fit_options fit;  ///< how it was trained
  patcher_shelf patchers{};
};

/// Runs one method and scores it. Labels of validation nodes choose the weights
/// and the number of patches; labels of other nodes outside of training are used
/// for the scores only. The cell's `seconds` count a patcher that stood on the shelf as if it had been trained.
cell_result run_cell(const executor& exec, const experiment_data& data, cell_backbone& backbone,
                     const cell_scorer& scorer, const cell_key& key, const cell_options& options = {});

}  // namespace graphpatcher
