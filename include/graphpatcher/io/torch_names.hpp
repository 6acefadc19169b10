// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/io/name_map.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/patcher/generator.hpp"

/// How PyTorch modules name and lay out what our models hold. `layers` are the
/// names of the layers inside a user's module, such as {"conv1", "conv2"};
/// without them "layers.0", "layers.1", ... in DGL and "convs.0", ... in PyG.
namespace graphpatcher {

using layer_names = std::vector<std::string>;

namespace detail {

/// Fills a map for one model, layer by layer.
class name_map_maker {
public:
  name_map_maker(const layer_names& layers, const char* fallback, std::size_t count)
      : layers_(layers), fallback_(fallback) {
    expects(layers.empty() || layers.size() == count, "names: expected the names of ", count, " layers, got ",
            layers.size());
  }

  name_map result;

  template <class T>
  void linear(std::size_t l, const parameter<T>& p, const std::string& suffix, std::vector<std::string> also = {}) {
    add(l, p, suffix, {p.value.cols(), p.value.rows()}, true, std::move(also));
  }
  template <class T>
  void plain(std::size_t l, const parameter<T>& p, const std::string& suffix) {
    add(l, p, suffix, {p.value.rows(), p.value.cols()}, false, {});
  }
  template <class T>
  void row(std::size_t l, const parameter<T>& p, const std::string& suffix, std::vector<std::string> also = {}) {
    add(l, p, suffix, {p.value.cols()}, false, std::move(also));
  }
  template <class T>
  void heads(std::size_t l, const parameter<T>& p, const std::string& suffix, std::size_t count) {
    add(l, p, suffix, {1, count, p.value.cols() / count}, false, {});
  }
  template <class T>
  void mean_row(std::size_t l, const parameter<T>& p, const std::string& suffix, std::size_t count) {
    add(l, p, suffix, {p.value.cols() / count}, false, {});
    result.at(p.name).heads = count;
  }

private:
  template <class T>
  void add(std::size_t l, const parameter<T>& p, const std::string& suffix, std::vector<std::size_t> shape,
           bool transposed, std::vector<std::string> also) {
    const std::string layer = layers_.empty() ? fallback_ + std::to_string(l) : layers_[l];
    for (auto& other : also) {
      other = parameter_name(layer, other);
    }
    result.emplace(p.name,
                   tensor_place{parameter_name(layer, suffix), std::move(shape), transposed, 1, std::move(also)});
  }

  layer_names layers_;
  std::string fallback_;
};

}  // namespace detail

/// dgl.nn.GraphConv: weight [in, out]. norm="right" is normalisation::mean, "both" symmetric.
template <class T>
name_map dgl_names(const gcn_backbone<T>& model, const layer_names& layers = {}) {
  detail::name_map_maker make(layers, "layers.", model.layers.size());
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    make.plain(l, model.layers[l].weight, "weight");
    make.row(l, model.layers[l].bias, "bias");
  }
  return make.result;
}

/// dgl.nn.SAGEConv, aggregator "mean" or "pool". Before DGL 1.0 the bias stood alone.
template <class T>
name_map dgl_names(const sage_backbone<T>& model, const layer_names& layers = {}) {
  detail::name_map_maker make(layers, "layers.", model.layers.size());
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    if (layer.aggregator == sage_aggregator::pool) {
      make.linear(l, layer.pool_weight, "fc_pool.weight");
      make.row(l, layer.pool_bias, "fc_pool.bias");
    }
    make.linear(l, layer.neigh_weight, "fc_neigh.weight");
    make.linear(l, layer.self_weight, "fc_self.weight");
    make.row(l, layer.self_bias, "fc_self.bias", {"bias"});
  }
  return make.result;
}

/// dgl.nn.GATConv.
template <class T>
name_map dgl_names(const gat_backbone<T>& model, const layer_names& layers = {}) {
  detail::name_map_maker make(layers, "layers.", model.layers.size());
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    make.heads(l, layer.attention_left, "attn_l", layer.options.heads);
    make.heads(l, layer.attention_right, "attn_r", layer.options.heads);
    make.linear(l, layer.weight, "fc.weight");
    make.row(l, layer.bias, "bias");
  }
  return make.result;
}

