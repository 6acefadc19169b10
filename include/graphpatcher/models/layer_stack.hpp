// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/core/option.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/nn/module.hpp"

namespace graphpatcher {

/// Message-passing layers of one kind, one after the other: what every backbone made of
/// them has. Parameters: "layers.0.<name>", ...
template <class T, class Layer>
class layer_stack {
public:
  using scalar_type = T;

  std::vector<Layer> layers;

  std::size_t hops() const noexcept { return layers.size(); }
  std::size_t classes() const noexcept { return layers.empty() ? 0 : layers.back().outputs(); }
  parameter_list<T> parameters() { return parameters_of(layers); }

protected:
  /// Rows go through between() on their way from one layer to the next. Layer l is
  /// computed only as far from the targets as later layers see.
  template <graph_index I>
  variable<T> run(tape<T>& t, const message_graph<I>& graph, const node_features<T, I>& x, auto&& between) const {
    expects_layers(layers, "backbone");
    auto h = layers.front().forward(t, graph.towards(hops() - 1), x);
    for (std::size_t l = 1; l < hops(); ++l) {
      h = layers[l].forward(t, graph.towards(hops() - 1 - l), between(h));
    }
    return h;
  }
};

struct stack_sizes {
  std::size_t layers, hidden, features, classes;
};

namespace detail {

/// The layers of such a stack as training begins with them; `options` go to every layer.
template <class Layer, class Options>
std::vector<Layer> make_layers(const stack_sizes& sizes, const Options& options, std::uint64_t seed) {
  const random_stream random(seed, purpose::initialisation);
  std::vector<Layer> layers;
  for (std::size_t l = 0; l < sizes.layers; ++l) {
    const bool last = l + 1 == sizes.layers;
    layers.emplace_back(l == 0 ? sizes.features : sizes.hidden, last ? sizes.classes : sizes.hidden, options,
                        random.fork(l), text("layers.", l));
  }
  return layers;
}

}  // namespace detail

/// Layers with ReLU and dropout between them: the shape of GCN and GraphSAGE backbones.
template <class T, class Layer>
class relu_stack : public layer_stack<T, Layer> {
public:
  template <graph_index I>
  variable<T> forward(tape<T>& t, const message_graph<I>& graph, const node_features<T, I>& x) const {
    return this->run(t, graph, x,
                     [&](variable<T> h) { return dropout(relu(h), dropout_, node_keys(graph, h.rows())); });
  }

protected:
  /// `config` has layers, hidden, dropout and seed among its options; `options` go to every layer.
  template <class Config, class Options>
  relu_stack(const Config& config, const Options& options, std::size_t features, std::size_t classes)
      : dropout_(static_cast<T>(config.dropout)) {
    check_options("backbone", config);
    this->layers = detail::make_layers<Layer>({config.layers, config.hidden, features, classes}, options, config.seed);
  }

private:
  T dropout_;
};

}  // namespace graphpatcher
