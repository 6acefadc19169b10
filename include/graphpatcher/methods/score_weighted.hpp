// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/eval/add_answer.hpp"
#include "graphpatcher/eval/run_seed.hpp"
#include "graphpatcher/methods/weighted_predictor.hpp"

/// The rule of docs/rule.md, scored: what it answers for the test nodes, beside the backbone and every number of
/// patches of the first patcher.
namespace graphpatcher {

namespace detail {

/// Makes what the rule says the answer of a run.
template <class T, graph_index I>
void add_weighted(const executor& exec, const dataset<T, I>& data, const some_backbone<T, I>& model,
                  const std::vector<trained_patcher<T>>& patchers, run_result& run) {
  const progress_label part("the rule");
  const auto started = std::chrono::steady_clock::now();
  const weighted_predictor<T, I> rule(exec, data, model, {patchers.begin(), patchers.end()});
  run.seconds.patching += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  add_answer(data, rule.predict(data.split.test), run);
  run.rule = patch_rule::weighted;
  run.decision = rule.fitted().decision();
}

#if GP_HAS_INSTANCES
GP_EXTERN template void add_weighted(const executor&, const dataset<float, std::int32_t>&,
                                     const some_backbone<float, std::int32_t>&,
                                     const std::vector<trained_patcher<float>>&, run_result&);
GP_EXTERN template void add_weighted(const executor&, const dataset<float, std::int64_t>&,
                                     const some_backbone<float, std::int64_t>&,
                                     const std::vector<trained_patcher<float>>&, run_result&);
GP_EXTERN template void add_weighted(const executor&, const dataset<double, std::int32_t>&,
                                     const some_backbone<double, std::int32_t>&,
                                     const std::vector<trained_patcher<double>>&, run_result&);
GP_EXTERN template void add_weighted(const executor&, const dataset<double, std::int64_t>&,
                                     const some_backbone<double, std::int64_t>&,
                                     const std::vector<trained_patcher<double>>&, run_result&);
#endif

}  // namespace detail

/// Of a backbone and the patchers of train_weighted_patchers().
template <class T, graph_index I, backbone_for<T, I> Backbone>
run_result evaluate_weighted(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                             const std::vector<trained_patcher<T>>& patchers) {
  expects(!patchers.empty(), "the rule: expected at least one patcher, got none");
  auto run = evaluate_run(exec, data, model, patchers.front(), {.patches = patchers.front().config.patches});
  for (std::size_t p = 1; p < patchers.size(); ++p) {
    run.iterations += patchers[p].iterations;
    run.seconds.patcher += patchers[p].seconds;
  }
  detail::add_weighted<T, I>(exec, data, model, patchers, run);
  return run;
}

/// The same of a backbone that knows its history, with how it came to be.
template <class T, graph_index I, backbone_for<T, I> Backbone>
run_result score_weighted(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                          const std::vector<trained_patcher<T>>& patchers) {
  auto run = evaluate_weighted(exec, data, model, patchers);
  describe_training(model.history, run);
  return run;
}

/// evaluate() by the rule: takes all patchers in the place of one.
template <class T, graph_index I, backbone_for<T, I> Backbone>
evaluation evaluate(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                    const std::vector<trained_patcher<T>>& patchers) {
  expects(!patchers.empty(), "evaluate: expected at least one patcher, got none");
  evaluation result{describe_evaluation(data, model, patchers.front())};
  result.record.runs.push_back(evaluate_weighted(exec, data, model, patchers));
  return result;
}

}  // namespace graphpatcher
