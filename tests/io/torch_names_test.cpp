// SPDX-License-Identifier: MIT
// Weights from DGL, from PyTorch Geometric and from the released patcher go into
// our models by name, and give the logits that those gave.
#include "graphpatcher/io/torch_names.hpp"

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/patcher/patching.hpp"
#include "support/reference.hpp"

namespace gp = graphpatcher;
using reference::matrix_of;
using reference::node_id;
using reference::relative_difference;
using reference::suffix;
using reference::tolerance;

namespace {

template <class T>
gp::gcn_backbone<T> reference_backbone() {
  gp::gcn_backbone<T> model(gp::gcn_config{}, 1433, 7);
  const auto names = gp::rename(gp::dgl_names(model, {"0", "1"}),
                                {{"0.weight", "W1"}, {"0.bias", "b1"}, {"1.weight", "W2"}, {"1.bias", "b2"}});
  gp::assign_parameters(model, gp::read_state_dict<T>(reference::folder() + "backbone.npz"), names);
  return model;
}

/// Every parameter comes back after a trip through `names`, to the bit.
template <class Model>
void check_round_trip(Model& model, const gp::name_map& names) {
  Model other = model;
  for (auto* p : other.parameters()) {
    p->value.fill(7);
  }
  gp::assign_parameters(other, gp::export_parameters(model, names), names);
  const auto ours = model.parameters();
  const auto theirs = other.parameters();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    INFO(ours[i]->name);
    CHECK(
        std::equal(ours[i]->value.values().begin(), ours[i]->value.values().end(), theirs[i]->value.values().begin()));
  }
}

/// A network of layers_f64.npz: its parameters by DGL's names, its output.
template <class Model>
void check_network(const std::string& network, Model model) {
  const auto file = reference::folder() + "layers_f64.npz";
  const auto state = gp::read_state_dict<double>(file);
  gp::assign_parameters(model, state, gp::dgl_names(model, {network + ".a", network + ".b"}));
  std::vector<gp::edge<node_id>> edges;
  for (std::size_t e = 0; e < state.at("edge_src").values.size(); ++e) {
    edges.push_back(
        {static_cast<node_id>(state.at("edge_src").values[e]), static_cast<node_id>(state.at("edge_dst").values[e])});
  }
  const auto graph = gp::build_graph<node_id>(400, edges, {.direction = gp::edge_direction::directed});
  const gp::npz_archive archive(file);
  const gp::feature_table<double, node_id> x = gp::sparse_from_dense<node_id>(matrix_of<double>(archive, "x").view());
  CHECK(relative_difference<double>(gp::predict(gp::cpu{}, model, graph, x),
                                    matrix_of<double>(archive, network + ".out")) < 1e-9);
  check_round_trip(model, gp::dgl_names(model));
}

}  // namespace

TEMPLATE_TEST_CASE("torch names: the reference backbone gives its logits", "[reference]", float, double) {
  using T = TestType;
  if (!reference::present()) {
    return;
  }
  const reference::cora<T> data;
  const gp::npz_archive targets(reference::folder() + "targets" + suffix<T>);
  CHECK(relative_difference<T>(gp::predict(gp::cpu{}, reference_backbone<T>(), data.graph, data.features),
                               matrix_of<double>(targets, "full_logits")) < tolerance<T>);
}

TEMPLATE_TEST_CASE("torch names: the reference patcher gives its patches and logits", "[reference]", float, double) {
  using T = TestType;
  if (!reference::present()) {
    return;
  }
  gp::patch_generator<T> generator({.features = 1433, .hidden = 64, .dropout = 0.0});
  // As the released code saves it: the same arrays under its module's names.
  const auto arrays = gp::read_state_dict<T>(reference::folder() + "gen64.npz");
  gp::state_dict<T> released;
  for (const auto& [short_name, name] : {std::pair{"G1", "generator.layers.0.weight"},
                                         {"g1", "generator.layers.0.bias"},
                                         {"G2", "generator.layers.1.weight"},
                                         {"g2", "generator.layers.1.bias"},
                                         {"M1", "generator_MLP.0.weight"},
                                         {"m1", "generator_MLP.0.bias"},
                                         {"M2", "generator_MLP.3.weight"},
                                         {"m2", "generator_MLP.3.bias"},
                                         {"M3", "generator_MLP.6.weight"}}) {
    released[name] = arrays.at(short_name);
  }
  gp::assign_parameters(generator, released, gp::released_names(generator));
  check_round_trip(generator, gp::released_names(generator));
  check_round_trip(generator, gp::dgl_names(generator));

  const reference::cora<T> data;
  const gp::npz_archive steps(reference::folder() + "steps_gen64" + suffix<T>);
  const auto anchors = reference::indices_of(gp::npz_archive(reference::folder() + "anchors.npz"), "anchors");
  const auto patched = gp::patch_nodes(gp::cpu{}, data.graph, data.features, reference_backbone<T>(), generator,
                                       anchors, {.patches = 5, .keep_features = true});
  const auto patches = matrix_of<double>(steps, "infer_patch");
  const auto logits = matrix_of<double>(steps, "infer_logits");
  for (std::size_t k = 0; k < 5; ++k) {
    const auto rows = [&](const gp::matrix<double>& all) {
      return gp::copy_of(all.view().middle_rows(64 * k, 64 * (k + 1)));
    };
    CHECK(relative_difference<T>(patched.features[k], rows(patches)) < tolerance<T>);
    CHECK(relative_difference<T>(patched.logits[k + 1], rows(logits)) < tolerance<T>);
  }
}

