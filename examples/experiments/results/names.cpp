// SPDX-License-Identifier: MIT
#include "experiments/results/names.hpp"

#include <algorithm>

#include "graphpatcher/methods/registry.hpp"

namespace graphpatcher {

std::span<const method_info> known_methods() {
  return methods::infos;
}

const method_info& find_method(std::string_view name) {
  return methods::find(name);
}

method_info info_of(std::string_view name) {
  const auto at = std::ranges::find(known_methods(), name, &method_info::name);
  return at == known_methods().end() ? method_info{name, ""} : *at;
}

std::vector<std::string> methods_of(method_role role) {
  std::vector<std::string> names;
  for (const auto& info : known_methods()) {
    if (info.role == role) {
      names.emplace_back(info.name);
    }
  }
  return names;
}

const std::string& baseline_name() {
  static const std::string name = methods_of(method_role::baseline).front();
  return name;
}

const std::string& patcher_name() {
  static const std::string name = methods_of(method_role::patcher).front();
  return name;
}

const std::string& rule_name() {
  static const std::string name = methods_of(method_role::rule).front();
  return name;
}

namespace {

constexpr std::string_view random_suffix = "-random";

}  // namespace

std::string random_dataset(std::string_view dataset) {
  return std::string(dataset) + std::string(random_suffix);
}

std::string public_dataset(std::string_view dataset) {
  return std::string(dataset.ends_with(random_suffix) ? dataset.substr(0, dataset.size() - random_suffix.size())
                                                      : dataset);
}

bool is_measured_by_auc(std::string_view dataset) {
  const auto name = public_dataset(dataset);
  return name == "minesweeper" || name == "tolokers" || name == "questions";
}

}  // namespace graphpatcher
