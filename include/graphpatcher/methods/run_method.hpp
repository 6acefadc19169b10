// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/eval/add_answer.hpp"
#include "graphpatcher/eval/run_seed.hpp"
#include "graphpatcher/methods/method.hpp"
#include "graphpatcher/methods/registry.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/path_notes.hpp"

namespace graphpatcher {

struct gcn_config;
struct sage_config;
struct gat_config;

/// The whole pipeline for one seed and a method of the registry, or of a list of
/// one's own, run_method<my_methods>(...): trains a backbone, runs the method on
/// it, chooses the number of patches on validation nodes, where there are any,
/// unless it is always the largest, and scores the test nodes. What a method
/// with one answer leaves stands beside the backbone's (run_result::answer).
template <class Methods = methods, class BackboneConfig, class T, graph_index I>
run_result run_method(std::string_view name, const executor& exec, const dataset<T, I>& data,
                      BackboneConfig backbone_config, const patcher_config& patching, std::uint64_t seed,
                      fit_options fitting = {}, patch_rule rule = patch_rule::validated) {
  using model_type = typename BackboneConfig::template model_type<T>;
  const auto& info = Methods::find(name);
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
  const auto path = std::string(word_of(run.path));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  std::vector<matrix<T>> tested;
  const auto predict = [&](const std::vector<I>& nodes) {
    tested = run.predict(nodes, patching.patches);
    return tested;
  };
  auto result = score_predictions(data, predict, rule);
  if (tested.size() == 1 && info.role != method_role::baseline) {
    const double answering = result.seconds.patching;
    run.backbone = static_cast<const model_type&>(model);
    run.answer_as_backbone();
    result = score_predictions(data, [&](const std::vector<I>& nodes) { return run.predict(nodes, 0); });
    result.seconds.patching = answering;
    add_answer(data, tested.front(), result);
    result.decision = std::move(run.decision);
    result.rule = result.decision ? patch_rule::weighted : patch_rule::validated;
  }
  result.seed = seed;
  result.iterations = run.iterations;
  result.path = path;
  if (trains_patches(info)) {
    result.notes = path_notes(exec, data, model, patching);
  }
  result.seconds.patcher = seconds;
  result.curves = std::move(run.curve);
  describe_training(model.history, result);
  return result;
}

#if GP_HAS_INSTANCES
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<float, std::int32_t>&, gcn_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<float, std::int64_t>&, gcn_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<double, std::int32_t>&, gcn_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<double, std::int64_t>&, gcn_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<float, std::int32_t>&, sage_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<float, std::int64_t>&, sage_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<double, std::int32_t>&, sage_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<double, std::int64_t>&, sage_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<float, std::int32_t>&, gat_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<float, std::int64_t>&, gat_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<double, std::int32_t>&, gat_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
GP_EXTERN template run_result run_method<methods>(std::string_view, const executor&,
                                                  const dataset<double, std::int64_t>&, gat_config,
                                                  const patcher_config&, std::uint64_t, fit_options, patch_rule);
#endif

}  // namespace graphpatcher
