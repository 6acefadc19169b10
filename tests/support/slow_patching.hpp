// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/patcher/generator.hpp"
#include "support/slow_layers.hpp"

/// Two-layer models and patches over a whole small graph: slow and obvious.
namespace slow {

/// A graph with features that grows by patches, one-way neighbours of an anchor.
struct patched_graph {
  source_lists sources;
  dense features;

  template <class I>
  patched_graph(const gp::csr_graph<I>& graph, dense x) : sources(sources_of(graph)), features(std::move(x)) {}
  patched_graph(source_lists lists, dense x) : sources(std::move(lists)), features(std::move(x)) {}

  /// A new node with these features that sends to `anchor` and, with a loop, to itself.
  void patch(std::size_t anchor, std::span<const double> values, bool loop) {
    const std::size_t node = sources.size();
    sources[anchor].push_back(node);
    sources.push_back(loop ? std::vector<std::size_t>{node} : std::vector<std::size_t>{});
    dense grown(node + 1, features.cols());
    std::copy(features.values().begin(), features.values().end(), grown.values().begin());
    std::copy(values.begin(), values.end(), grown.row(node).begin());
    features = std::move(grown);
  }
};

/// The graph without some nodes: they keep their ids, but nobody receives from them and they receive nothing.
inline source_lists without_nodes(source_lists sources, const std::vector<std::size_t>& gone) {
  const auto is_gone = [&](std::size_t node) { return std::find(gone.begin(), gone.end(), node) != gone.end(); };
  for (std::size_t v = 0; v < sources.size(); ++v) {
    std::erase_if(sources[v], [&](std::size_t source) { return is_gone(v) || is_gone(source); });
  }
  return sources;
}

inline dense hidden_activation(const gp::gcn_backbone<double>&, dense x) {
  return relu(std::move(x));
}
inline dense hidden_activation(const gp::sage_backbone<double>&, dense x) {
  return relu(std::move(x));
}
inline dense hidden_activation(const gp::gat_backbone<double>&, dense x) {
  return elu(std::move(x));
}

/// The hidden rows of a two-layer model, after the activation.
template <class Model>
dense hidden(const Model& model, const dense& x, const source_lists& sources) {
  return hidden_activation(model, output(model.layers[0], x, sources));
}
/// Its logits, of every node.
template <class Model>
dense logits(const Model& model, const dense& x, const source_lists& sources) {
  return output(model.layers[1], hidden(model, x, sources), sources);
}

/// The patch that a generator makes for an anchor, without dropout: the formulas of patch_generator.
inline std::vector<double> patch_of(const gp::patch_generator<double>& generator, const patched_graph& graph,
                                    std::size_t anchor) {
  const dense a = relu(output(generator.encoder(0), graph.features, graph.sources));
  const dense h = relu(output(generator.encoder(1), a, graph.sources));
  dense joined(1, generator.hidden() + generator.features());
  std::copy(h.row(anchor).begin(), h.row(anchor).end(), joined.data());
  const auto own = graph.features.row(anchor);
  std::copy(own.begin(), own.end(), joined.data() + generator.hidden());
  const auto& layers = generator.decoder().layers;
  dense y = relu(with_bias(product(joined, layers[0].weight.value), layers[0].bias.value));
  y = relu(with_bias(product(y, layers[1].weight.value), layers[1].bias.value));
  const dense p = product(y, layers[2].weight.value);
  return {p.values().begin(), p.values().end()};
}

}  // namespace slow
