// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/patcher/config.hpp"

namespace toy {

/// The paper's loss, and a training of a small network that learns something in a blink. Tests change what they are
/// about.
inline graphpatcher::patcher_config quick_config() {
  graphpatcher::patcher_config config;
  config.loss = graphpatcher::patch_loss::paper;
  config.hidden = 12;
  config.samples = 3;
  config.batch = 16;
  config.learning_rate = 1e-2;
  config.max_iterations = 30;
  config.warmup = 5;
  config.evaluate_every = 5;
  config.patches = 2;
  config.quiet = true;
  return config;
}

}  // namespace toy