TEST_CASE("torch names: DGL's layers give their outputs", "[reference]") {
  if (!reference::present()) {
    return;
  }
  const auto hidden =
      gp::npz_archive(reference::folder() + "layers_f64.npz").read<double>("gcn_right.a.bias").values.size();
  using gp::normalisation;
  check_network("gcn_right", gp::gcn_backbone<double>({.hidden = hidden, .norm = normalisation::mean}, 24, 5));
  check_network("gcn_both", gp::gcn_backbone<double>({.hidden = hidden, .norm = normalisation::symmetric}, 24, 5));
  using gp::sage_aggregator;
  check_network("sage_mean", gp::sage_backbone<double>({.hidden = hidden, .aggregator = sage_aggregator::mean}, 24, 5));
  check_network("sage_pool", gp::sage_backbone<double>({.hidden = hidden, .aggregator = sage_aggregator::pool}, 24, 5));
  check_network("gat", gp::gat_backbone<double>({.hidden = 8, .heads = 4, .output_heads = 1}, 24, 5));
}

TEST_CASE("torch names: names and shapes in DGL, PyG and the released code") {
  using shape = std::vector<std::size_t>;
  gp::gcn_backbone<float> gcn({.hidden = 4}, 6, 3);
  CHECK(gp::dgl_names(gcn).at("layers.0.weight").shape == shape{6, 4});
  CHECK(gp::pyg_names(gcn).at("layers.0.weight").shape == shape{4, 6});
  CHECK(gp::pyg_names(gcn).at("layers.0.weight").name == "convs.0.lin.weight");
  CHECK(gp::pyg_names(gcn, {"conv1", "conv2"}).at("layers.1.bias").name == "conv2.bias");
  CHECK(gp::released_names(gcn).at("layers.1.weight").name == "layers.1.weight");
  CHECK_THROWS_AS(gp::dgl_names(gcn, {"conv1"}), gp::argument_error);
  check_round_trip(gcn, gp::pyg_names(gcn));

  gp::sage_backbone<float> sage({.hidden = 4}, 6, 3);
  CHECK(gp::dgl_names(sage).at("layers.0.fc_self.bias").also == std::vector<std::string>{"layers.0.bias"});
  CHECK(gp::pyg_names(sage).at("layers.0.fc_self.weight").name == "convs.0.lin_r.weight");
  CHECK(gp::pyg_names(sage).at("layers.0.fc_self.bias").name == "convs.0.lin_l.bias");
  CHECK(gp::pyg_names(sage).at("layers.0.fc_pool.weight").name == "convs.0.lin.weight");
  check_round_trip(sage, gp::pyg_names(sage));

  gp::gat_backbone<float> gat({.hidden = 5, .heads = 2, .output_heads = 4}, 6, 3);
  CHECK(gp::dgl_names(gat).at("layers.0.attn_l").shape == shape{1, 2, 5});
  CHECK(gp::dgl_names(gat).at("layers.1.bias").shape == shape{12});
  CHECK(gp::pyg_names(gat).at("layers.1.bias").shape == shape{3});  // concat=False
  CHECK(gp::pyg_names(gat).at("layers.0.bias").shape == shape{10});
  CHECK(gp::pyg_names(gat).at("layers.0.fc.weight").also == std::vector<std::string>{"convs.0.lin_src.weight"});
  CHECK(gp::released_names(gat).at("layers.1.attn_r").name == "gat_layers.1.attn_r");
  check_round_trip(gat, gp::dgl_names(gat));
  check_round_trip(gat, gp::pyg_names(gat));  // biases start at 0, so that their mean over heads loses nothing
}
