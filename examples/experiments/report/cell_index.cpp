// SPDX-License-Identifier: MIT
#include "experiments/report/cell_index.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

#include "experiments/report/paper_numbers.hpp"
#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

namespace {

void add(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) {
    names.push_back(name);
  }
}

/// Those in `first` as they stand there, then the others by the alphabet.
template <std::size_t N>
void order(std::vector<std::string>& names, const std::array<std::string_view, N>& first) {
  const auto rank = [&](const std::string& name) { return std::ranges::find(first, name) - first.begin(); };
  std::ranges::sort(names, [&](const std::string& a, const std::string& b) {
    return std::tuple(rank(a), std::string_view(a)) < std::tuple(rank(b), std::string_view(b));
  });
}

}  // namespace

setting_parts split_setting(std::string_view setting) {
  setting_parts parts;
  for (std::size_t begin = 0; begin < setting.size();) {
    const std::size_t end = std::min(setting.find(' ', begin), setting.size());
    const std::string word(setting.substr(begin, end - begin));
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      parts.changes.push_back({word.substr(0, equals), word.substr(equals + 1)});
    } else if (!word.empty()) {
      std::string& before = parts.changes.empty() ? parts.preset : parts.changes.back()[1];
      before += (before.empty() ? "" : " ") + word;
    }
    begin = end + 1;
  }
  return parts;
}

cell_index::cell_index(std::span<const cell_result> cells) : count_(cells.size()) {
  expects<argument_error>(!cells.empty(),
                          "experiment report: expected at least one finished cell, got none; run the experiment first");
  for (const auto& cell : cells) {
    const auto& key = cell.key;
    expects<argument_error>(cell.chosen < cell.by_patches.size(), "experiment report: ", key.dataset, ", ",
                            key.backbone, ", ", key.method, ", seed ", key.seed, " chose ", cell.chosen,
                            " patches, but has results for fewer than that (", cell.by_patches.size(), " rows)");
    cells_[{key.dataset, key.backbone, key.method, key.setting}][key.seed] = &cell;
    add(datasets_, key.dataset);
    add(backbones_, key.backbone);
    add(methods_, key.method);
    if (key.method == patcher_name()) {
      add(settings_, key.setting);
    }
  }
  order(datasets_, paper_datasets);
  order(backbones_, experiment_backbones);
  order(settings_, experiment_presets);
  std::ranges::copy_if(settings_, std::back_inserter(presets_),
                       [](const std::string& setting) { return split_setting(setting).changes.empty(); });
  if (presets_.empty()) {
    presets_ = settings_;
  }
  // The one that ran on the most pairs of dataset and backbone stands first: a headline must not speak of a chosen
  // few.
  std::ranges::stable_sort(presets_, std::ranges::greater{}, [&](const std::string& setting) {
    return std::ranges::count_if(cells_, [&](const auto& entry) {
      return std::get<2>(entry.first) == patcher_name() && std::get<3>(entry.first) == setting;
    });
  });
}

const cell_index::by_seed& cell_index::find(const std::string& dataset, const std::string& backbone,
                                            const std::string& method, const std::string& setting) const {
  static const by_seed nothing;
  const auto at = cells_.find({dataset, backbone, method, setting});
  return at == cells_.end() ? nothing : at->second;
}

const cell_index::by_seed& cell_index::find(const std::string& dataset, const std::string& backbone,
                                            const std::string& method) const {
  static const by_seed nothing;
  const auto at = cells_.lower_bound({dataset, backbone, method, ""});
  const bool same = at != cells_.end() && std::get<0>(at->first) == dataset && std::get<1>(at->first) == backbone &&
                    std::get<2>(at->first) == method;
  return same ? at->second : nothing;
}

}  // namespace graphpatcher
