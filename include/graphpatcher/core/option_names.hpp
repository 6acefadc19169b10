// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/option.hpp"

namespace graphpatcher {

namespace detail {

/// How many letters must be changed, left out or put in to make one word of the other.
inline std::size_t letters_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({changed, corner + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace detail

/// The names of a program's options, and what they were called once: for files
/// that have an old name, and for people who type a wrong one.
class option_names {
public:
  template <lists_options Config>
  void add(const Config& config, std::string_view prefix = {}) {
    for_each_option(
        config, [&](const option& o, const auto&) { add(o.name, o.formerly); }, prefix);
  }
  void add(std::string_view name, std::string_view formerly = {}) {
    names_.emplace_back(name);
    for (std::size_t begin = 0; begin < formerly.size();) {
      const auto end = std::min(formerly.find(' ', begin), formerly.size());
      former_.emplace(formerly.substr(begin, end - begin), name);
      begin = end + 1;
    }
  }

  /// What is called so today: "patch edge" is edge. Names that nothing is known of stay, with underscores.
  std::string now(std::string_view name) const {
    const std::string spelt = option_name(name);
    const auto found = former_.find(spelt);
    return found == former_.end() || std::ranges::count(names_, spelt) > 0 ? spelt : found->second;
  }

  /// Says of a name that is none what it is called today, which name is nearest, or which there are.
  std::string advice(std::string_view wrong) const {
    const std::string spelt = option_name(wrong);
    if (const auto found = former_.find(spelt); found != former_.end()) {
      return text("it is called ", typed_name(found->second), " now");
    }
    const auto distance = [&](const std::string& name) { return detail::letters_between(spelt, name); };
    const auto nearest = std::ranges::min_element(names_, {}, distance);
    if (nearest != names_.end() && distance(*nearest) <= 1 + spelt.size() / 4) {
      return text("did you mean ", typed_name(*nearest), "?");
    }
    std::string all;
    for (const auto& name : names_) {
      all += (all.empty() ? "there are " : ", ") + typed_name(name);
    }
    return all;
  }

private:
  std::vector<std::string> names_;
  std::map<std::string, std::string> former_;
};

}  // namespace graphpatcher
