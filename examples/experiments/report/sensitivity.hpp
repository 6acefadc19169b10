// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/report/cell_index.hpp"
#include "experiments/report/figures.hpp"

/// How results follow one option: learning rate, hidden size, strength, number of samples.
namespace graphpatcher {

/// One value of an option: the setting that has it, and the value as text.
struct option_value {
  std::string value;
  std::string setting;
};

/// One option by value, the rest as in the setting `base`, on one dataset and
/// backbone. The exact expectation counts as a number of samples: it is the
/// limit of many.
struct option_sweep {
  std::string dataset, backbone, base, option;
  std::vector<option_value> values;
};

/// Seeds that every value of a sweep has: others would compare different backbones.
std::vector<std::uint64_t> common_seeds(const cell_index& index, const option_sweep& sweep);

/// Every option that was tried with another value than that of the setting before it: "small loss=paper samples=5" has
/// another number of samples than "small loss=paper".
std::vector<option_sweep> option_sweeps(const cell_index& index);

/// Gain over the backbone by the option's value, with 95 % bands; nothing without a seed that all values have.
experiment_figure sweep_figure(const cell_index& index, const option_sweep& sweep);

}  // namespace graphpatcher
