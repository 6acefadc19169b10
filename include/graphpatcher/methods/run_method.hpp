// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "graphpatcher/eval/run_seed.hpp"
#include "graphpatcher/methods/method.hpp"
#include "graphpatcher/methods/registry.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/path_notes.hpp"

namespace graphpatcher {

/// The whole pipeline for one seed and a method of the registry, or of a list of
/// one's own, run_method<my_methods>(...): trains a backbone, runs the method on
/// it, chooses the number of patches on validation nodes, where there are any,
/// and scores the test nodes.
template <class Methods = methods, class BackboneConfig, class T, graph_index I>
run_result run_method(std::string_view name, const executor& exec, const dataset<T, I>& data,
                      BackboneConfig backbone_config, const patcher_config& patching, std::uint64_t seed,
                      fit_options fitting = {}) {
  using model_type = typename BackboneConfig::template model_type<T>;
  Methods::find(name);
  backbone_config.seed = seed;
  fitting.seed = seed;
  fitting.quiet = patching.quiet;
  const auto model = train_backbone(exec, data, backbone_config, fitting);
  const auto started = std::chrono::steady_clock::now();
  method_run<T, I> run{.exec = exec,
                       .data = &data,
                       .seed = seed,
                       .untrained = model_type(backbone_config, data.features.cols(), data.classes),
                       .fit = fitting,
                       .patcher = patching,
                       .backbone = static_cast<const model_type&>(model)};
  Methods::run(name, run);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  auto result =
      score_predictions(data, [&](const std::vector<I>& nodes) { return run.predict(nodes, patching.patches); });
  result.seed = seed;
  result.iterations = run.iterations;
  result.path = word_of(run.path);
  if (trains_patches(Methods::find(name))) {
    result.notes = path_notes(exec, data, model, patching);
  }
  result.seconds.patcher = seconds;
  result.curves = std::move(run.curve);
  describe_training(model.history, result);
  return result;
}

}  // namespace graphpatcher
