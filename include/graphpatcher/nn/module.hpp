// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "graphpatcher/autodiff/parameter.hpp"
#include "graphpatcher/core/error.hpp"

/// Small things that all layers share. A layer is a struct of parameters with
/// two functions, parameters() and forward(); there is nothing to inherit.
namespace graphpatcher {

/// "layers.0" and "weight" make "layers.0.weight", as PyTorch names parameters;
/// an empty prefix leaves the name alone.
inline std::string parameter_name(std::string_view prefix, std::string_view name) {
  return prefix.empty() ? std::string(name) : std::string(prefix) + "." + std::string(name);
}

/// The parameters of a range of layers, in their order.
template <class Layers>
auto parameters_of(Layers& layers) {
  decltype(layers.begin()->parameters()) list;
  for (auto& layer : layers) {
    const auto more = layer.parameters();
    list.insert(list.end(), more.begin(), more.end());
  }
  return list;
}

/// Throws unless there is a layer to begin with.
template <class Layers>
void expects_layers(const Layers& layers, const char* name) {
  expects(!layers.empty(), name, ": expected at least 1 layer, got none; was it moved from?");
}

/// Throws unless a layer has at least one input and one output.
inline void expects_widths(std::size_t in, std::size_t out, const char* layer) {
  expects(in >= 1 && out >= 1, layer, ": expected at least 1 input and 1 output, got ", in, " and ", out);
}

/// Throws unless p is a probability that leaves something standing.
inline void expects_dropout(double p, const char* layer) {
  expects(p >= 0 && p < 1, layer, ": expected a dropout in [0, 1), got ", p);
}

}  // namespace graphpatcher
