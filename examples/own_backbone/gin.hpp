// SPDX-License-Identifier: MIT
#pragma once

#include <graphpatcher/autodiff/functions.hpp>
#include <graphpatcher/nn/linear.hpp>
#include <graphpatcher/patcher/row_model.hpp>

namespace gp = graphpatcher;

/// A layer of the graph isomorphism network (Xu et al., 2019), eps = 0:
///   h_i = W2 relu(W1 (x_i + sum of neighbours x_j) + b1) + b2
template <class T>
struct gin_layer {
  gp::linear<T> first, second;

  gin_layer(std::size_t in, std::size_t hidden, std::size_t out, gp::random_stream random)
      : first(in, hidden, {}, random.fork(0)), second(hidden, out, {}, random.fork(1)) {}
  gp::parameter_list<T> parameters() { return {&first.weight, &first.bias, &second.weight, &second.bias}; }

  /// Every row of a message graph lists its own node first, so a plain sum is all GIN needs.
  template <gp::graph_index I, class Input>
  gp::variable<T> forward(gp::tape<T>& t, const gp::message_block<I>& block, const Input& x) const {
    const auto messages = gp::project(x, t.use(first.weight), block.source_rows());
    const auto sums = gp::aggregate(block, messages, gp::normalisation::sum);
    return second.forward(t, gp::relu(gp::add_bias(sums, t.use(first.bias))));
  }
};

/// The same layer for the fast path, one receiver at a time: message = W1 x, out = W2 relu(sum of messages + b1) + b2.
template <class T>
struct gin_row {
  using scalar_type = T;
  const gp::linear<T>* first;
  gp::row_linear<T> second;
  explicit gin_row(const gin_layer<T>& layer) : first(&layer.first), second(layer.second) {}

  std::size_t outputs() const { return second.outputs(); }
  gp::matrix<T> linear_weight() const { return first->weight.value; }

  void sum_up(const gp::row_sources<T>& in, std::vector<T>& hidden) const {
    hidden.resize(gp::padded(first->outputs()));
    gp::sum_sources(in, hidden.size(), hidden.data());
    for (std::size_t c = 0; c < first->outputs(); ++c) {
      hidden[c] = std::max(hidden[c] + first->bias.value(0, c), T(0));
    }
  }
  void combine(const gp::row_sources<T>& in, T* out, std::vector<T>& hidden) const {
    sum_up(in, hidden);
    second.forward(hidden.data(), out);
  }
  void combine_adjoint(const gp::row_sources<T>& in, const T* g, std::size_t, T* g_source, T*,
                       std::vector<T>& hidden) const {
    sum_up(in, hidden);
    std::vector<T> slopes(hidden.size());
    second.adjoint(g, slopes.data());
    for (std::size_t c = 0; g_source != nullptr && c < hidden.size(); ++c) {
      g_source[c] += hidden[c] > T(0) ? slopes[c] : T(0);
    }
  }
};

/// Two of them: a backbone, as the library asks for one. Without rows() it would take the generic path.
template <class T>
struct gin_backbone {
  using scalar_type = T;
  std::vector<gin_layer<T>> layers;

  gin_backbone(std::size_t features, std::size_t hidden, std::size_t classes, gp::random_stream random)
      : layers{{features, hidden, hidden, random.fork(0)}, {hidden, hidden, classes, random.fork(1)}} {}

  std::size_t hops() const { return 2; }
  std::size_t classes() const { return layers[1].second.outputs(); }
  gp::parameter_list<T> parameters() { return gp::parameters_of(layers); }
  auto rows() const { return gp::row_model(gin_row<T>(layers[0]), gin_row<T>(layers[1]), gp::relu_activation{}); }

  template <gp::graph_index I>
  gp::variable<T> forward(gp::tape<T>& t, const gp::message_graph<I>& graph, const gp::node_features<T, I>& x) const {
    return layers[1].forward(t, graph.towards(0), gp::relu(layers[0].forward(t, graph.towards(1), x)));
  }
};
