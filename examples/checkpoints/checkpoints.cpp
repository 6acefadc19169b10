// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <graphpatcher/graphpatcher.hpp>
#include <iostream>
#include <vector>

namespace gp = graphpatcher;

int main() {
  const gp::cpu exec;
  const auto folder = std::filesystem::temp_directory_path() / "graphpatcher_checkpoints";
  std::filesystem::create_directories(folder);
  const auto data = gp::make_degree_biased<float, int>();

  // Train and keep. Killed in the middle and started again, the patcher's training goes on where its file stands.
  const gp::gcn_config config{.hidden = 16, .seed = 1};
  const auto backbone = gp::train_backbone(exec, data, config, {.max_epochs = 50});
  gp::save_backbone(folder / "backbone.safetensors", backbone, config, {{"dataset", data.name}});
  const gp::patcher_config patching{.hidden = 32, .max_iterations = 60, .warmup = 20, .patches = 2, .quiet = true};
  const auto patcher = gp::train_patcher_resumably(exec, data, backbone, patching, folder / "training.safetensors");
  gp::save_patcher(folder / "patcher.safetensors", patcher);
  std::filesystem::remove(folder / "training.safetensors");
  const gp::weighted_predictor rule(exec, data, backbone, {patcher});
  gp::save_weighted(folder / "rule.safetensors", rule.fitted(), backbone, std::vector{patcher});

  // Another day, another program: the same bits.
  const auto model = gp::load_backbone<gp::gcn_config, float>(folder / "backbone.safetensors");
  const std::vector patchers{gp::load_patcher<float>(folder / "patcher.safetensors")};
  const auto patched = gp::patch_nodes(exec, data.graph, data.features, model, patchers[0].generator, data.split.test,
                                       {.patches = 2, .keep_features = true});
  std::cout << model.info.kind << " of " << model.info.notes.at("dataset") << ", " << model.history.epochs()
            << " epochs\n";

  // The rule that was fitted with them (docs/rule.md) answers as before; with others it would be refused.
  const gp::weighted_predictor<float, int> again(model, {patchers[0]},
                                                 gp::load_weighted(folder / "rule.safetensors", model, patchers));
  std::cout << "the same answers: " << std::ranges::equal(again.predict(exec, data).values(), rule.logits().values())
            << '\n';

  // For PyTorch: the weights under the names of a DGL module with layers conv1 and conv2, and the patched graph.
  const auto weights = gp::export_parameters(model, gp::dgl_names(model, {"conv1", "conv2"}));
  for (const auto& [name, tensor] : weights) {
    std::cout << name << ' ' << tensor.values.size() << '\n';
  }
  gp::write_state_dict(folder / "dgl.safetensors", weights);
  gp::write_patched_graph(folder / "patched.npz", data, data.split.test, patched.features);
  std::cout << "written: " << std::filesystem::exists(folder / "patched.npz") << '\n';
  std::filesystem::remove_all(folder);
}
