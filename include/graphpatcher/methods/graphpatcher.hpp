// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/methods/method.hpp"

namespace graphpatcher {

/// Patches of a network that is trained for the backbone: what this library is about (docs/method.md).
struct trained_patches {
  static constexpr method_info info{"graphpatcher",
                                    "patches of a network that learnt to make the backbone robust to lost neighbours",
                                    method_role::patcher, "GraphPatcher"};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    auto config = run.patcher;
    config.seed = run.seed;
    const auto trained = run.train_patcher(config);
    auto patching = patching_as(config);
    patching.quiet = config.quiet;
    run.patch_with(trained.generator, patching);
    run.path = trained.path;
    run.iterations = trained.iterations;
    run.curve = curve_of(trained.evaluations);
  }
};

/// The same network with the weights that it begins with.
struct untrained_patches {
  static constexpr method_info info{"untrained", "patches of the same network before its training",
                                    method_role::control};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    const generator_options network{run.data->features.cols(), run.patcher.hidden, run.patcher.dropout, run.seed};
    run.settings.set("hidden", network.hidden);
    run.patch_with(patch_generator<T>(network), {});
  }
};

}  // namespace graphpatcher
