// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/detail/run_settings.hpp"

namespace graphpatcher {

std::string setting_text(const setting_value& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using type = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::same_as<type, bool>) {
          return held ? "true" : "false";
        } else if constexpr (std::same_as<type, std::string>) {
          return held;
        } else if constexpr (std::same_as<type, double>) {
          return shortest_text(held);
        } else {
          return std::to_string(held);
        }
      },
      value);
}

std::optional<settings_difference> first_difference(const run_settings& before, const run_settings& now) {
  for (const auto& [name, value] : now.entries()) {
    for (const auto& [known, kept] : before.entries()) {
      if (known == name && setting_text(kept) != setting_text(value)) {
        return settings_difference{name, setting_text(kept), setting_text(value)};
      }
    }
  }
  return {};
}

}  // namespace graphpatcher
