// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/option.hpp"
#include "graphpatcher/models/compiled.hpp"
#include "graphpatcher/models/layer_stack.hpp"
#include "graphpatcher/nn/gat.hpp"

namespace graphpatcher {

template <class T>
class gat_backbone;

/// The GAT paper's shape: 8 heads of 8, then 1 head that gives the classes.
struct gat_config {
  std::size_t layers = 2;
  std::size_t hidden = 8;
  std::size_t heads = 8;
  std::size_t output_heads = 1;
  double dropout = 0.6;
  double attention_dropout = 0.6;
  double slope = 0.2;
  std::uint64_t seed = 0;

  static void list_options(auto& c, auto&& option) {
    option({"layers", "layers, one after the other", within(1, 1000)}, c.layers);
    option({"hidden", "hidden units a head", within(1, most_units)}, c.hidden);
    option({"heads", "of every layer but the last; side by side", within(1, 1000)}, c.heads);
    option({"output_heads", "of the last layer; averaged", within(1, 1000)}, c.output_heads);
    option({"dropout", "on the input of every layer", from_to_below(0, 1)}, c.dropout);
    option({"attention_dropout", "on the attention", from_to_below(0, 1)}, c.attention_dropout);
    option({"slope", "of the leaky ReLU under the attention", within(0, 1)}, c.slope);
    option({"seed", "of the first weights and of the dropout"}, c.seed);
  }

  template <class T>
  using model_type = gat_backbone<T>;
};

namespace detail {

template <class T>
std::vector<gat_layer<T>> make_gat_layers(const gat_config& config, std::size_t features, std::size_t classes) {
  const random_stream random(config.seed, purpose::initialisation);
  std::vector<gat_layer<T>> layers;
  for (std::size_t l = 0; l < config.layers; ++l) {
    const bool last = l + 1 == config.layers;
    const gat_options options{.heads = last ? config.output_heads : config.heads,
                              .merge = last ? head_merge::mean : head_merge::concat,
                              .feature_dropout = config.dropout,
                              .attention_dropout = config.attention_dropout,
                              .slope = config.slope};
    const std::size_t inside = checked_product<T>("gat: heads x hidden", config.heads, config.hidden);
    layers.emplace_back(l == 0 ? features : inside, last ? classes : config.hidden, options, random.fork(l),
                        text("layers.", l));
  }
  return layers;
}

#if GP_HAS_INSTANCES
GP_EXTERN template std::vector<gat_layer<float>> make_gat_layers(const gat_config&, std::size_t, std::size_t);
GP_EXTERN template std::vector<gat_layer<double>> make_gat_layers(const gat_config&, std::size_t, std::size_t);
#endif

}  // namespace detail

/// Attention layers with ELU between them; dropout is inside the layers.
/// Parameters: "layers.0.attn_l", ... (see gat_layer).
template <class T>
class gat_backbone : public layer_stack<T, gat_layer<T>> {
public:
  static constexpr std::string_view name = "gat";  ///< in run records

  gat_backbone(const gat_config& config, std::size_t features, std::size_t classes) {
    check_options(name, config);
    this->layers = detail::make_gat_layers<T>(config, features, classes);
  }

  template <graph_index I>
  variable<T> forward(tape<T>& t, const message_graph<I>& graph, const node_features<T, I>& x) const {
    return this->run(t, graph, x, [](variable<T> h) { return elu(h); });
  }
};

template <class T>
struct compiled::built_in<gat_backbone<T>> {
  using type = gat_backbone<T>;
};

}  // namespace graphpatcher
