// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "graphpatcher/patcher/config.hpp"

/// Settings of a patcher as text: a preset and what differs from it, such as
/// "released", "released loss=paper" or "paper hidden=128 learning-rate=0.001".
namespace graphpatcher {

/// The settings that a search by validation found: dataset-backbone -> setting.
using tuned_settings = std::map<std::string, std::string>;

/// Changes one option by its name (docs/options.md): "hidden=128", "learning-rate=1e-3", "strengths=0.6,0.3"; beyond
/// those strength=T is the sequence ..., 2 T, T. What no option is called is an argument_error with the nearest name.
void apply_change(patcher_config& c, std::string_view change);

/// The options that a setting may change, one a line: name, values, default, meaning.
std::string settings_help();

/// The options that a setting stands for. The presets:
///
///   released  as the released code does: its loss, hidden 1024, AdamW 1e-4 with decay 5e-4, batch 64 (Citeseer 32,
///             Amazon-Photo and Wiki-CS 256)
///   paper     as the paper says: its loss, decay 1e-5, 16 batches a step, stops on validation loss after 2 evaluations
///   small     released with a network a quarter as wide and five times the learning rate
///   spread    small, trained towards predictions that have spread (patch_target::spread)
///   tuned     what a search by validation found (`tuned`), named "dataset-backbone"
///   best      small, as the two patchers of the rule that weighs all answers (docs/rule.md)
patcher_config parse_setting(std::string_view setting, const std::string& dataset, const std::string& backbone,
                             const tuned_settings& tuned = {});

}  // namespace graphpatcher
