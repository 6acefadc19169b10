// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphpatcher/autodiff/functions.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/nn/linear.hpp"

namespace support {

namespace gp = graphpatcher;

/// A deep backbone (APPNP, Gasteiger et al., 2019): two linear layers, then `steps` steps of
///   z = (1 - alpha) mean of neighbours' z + alpha h
/// so it sees as many hops as it has steps.
template <class T>
struct appnp {
  using scalar_type = T;
  gp::linear<T> first, second;
  std::size_t steps;
  double alpha = 0.1;

  appnp(std::size_t features, std::size_t hidden, std::size_t classes, std::size_t hops, std::uint64_t seed = 1)
      : first(features, hidden, {}, gp::random_stream(seed, gp::purpose::initialisation).fork(0)),
        second(hidden, classes, {}, gp::random_stream(seed, gp::purpose::initialisation).fork(1)),
        steps(hops) {}

  std::size_t hops() const { return steps; }
  std::size_t classes() const { return second.outputs(); }
  gp::parameter_list<T> parameters() { return {&first.weight, &first.bias, &second.weight, &second.bias}; }

  template <gp::graph_index I>
  gp::variable<T> forward(gp::tape<T>& t, const gp::message_graph<I>& graph, const gp::node_features<T, I>& x) const {
    const auto h = second.forward(t, gp::relu(first.forward(t, x, graph.towards(steps - 1).source_rows())));
    auto z = h;
    for (std::size_t step = steps; step > 0; --step) {
      const auto block = graph.towards(step - 1);
      const auto mean = gp::aggregate(block, gp::rows(z, 0, block.source_rows()), gp::normalisation::mean);
      z = gp::add(gp::scale(mean, static_cast<T>(1 - alpha)),
                  gp::scale(gp::rows(h, 0, block.rows()), static_cast<T>(alpha)));
    }
    return z;
  }
};

static_assert(gp::backbone<appnp<float>>);

}  // namespace support
