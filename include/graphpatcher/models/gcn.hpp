// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graphpatcher/models/compiled.hpp"
#include "graphpatcher/models/layer_stack.hpp"
#include "graphpatcher/nn/gcn.hpp"

namespace graphpatcher {

template <class T>
class gcn_backbone;

/// The paper's settings: mean normalisation on Cora and Citeseer, symmetric on Pubmed.
struct gcn_config {
  std::size_t layers = 2;
  std::size_t hidden = 64;
  double dropout = 0.5;  ///< before every layer but the first
  normalisation norm = normalisation::mean;
  std::uint64_t seed = 0;

  template <class T>
  using model_type = gcn_backbone<T>;
};

/// Graph convolutions with ReLU and dropout between them. Parameters:
/// "layers.0.weight", "layers.0.bias", "layers.1.weight", ...
template <class T>
class gcn_backbone : public layer_stack<T, gcn_layer<T>> {
public:
  static constexpr std::string_view name = "gcn";  ///< in run records

  gcn_backbone(const gcn_config& config, std::size_t features, std::size_t classes)
      : layer_stack<T, gcn_layer<T>>(config, config.norm, features, classes) {}
};

template <class T>
struct compiled::built_in<gcn_backbone<T>> {
  using type = gcn_backbone<T>;
};

}  // namespace graphpatcher
