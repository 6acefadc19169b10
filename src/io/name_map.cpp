// SPDX-License-Identifier: MIT
#include "graphpatcher/io/name_map.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher::detail {

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string result = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    result += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return result + "]";
}

bool same_shape(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  const auto not_one = [](std::size_t extent) { return extent != 1; };
  return std::equal(std::find_if(a.begin(), a.end(), not_one), a.end(), std::find_if(b.begin(), b.end(), not_one),
                    b.end());
}

template <real_number T>
const npy_array<T>& find_tensor(const state_dict<T>& state, const tensor_place& place) {
  auto found = state.find(place.name);
  for (const auto& name : place.also) {
    found = found == state.end() ? state.find(name) : found;
  }
  if (found == state.end()) {
    std::string known;
    for (const auto& [name, tensor] : state) {
      known += (known.empty() ? "" : ", ") + shortened(name);
    }
    throw argument_error(text("state dict: expected a tensor '", place.name, "' ", shape_text(place.shape),
                              ", which is missing; it has ", known.empty() ? "none" : known));
  }
  return found->second;
}

template const npy_array<float>& find_tensor<float>(const state_dict<float>&, const tensor_place&);
template const npy_array<double>& find_tensor<double>(const state_dict<double>&, const tensor_place&);

const tensor_place& place_of(const name_map& names, const std::string& parameter_name) {
  const auto found = names.find(parameter_name);
  expects(found != names.end(), "name map: expected an entry for the parameter '", parameter_name, "', got none");
  return found->second;
}

}  // namespace graphpatcher::detail
