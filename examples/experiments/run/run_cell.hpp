// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "experiments/run/cell_options.hpp"
#include "experiments/run/cell_scorer.hpp"
#include "graphpatcher/methods/some_backbone.hpp"
#include "graphpatcher/models/train_backbone.hpp"

namespace graphpatcher {

/// What the methods of a unit begin with.
struct cell_backbone {
  some_backbone<float, std::int32_t> untrained;
  some_backbone<float, std::int32_t> trained;
  fit_options fit;  ///< how it was trained
};

/// Runs one method and scores it. Labels of validation nodes choose the weights
/// and the number of patches; labels of other nodes outside of training are used
/// for the scores only.
cell_result run_cell(const executor& exec, const experiment_data& data, const cell_backbone& backbone,
                     const cell_scorer& scorer, const cell_key& key, const cell_options& options = {});

}  // namespace graphpatcher
