// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/models/backbone.hpp"
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
class gcn_backbone {
public:
  using scalar_type = T;
  static constexpr std::string_view name = "gcn";  ///< in run records

  std::vector<gcn_layer<T>> layers;

  gcn_backbone(const gcn_config& config, std::size_t features, std::size_t classes)
      : dropout_(static_cast<T>(config.dropout)) {
    expects(config.layers >= 1, "gcn_backbone: expected at least 1 layer, got 0");
    expects_dropout(config.dropout, "gcn_backbone");
    const random_stream random(config.seed, purpose::initialisation);
    for (std::size_t l = 0; l < config.layers; ++l) {
      const bool last = l + 1 == config.layers;
      layers.emplace_back(l == 0 ? features : config.hidden, last ? classes : config.hidden, config.norm,
                          random.fork(l), text("layers.", l));
    }
  }

  std::size_t hops() const noexcept { return layers.size(); }
  std::size_t classes() const noexcept { return layers.back().outputs(); }

  parameter_list<T> parameters() { return parameters_of(layers); }

  /// Layer l is computed only as far from the targets as later layers see.
  template <graph_index I>
  variable<T> forward(tape<T>& t, const message_graph<I>& graph, const node_features<T, I>& x) const {
    auto h = layers.front().forward(t, graph.towards(hops() - 1), x);
    for (std::size_t l = 1; l < hops(); ++l) {
      h = dropout(relu(h), dropout_, node_keys(graph, h.rows()));
      h = layers[l].forward(t, graph.towards(hops() - 1 - l), h);
    }
    return h;
  }

private:
  T dropout_;
};

}  // namespace graphpatcher
