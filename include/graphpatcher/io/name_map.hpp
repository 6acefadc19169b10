// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/autodiff/parameter.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/state_dict.hpp"

namespace graphpatcher {

/// Where and how a parameter of ours stands in somebody else's state dict.
struct tensor_place {
  std::string name;
  std::vector<std::size_t> shape;  ///< there
  /// Theirs is [out, in], as nn.Linear keeps it, ours [in, out].
  bool transposed = false;
  /// Theirs is added after the mean over this many heads, ours before: repeated
  /// on the way in, averaged on the way out.
  std::size_t heads = 1;
  std::vector<std::string> also;  ///< what other versions call it
};

/// The places of a model's parameters, by our names of them.
using name_map = std::map<std::string, tensor_place>;

namespace detail {

std::string shape_text(const std::vector<std::size_t>& shape);

/// [1, 5] and [5] are the same row.
bool same_shape(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b);

template <class T>
matrix<T> in_our_layout(const npy_array<T>& tensor, const tensor_place& place, std::size_t rows, std::size_t cols) {
  matrix<T> result(rows, cols);
  const std::size_t count = tensor.values.size();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      result(r, c) = tensor.values[place.transposed ? c * rows + r : (r * cols + c) % count];
    }
  }
  return result;
}

template <class T>
npy_array<T> in_their_layout(const matrix<T>& value, const tensor_place& place) {
  npy_array<T> result{place.shape, std::vector<T>(value.size() / place.heads, T(-0.0))};  // -0 + x is x, also for -0
  const std::size_t count = result.values.size();
  for (std::size_t r = 0; r < value.rows(); ++r) {
    for (std::size_t c = 0; c < value.cols(); ++c) {
      const std::size_t at = place.transposed ? c * value.rows() + r : r * value.cols() + c;
      result.values[at % count] += value(r, c) / static_cast<T>(place.heads);
    }
  }
  return result;
}

/// Throws argument_error if it is not there, under none of its names.
template <real_number T>
const npy_array<T>& find_tensor(const state_dict<T>& state, const tensor_place& place);

/// Throws argument_error without an entry.
const tensor_place& place_of(const name_map& names, const std::string& parameter_name);

}  // namespace detail

/// Sets all parameters of a model (anything with parameters()) from a state
/// dict. All or nothing: the model is untouched if a tensor is missing, has
/// another shape or a number that is not finite. Tensors that `names` doesn't mention are ignored.
template <class Model, class T = typename Model::scalar_type>
void assign_parameters(Model& model, const state_dict<T>& state, const name_map& names) {
  std::vector<matrix<T>> values;
  for (const auto* p : model.parameters()) {
    const auto& place = detail::place_of(names, p->name);
    const auto& tensor = detail::find_tensor(state, place);
    expects<shape_error>(detail::same_shape(tensor.shape, place.shape), "state dict: tensor '", place.name,
                         "' for the parameter '", p->name, "': expected shape ", detail::shape_text(place.shape),
                         ", got ", detail::shape_text(tensor.shape));
    expects<shape_error>(tensor.values.size() * place.heads == p->value.size(), "name map: parameter '", p->name,
                         "' has ", p->value.size(), " values, but the place '", place.name, "' has ",
                         tensor.values.size(), " times ", place.heads);
    for (const T number : tensor.values) {
      expects<numeric_error>(std::isfinite(number), "state dict: tensor '", place.name,
                             "': expected finite numbers, got ", number);
    }
    values.push_back(detail::in_our_layout(tensor, place, p->value.rows(), p->value.cols()));
  }
  std::size_t next = 0;
  for (auto* p : model.parameters()) {
    const executor where = p->value.where();
    p->value = where.on_host() ? std::move(values[next]) : values[next].copy_on(where);
    p->has_gradient = false;
    ++next;
  }
}

/// The parameters of a model as somebody else's state dict.
template <class Model, class T = typename Model::scalar_type>
state_dict<T> export_parameters(const Model& model, const name_map& names) {
  Model copy = model;  // parameters() hands out pointers to change them by
  state_dict<T> state;
  for (const auto* p : copy.parameters()) {
    const auto& place = detail::place_of(names, p->name);
    const auto host = p->value.copy_on(cpu{});
    expects(state.emplace(place.name, detail::in_their_layout(host, place)).second,
            "name map: expected a place of its own for every parameter, got '", place.name, "' twice");
  }
  return state;
}

/// Every parameter under its own name, as it is: for models of the user's.
template <class Model>
name_map own_names(Model& model) {
  name_map names;
  for (const auto* p : model.parameters()) {
    names.emplace(p->name, tensor_place{p->name, {p->value.rows(), p->value.cols()}, false, 1, {}});
  }
  return names;
}

/// The same places under other names: `renamed` maps names of `names` (theirs)
/// to those of a user's module. Names that it doesn't mention stay.
inline name_map rename(name_map names, const std::map<std::string, std::string>& renamed) {
  for (auto& [ours, place] : names) {
    const auto found = renamed.find(place.name);
    if (found != renamed.end()) {
      place.name = found->second;
      place.also.clear();
    }
  }
  return names;
}

}  // namespace graphpatcher
