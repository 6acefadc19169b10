// SPDX-License-Identifier: MIT
#include "graphpatcher/io/backbone_checkpoint.hpp"

#include <cmath>
#include <cstddef>
#include <variant>
#include <vector>

#include "fuzz/support/invariants.hpp"
#include "fuzz/support/scratch_file.hpp"
#include "fuzz/targets/targets.hpp"
#include "graphpatcher/io/patcher_checkpoint.hpp"
#include "graphpatcher/io/training_checkpoint.hpp"

namespace gp_fuzz {

namespace {

namespace gp = graphpatcher;

/// Weights cost bytes of the file: a short one can't make a large model.
template <class Model>
void require_paid_for(Model& model, std::size_t paid) {
  std::size_t count = 0;
  for (const auto* p : model.parameters()) {
    require(p->value.data() != nullptr || p->value.size() == 0, "memory for every parameter");
    count += p->value.size();
  }
  require(count <= paid, "no more weights than bytes of the file");
}

void read_backbone(const std::filesystem::path& path, std::size_t size) {
  std::visit(
      [&](auto model) {
        require(model.hops() == model.config.layers, "as many layers as the config says");
        require_paid_for(model, size);
      },
      gp::load_any_backbone<float>(path));
}

void read_patcher(const std::filesystem::path& path, std::size_t size) {
  auto patcher = gp::load_patcher<float>(path);
  patcher.config.check();
  require(patcher.generator.hidden() == patcher.config.hidden, "as many hidden units as the config says");
  require_paid_for(patcher.generator, size);
}

std::vector<float> weights_of(gp::gcn_backbone<float>& model) {
  std::vector<float> all;
  for (const auto* p : model.parameters()) {
    all.insert(all.end(), p->value.data(), p->value.data() + p->value.size());
  }
  return all;
}

/// A training of a GCN with three features, two hidden units and two classes: goes on, or stays as it was.
void read_training(const std::filesystem::path& path) {
  const gp::gcn_config config{.layers = 2, .hidden = 2};
  gp::gcn_backbone<float> model(config, 3, 2);
  auto best = model;
  gp::adam<float> optimizer(model.parameters());
  const auto before = weights_of(model);
  try {
    gp::load_training(path, model, best, optimizer, gp::dgl_names(model));
  } catch (const gp::error&) {
    require(weights_of(model) == before && weights_of(best) == before, "models as they were");
    require(optimizer.options.learning_rate == gp::adam_options{}.learning_rate, "an optimiser as it was");
    throw;
  }
  const auto& options = optimizer.options;
  require(std::isfinite(options.learning_rate) && options.learning_rate >= 0 && options.weight_decay >= 0,
          "rates that an optimiser takes");
  require(options.beta1 >= 0 && options.beta1 < 1 && options.beta2 >= 0 && options.beta2 < 1, "betas in [0, 1)");
}

}  // namespace

void checkpoint(bytes input) {
  static const scratch_file file("input.safetensors");
  const auto& path = file.holding(input);
  const auto info = gp::read_checkpoint_info(path);
  if (info.kind == "patcher") {
    read_patcher(path, input.size());
  } else if (info.kind == "training") {
    read_training(path);
  } else {
    read_backbone(path, input.size());
  }
}

}  // namespace gp_fuzz
