// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/graph_functions.hpp"
#include "graphpatcher/autodiff/node_features.hpp"
#include "graphpatcher/nn/initialise.hpp"
#include "graphpatcher/nn/module.hpp"

namespace graphpatcher {

/// What becomes of the heads of an attention layer.
enum class head_merge {
  concat,  ///< side by side: heads * width columns
  mean,    ///< averaged: width columns
};

struct gat_options {
  std::size_t heads = 1;
  head_merge merge = head_merge::concat;
  double feature_dropout = 0.0;    ///< on the input
  double attention_dropout = 0.0;  ///< on the weights, after the softmax
  double slope = 0.2;              ///< of the LeakyReLU on scores
};

/// Graph attention (Velickovic et al.; DGL's GATConv). For every head:
///
///   z = V x,   s_ji = LeakyReLU(l . z_j + r . z_i),   a = softmax of s over the sources j of i
///   h_i = sum_j a_ji z_j + b
///
/// l scores the source, r the receiver. Parameters, as DGL names them:
/// "attn_l", "attn_r" [1, heads * width], "fc.weight" [in, heads * width],
/// "bias" [1, heads * width]; all but the bias (0) start Glorot normal with the
/// gain of ReLU, the attention vectors with DGL's fans of a (1, heads, width)
/// tensor: in = heads * width, out = width.
template <class T>
class gat_layer {
public:
  parameter<T> attention_left;
  parameter<T> attention_right;
  parameter<T> weight;
  parameter<T> bias;
  gat_options options;

  /// `width`: columns a head.
  gat_layer(std::size_t in, std::size_t width, gat_options how, random_stream random, std::string_view prefix = "")
      : attention_left(parameter_name(prefix, "attn_l"), 1, columns(how, width)),
        attention_right(parameter_name(prefix, "attn_r"), 1, columns(how, width)),
        weight(parameter_name(prefix, "fc.weight"), in, columns(how, width)),
        bias(parameter_name(prefix, "bias"), 1, columns(how, width)),
        options(how),
        width_(width) {
    expects_widths(in, width, "gat_layer");
    expects(how.heads >= 1, "gat_layer: expected at least 1 head, got 0");
    expects_dropout(how.feature_dropout, "gat_layer, features");
    expects_dropout(how.attention_dropout, "gat_layer, attention");
    glorot_normal(weight, random.fork(0), relu_gain);
    glorot_normal(attention_left, random.fork(1), relu_gain, {columns(how, width), width});
    glorot_normal(attention_right, random.fork(2), relu_gain, {columns(how, width), width});
  }

  std::size_t inputs() const noexcept { return weight.value.rows(); }
  std::size_t outputs() const noexcept { return options.merge == head_merge::concat ? options.heads * width_ : width_; }
  parameter_list<T> parameters() { return {&attention_left, &attention_right, &weight, &bias}; }

  template <graph_index I, class Input>
  variable<T> forward(tape<T>& t, const message_block<I>& block, const Input& x) const {
    const auto z = project(dropped(t, block, x), t.use(weight), block.source_rows());
    const auto left = head_dot(z, t.use(attention_left), options.heads);
    const auto right = head_dot(rows(z, 0, block.rows()), t.use(attention_right), options.heads);
    const auto scores = edge_scores(block, left, right, static_cast<T>(options.slope));
    // An attention layer trains on one fixed graph: the edge's number names it for dropout.
    const auto weights =
        dropout(edge_softmax(block, scores), static_cast<T>(options.attention_dropout), std::span<const I>{});
    return merged(t, add_bias(weighted_aggregate(block, weights, z), t.use(bias)));
  }

private:
  static std::size_t columns(const gat_options& how, std::size_t width) {
    return checked_product<T>("gat_layer: heads x width", how.heads, width);
  }

  template <graph_index I>
  node_features<T, I> dropped(tape<T>& t, const message_block<I>&, const node_features<T, I>& x) const {
    return dropout(t, x, static_cast<T>(options.feature_dropout));
  }
  template <graph_index I>
  variable<T> dropped(tape<T>&, const message_block<I>& block, const variable<T>& x) const {
    const auto ids = std::span<const I>(block.graph().global_ids).first(block.source_rows());
    return dropout(rows(x, 0, block.source_rows()), static_cast<T>(options.feature_dropout), ids);
  }

  /// The mean over heads is a product with heads unit matrices, one below the other, over `heads`.
  variable<T> merged(tape<T>& t, const variable<T>& h) const {
    if (options.merge == head_merge::concat || options.heads == 1) {
      return h;
    }
    const std::size_t rows = options.heads * width_;
    const auto pick =
        t.memory().template generate<T>(checked_product<T>("gat_layer", rows, width_), [this](std::size_t i) {
          return i / width_ % width_ == i % width_ ? T(1) / static_cast<T>(options.heads) : T(0);
        });
    return matmul(h, t.constant(matrix_view<const T>(pick.data(), rows, width_)));
  }

  std::size_t width_;
};

}  // namespace graphpatcher
