// SPDX-License-Identifier: MIT
#pragma once

#include <graphpatcher/autodiff/functions.hpp>
#include <graphpatcher/models/backbone.hpp>
#include <graphpatcher/nn/linear.hpp>

namespace gp = graphpatcher;

/// A layer of the graph isomorphism network (Xu et al., 2019), eps = 0:
///   h_i = W2 relu(W1 (x_i + sum of neighbours x_j) + b1) + b2
template <class T>
struct gin_layer {
  gp::parameter<T> weight;
  gp::parameter<T> bias;
  gp::linear<T> second;

  gin_layer(std::size_t in, std::size_t hidden, std::size_t out, gp::random_stream random)
      : weight("weight", in, hidden), bias("bias", 1, hidden), second(hidden, out, {}, random.fork(1)) {
    gp::glorot_uniform(weight, random.fork(0));
  }

  gp::parameter_list<T> parameters() {
    auto list = second.parameters();
    list.insert(list.end(), {&weight, &bias});
    return list;
  }

  /// Every row of a message graph lists its own node first, so a plain sum is all GIN needs.
  template <gp::graph_index I, class Input>
  gp::variable<T> forward(gp::tape<T>& t, const gp::message_block<I>& block, const Input& x) const {
    const auto messages = gp::project(x, t.use(weight), block.source_rows());
    const auto sums = gp::aggregate(block, messages, gp::normalisation::sum);
    return second.forward(t, gp::relu(gp::add_bias(sums, t.use(bias))));
  }
};

/// Two of them: a backbone, as the library asks for one.
template <class T>
struct gin_backbone {
  using scalar_type = T;

  gin_layer<T> first;
  gin_layer<T> last;

  gin_backbone(std::size_t features, std::size_t hidden, std::size_t classes, std::uint64_t seed)
      : first(features, hidden, hidden, gp::random_stream(seed, gp::purpose::initialisation).fork(0)),
        last(hidden, hidden, classes, gp::random_stream(seed, gp::purpose::initialisation).fork(1)) {}

  std::size_t hops() const { return 2; }
  std::size_t classes() const { return last.second.outputs(); }

  gp::parameter_list<T> parameters() {
    auto list = first.parameters();
    for (auto* p : last.parameters()) {
      list.push_back(p);
    }
    return list;
  }

  template <gp::graph_index I>
  gp::variable<T> forward(gp::tape<T>& t, const gp::message_graph<I>& graph, const gp::node_features<T, I>& x) const {
    const auto h = gp::relu(first.forward(t, graph.towards(1), x));
    return last.forward(t, graph.towards(0), h);
  }
};

static_assert(gp::backbone<gin_backbone<float>>);
