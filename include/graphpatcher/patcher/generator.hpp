// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graphpatcher/autodiff/functions.hpp"
#include "graphpatcher/nn/gcn.hpp"
#include "graphpatcher/nn/mlp.hpp"

namespace graphpatcher {

struct generator_options {
  std::size_t features = 0;  ///< of a node, and so of a patch
  std::size_t hidden = 1024;
  double dropout = 0.2;
  std::uint64_t seed = 0;
};

/// The network that makes patches. For the anchor v of a (patched) ego-graph:
///
///   a = relu(GCN1(x))                 at v and its neighbours
///   h = relu(GCN2(a))                 at v
///   p = M3 relu(M2 relu(M1 [h, x_v])) dropout after each relu, no bias in M3
///
/// Both GCN layers take means, whatever the backbone does. The product of M1
/// with [h, x_v] is split into its two parts: x_v is sparse and is not copied.
/// Parameters: "encoder.{0,1}.{weight,bias}", "decoder.layers.{0,1,2}.weight", "....{0,1}.bias".
template <class T>
class patch_generator {
public:
  using scalar_type = T;

  explicit patch_generator(const generator_options& options)
      : encoder1_(options.features, options.hidden, normalisation::mean, stream(options, 0), "encoder.0"),
        encoder2_(options.hidden, options.hidden, normalisation::mean, stream(options, 1), "encoder.1"),
        decoder_(std::array{checked_sum("generator: hidden + features", options.hidden, options.features),
                            options.hidden, options.hidden, options.features},
                 {.dropout = options.dropout, .last_bias = false, .init = linear_init::glorot}, stream(options, 2),
                 "decoder") {}

  std::size_t features() const noexcept { return encoder1_.inputs(); }
  std::size_t hidden() const noexcept { return encoder1_.outputs(); }

  parameter_list<T> parameters() {
    parameter_list<T> list;
    for (const auto& part : {encoder1_.parameters(), encoder2_.parameters(), decoder_.parameters()}) {
      list.insert(list.end(), part.begin(), part.end());
    }
    return list;
  }

  /// The layers, for those who run them in their own way (patcher/fast).
  const gcn_layer<T>& encoder(std::size_t layer) const { return layer == 0 ? encoder1_ : encoder2_; }
  const mlp<T>& decoder() const noexcept { return decoder_; }

  /// One patch for each target: targets x features.
  template <graph_index I>
  variable<T> forward(tape<T>& t, const message_graph<I>& graph, const node_features<T, I>& x) const {
    expects_layers(decoder_.layers, "patch_generator");
    const auto a = relu(encoder1_.forward(t, graph.towards(1), x));
    const auto h = relu(encoder2_.forward(t, graph.towards(0), a));
    const auto& first = decoder_.layers.front();
    const auto weight = t.use(first.weight);
    const auto from_hidden = matmul(h, rows(weight, 0, hidden()));
    const auto from_features = project(x, rows(weight, hidden(), hidden() + features()), graph.targets());
    const auto y = add_bias(add(from_hidden, from_features), t.use(first.bias));
    return decoder_.forward_after_first(t, y, std::span<const I>(graph.global_ids).first(graph.targets()));
  }

private:
  static random_stream stream(const generator_options& options, std::uint64_t part) {
    return random_stream(options.seed, purpose::initialisation).fork(0x70617463).fork(part);  // "patc"
  }

  gcn_layer<T> encoder1_;
  gcn_layer<T> encoder2_;
  mlp<T> decoder_;
};

}  // namespace graphpatcher
