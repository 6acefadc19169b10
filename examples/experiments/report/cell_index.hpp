// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/results/cell.hpp"
#include "experiments/results/names.hpp"

namespace graphpatcher {

/// A setting taken apart: "paper samples=5" is the preset "paper" and the change samples = 5.
struct setting_parts {
  std::string preset;
  std::vector<std::array<std::string, 2>> changes;  ///< name, value
};

/// Words are separated by blanks; a word with a "=" is a change, and so is all that follows it up to the next one.
setting_parts split_setting(std::string_view setting);

/// Finds the cells of an experiment, by what was run. Keeps pointers: the cells have to outlive it.
class cell_index {
public:
  using by_seed = std::map<std::uint64_t, const cell_result*>;

  /// Of several cells with the same key the last counts. No cells at all, or a
  /// cell without results for the number of patches it chose, are argument_errors.
  explicit cell_index(std::span<const cell_result> cells);

  /// Cells by seed; empty if there are none.
  const by_seed& find(const std::string& dataset, const std::string& backbone, const std::string& method,
                      const std::string& setting) const;
  /// Cells of a method however it was set, the first setting that has any.
  const by_seed& find(const std::string& dataset, const std::string& backbone, const std::string& method) const;

  /// Cells of GraphPatcher in one setting.
  const by_seed& patched(const std::string& dataset, const std::string& backbone, const std::string& setting) const {
    return find(dataset, backbone, patcher_name(), setting);
  }

  /// Names that occur: those of the paper first, in its order, then the others by the alphabet.
  const std::vector<std::string>& datasets() const noexcept { return datasets_; }
  const std::vector<std::string>& backbones() const noexcept { return backbones_; }
  const std::vector<std::string>& methods() const noexcept { return methods_; }
  /// Settings of GraphPatcher, and those without changes: "released", "paper", "best", the most widely run one first.
  /// If every setting has changes, all of them count as presets.
  const std::vector<std::string>& settings() const noexcept { return settings_; }
  const std::vector<std::string>& presets() const noexcept { return presets_; }
  std::size_t count() const noexcept { return count_; }
  /// Everything: dataset, backbone, method, setting -> cells.
  const std::map<std::array<std::string, 4>, by_seed>& all() const noexcept { return cells_; }

private:
  std::map<std::array<std::string, 4>, by_seed> cells_;
  std::vector<std::string> datasets_, backbones_, methods_, settings_, presets_;
  std::size_t count_ = 0;
};

}  // namespace graphpatcher
