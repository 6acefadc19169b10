// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "graphpatcher/core/matrix.hpp"

namespace graphpatcher {

/// "; the weight '...' isn't finite either" for the first such weight of a model, or
/// nothing. Weights in a device's memory are not looked at.
template <class Model>
std::string bad_weight_of(const Model& model) {
  Model copy = model;  // parameters() is for those who may change them
  for (const auto* p : copy.parameters()) {
    const auto finite = [](auto value) { return std::isfinite(value); };
    if (p->value.on_host() && !std::ranges::all_of(p->value.values(), finite)) {
      return "; the weight '" + p->name + "' isn't finite either";
    }
  }
  return {};
}

/// Throws numeric_error unless logits on the host are finite; names the weight at
/// fault, if one of these models has it.
template <class T, class... Models>
void expects_finite_logits(matrix_view<const T> logits, const std::string& name, const Models&... models) {
  try {
    expects_finite(logits, name.c_str());
  } catch (const numeric_error& found) {
    throw numeric_error(found.what() + (bad_weight_of(models) + ...));
  }
}

}  // namespace graphpatcher
