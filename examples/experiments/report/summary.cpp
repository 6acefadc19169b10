// SPDX-License-Identifier: MIT
#include "experiments/report/summary.hpp"

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/report/comparison.hpp"
#include "experiments/report/node_doubt.hpp"

namespace graphpatcher {

namespace {

using json = nlohmann::ordered_json;

json number(double value) {
  return std::isfinite(value) ? json(std::round(value * 1e4) / 1e4) : json(nullptr);
}

json interval(double low, double high) {
  return std::isfinite(low) ? json{number(low), number(high)} : json(nullptr);
}

json decision_of(const cell_index::by_seed& cells) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [seed, cell] : cells) {
    if (cell->decision) {
      ++counts[cell->decision->accepted ? "weighted" : "backbone"];
    } else if (!cell->answer && cell->by_patches.size() > 1) {
      ++counts[std::to_string(cell->chosen)];
    }
  }
  return counts.empty() ? json(nullptr) : json(counts);
}

/// The controls of one dataset and backbone, each with its own choice.
struct control_list {
  std::vector<std::pair<std::string, seed_scores>> all;
  std::string best, on_test;
};

control_list controls_of(const cell_index& index, const std::string& dataset, const std::string& backbone,
                         const seed_values& base) {
  control_list list;
  double highest = 0;
  for (const auto& name : methods_of(method_role::control)) {
    auto scores = chosen_scores(index.find(dataset, backbone, name));
    if (const auto low = paired(values_of(scores, headline_measure(dataset)), base); low.count > 0) {
      if (list.on_test.empty() || low.mean > highest) {
        highest = low.mean;
        list.on_test = name;
      }
      list.best = name == fair_control ? name : list.best;
      list.all.emplace_back(name, std::move(scores));
    }
  }
  list.best = list.best.empty() ? list.on_test : list.best;
  return list;
}

json over_control(const seed_scores& ours, const control_list& controls, const std::string& name,
                  const std::string& method, const score_measure& m) {
  for (const auto& [control, scores] : controls.all) {
    if (control == name && control != method) {
      const auto gain = paired(values_of(ours, m), values_of(scores, m));
      return {{"control", control}, {"gain", number(gain.mean)}, {"interval", interval(gain.low, gain.high)}};
    }
  }
  return nullptr;
}

}  // namespace

std::string experiment_summary(std::span<const cell_result> cells) {
  auto list = json::array();
  if (cells.empty()) {
    return "[]\n";
  }
  const cell_index index(cells);
  for (const auto& [key, found] : index.all()) {
    const auto& [dataset, backbone, method, setting] = key;
    const auto base = backbone_scores(index, dataset, backbone);
    const auto ours = chosen_scores(found);
    const auto low = headline_measure(dataset);
    const auto controls = controls_of(index, dataset, backbone, values_of(base, low));
    json entry{{"dataset", dataset}, {"backbone", backbone},  {"method", method},
               {"setting", setting}, {"seeds", found.size()}, {"metric", word_of(low.what)}};
    for (const auto group : all_groups) {
      const auto m = headline_measure(dataset, group);
      const auto after = values_of(ours, m);
      const auto gain = paired(after, values_of(base, m));
      seed_values before = values_of(base, m);
      std::erase_if(before, [&](const auto& known) { return !after.contains(known.first); });
      const auto nodes = doubt_of_nodes(found, group);
      entry[group == node_group::overall ? "all" : std::string(word_of(group))] = {
          {"before", number(summarise(before).mean)},
          {"after", number(summarise(after).mean)},
          {"gain", number(gain.mean)},
          {"interval", interval(gain.low, gain.high)},
          {"interval_over_nodes", interval(nodes.low, nodes.high)}};
    }
    entry["over_best_control"] = over_control(ours, controls, controls.best, method, low);
    entry["over_control_best_on_test"] = over_control(ours, controls, controls.on_test, method, low);
    entry["decision"] = decision_of(found);
    list.push_back(std::move(entry));
  }
  return list.dump(2) + "\n";
}

}  // namespace graphpatcher
