// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

/// Work so small that every request for memory in it can fail in its turn.
namespace faults {

namespace gp = graphpatcher;
using toy::node_id;

inline const gp::cpu alone{1};  // the same requests each time
inline const gp::gcn_config gcn{.hidden = 3, .seed = 1};

inline gp::dataset<float, node_id> small_data() {
  return toy::make<float>(12, 16, 5);
}

inline gp::patcher_config small_config(gp::patch_path path) {
  auto config = toy::quick_config();
  config.hidden = 3;
  config.samples = 2;
  config.batch = 4;
  config.max_iterations = 3;
  config.warmup = 1;
  config.evaluate_every = 1;
  config.path = path;
  return config;
}

template <class Config>
auto small_backbone(const gp::dataset<float, node_id>& data, const Config& config, const gp::cpu& exec = alone) {
  return gp::train_backbone(exec, data, config, {.max_epochs = 2});
}

}  // namespace faults
