// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/graph_functions.hpp"
#include "graphpatcher/autodiff/node_features.hpp"
#include "graphpatcher/autodiff/pooled_messages.hpp"
#include "graphpatcher/nn/initialise.hpp"
#include "graphpatcher/nn/module.hpp"

namespace graphpatcher {

/// What a GraphSAGE layer takes from the neighbours.
enum class sage_aggregator {
  mean,  ///< the mean of x_j
  pool,  ///< the elementwise maximum of relu(P x_j + p); P is in x in
};

struct sage_options {
  sage_aggregator aggregator = sage_aggregator::pool;
  /// Start the bias with U(+-1 / sqrt(in)) as DGL 1.0 and later do, not with 0.
  bool random_bias = false;
};

/// GraphSAGE (Hamilton et al.; DGL's SAGEConv):
///
///   h_i = S x_i + Q n_i + b,   n_i = mean or pool over the sources of row i
///
/// (0 where a row has no source; a self-loop is an ordinary source).
/// Parameters, as DGL 1 names them: "fc_pool.weight", "fc_pool.bias" (pool
/// only), "fc_neigh.weight" (Q), "fc_self.weight" (S), "fc_self.bias" (b). P, S
/// and Q start Glorot uniform with the gain of ReLU.
template <class T>
class sage_layer {
public:
  parameter<T> pool_weight;  ///< empty with the mean aggregator
  parameter<T> pool_bias;
  parameter<T> neigh_weight;
  parameter<T> self_weight;
  parameter<T> self_bias;
  sage_aggregator aggregator;

  sage_layer(std::size_t in, std::size_t out, sage_options options, random_stream random, std::string_view prefix = "")
      : neigh_weight(parameter_name(prefix, "fc_neigh.weight"), in, out),
        self_weight(parameter_name(prefix, "fc_self.weight"), in, out),
        self_bias(parameter_name(prefix, "fc_self.bias"), 1, out),
        aggregator(options.aggregator) {
    expects_widths(in, out, "sage_layer");
    glorot_uniform(neigh_weight, random.fork(0), relu_gain);
    glorot_uniform(self_weight, random.fork(1), relu_gain);
    if (options.random_bias) {
      torch_uniform(self_bias, random.fork(2), in);
    }
    if (aggregator == sage_aggregator::pool) {
      pool_weight = {parameter_name(prefix, "fc_pool.weight"), in, in};
      pool_bias = {parameter_name(prefix, "fc_pool.bias"), 1, in};
      glorot_uniform(pool_weight, random.fork(3), relu_gain);
      torch_uniform(pool_bias, random.fork(4), in);
    }
  }

  std::size_t inputs() const noexcept { return self_weight.value.rows(); }
  std::size_t outputs() const noexcept { return self_weight.value.cols(); }

  parameter_list<T> parameters() {
    if (aggregator == sage_aggregator::pool) {
      return {&pool_weight, &pool_bias, &neigh_weight, &self_weight, &self_bias};
    }
    return {&neigh_weight, &self_weight, &self_bias};
  }

  template <graph_index I, class Input>
  variable<T> forward(tape<T>& t, const message_block<I>& block, const Input& x) const {
    const auto own = add_bias(project(x, t.use(self_weight), block.rows()), t.use(self_bias));
    return add(own, aggregator == sage_aggregator::pool ? pooled(t, block, x) : averaged(t, block, x));
  }

private:
  template <graph_index I, class Input>
  variable<T> pooled(tape<T>& t, const message_block<I>& block, const Input& x) const {
    if constexpr (!std::same_as<Input, variable<T>>) {
      if (x.patches.empty()) {
        return matmul(pooled_messages(block, x, t.use(pool_weight), t.use(pool_bias)), t.use(neigh_weight));
      }
    }
    const auto messages = relu(add_bias(project(x, t.use(pool_weight), block.source_rows()), t.use(pool_bias)));
    return matmul(segment_max(block, messages), t.use(neigh_weight));
  }

  /// As in a GCN layer, the narrower side of the product is aggregated.
  template <graph_index I, class Input>
  variable<T> averaged(tape<T>& t, const message_block<I>& block, const Input& x) const {
    const auto w = t.use(neigh_weight);
    if constexpr (std::same_as<Input, variable<T>>) {
      if (inputs() <= outputs()) {
        return matmul(aggregate(block, rows(x, 0, block.source_rows()), normalisation::mean), w);
      }
    }
    return aggregate(block, project(x, w, block.source_rows()), normalisation::mean);
  }
};

}  // namespace graphpatcher
