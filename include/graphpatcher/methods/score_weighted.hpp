// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "graphpatcher/eval/add_answer.hpp"
#include "graphpatcher/eval/run_seed.hpp"
#include "graphpatcher/methods/weighted_predictor.hpp"

/// The rule of docs/rule.md, scored: what it answers for the test nodes, beside the backbone and every number of
/// patches of the first patcher.
namespace graphpatcher {

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
  const progress_label part("the rule");
  const auto started = std::chrono::steady_clock::now();
  const weighted_predictor<T, I> rule(exec, data, model, {patchers.begin(), patchers.end()});
  run.seconds.patching += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  add_answer(data, rule.predict(data.split.test), run);
  run.rule = patch_rule::weighted;
  run.decision = rule.fitted().decision();
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