/// torch_geometric.nn.GCNConv, which is normalisation::symmetric.
template <class T>
name_map pyg_names(const gcn_backbone<T>& model, const layer_names& layers = {}) {
  detail::name_map_maker make(layers, "convs.", model.layers.size());
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    make.linear(l, model.layers[l].weight, "lin.weight");
    make.row(l, model.layers[l].bias, "bias");
  }
  return make.result;
}

/// torch_geometric.nn.SAGEConv: aggr="mean", or "max" with project=True for pool.
/// Its neighbours are lin_l, with the bias, the node itself is lin_r.
template <class T>
name_map pyg_names(const sage_backbone<T>& model, const layer_names& layers = {}) {
  detail::name_map_maker make(layers, "convs.", model.layers.size());
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    if (layer.aggregator == sage_aggregator::pool) {
      make.linear(l, layer.pool_weight, "lin.weight");
      make.row(l, layer.pool_bias, "lin.bias");
    }
    make.linear(l, layer.neigh_weight, "lin_l.weight");
    make.linear(l, layer.self_weight, "lin_r.weight");
    make.row(l, layer.self_bias, "lin_l.bias");
  }
  return make.result;
}

/// torch_geometric.nn.GATConv: the weight is lin.weight since 2.5, lin_src.weight
/// before; with concat=False the bias comes after the mean over heads.
template <class T>
name_map pyg_names(const gat_backbone<T>& model, const layer_names& layers = {}) {
  detail::name_map_maker make(layers, "convs.", model.layers.size());
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    make.heads(l, layer.attention_left, "att_src", layer.options.heads);
    make.heads(l, layer.attention_right, "att_dst", layer.options.heads);
    make.linear(l, layer.weight, "lin.weight", {"lin_src.weight"});
    if (layer.options.merge == head_merge::mean) {
      make.mean_row(l, layer.bias, "bias", layer.options.heads);
    } else {
      make.row(l, layer.bias, "bias");
    }
  }
  return make.result;
}

namespace detail {

/// `parts`: names of the two graph convolutions and the three linear layers.
template <class T>
name_map generator_names(const patch_generator<T>& model, const layer_names& parts) {
  name_map_maker make(parts, "", 5);
  for (std::size_t l = 0; l < 2; ++l) {
    make.plain(l, model.encoder(l).weight, "weight");
    make.row(l, model.encoder(l).bias, "bias");
  }
  for (std::size_t l = 0; l < 3; ++l) {
    const auto& layer = model.decoder().layers[l];
    make.linear(2 + l, layer.weight, "weight");
    if (layer.has_bias()) {
      make.row(2 + l, layer.bias, "bias");
    }
  }
  return make.result;
}

}  // namespace detail

/// A patcher as a PyTorch module of DGL's GraphConv and nn.Linear with our own names.
template <class T>
name_map dgl_names(const patch_generator<T>& model) {
  return detail::generator_names(
      model, {"encoder.0", "encoder.1", "decoder.layers.0", "decoder.layers.1", "decoder.layers.2"});
}

/// The patcher of the released code (its class Generator with fusion "cat").
template <class T>
name_map released_names(const patch_generator<T>& model) {
  return detail::generator_names(
      model, {"generator.layers.0", "generator.layers.1", "generator_MLP.0", "generator_MLP.3", "generator_MLP.6"});
}

/// The released code's backbones; its GAT keeps its layers as gat_layers.
template <class Model>
name_map released_names(const Model& model) {
  if constexpr (Model::name == "gat") {
    layer_names layers;
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
      layers.push_back("gat_layers." + std::to_string(l));
    }
    return dgl_names(model, layers);
  } else {
    return dgl_names(model);
  }
}

}  // namespace graphpatcher
