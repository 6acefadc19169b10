// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/methods/densify.hpp"
#include "graphpatcher/methods/duplicate.hpp"
#include "graphpatcher/methods/propagate.hpp"
#include "graphpatcher/methods/weighted_predictor.hpp"

/// The rule of docs/rule.md as methods: with two patchers, with one, and with what needs no training.
namespace graphpatcher {

namespace detail {

/// Fits the rule and leaves its answers.
template <class T, graph_index I>
void run_weighted(method_run<T, I>& run, std::vector<answer_source<T, I>> sources) {
  const weighted_predictor<T, I> rule(run.exec, *run.data, run.backbone, std::move(sources));
  run.decision = rule.fitted().decision();
  run.answer_with(rule.logits());
}

template <bool fast>
struct weighted_method {
  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    auto config = run.patcher;
    config.seed = run.seed;
    std::vector<answer_source<T, I>> sources;
    for (const auto target : weighted_targets(fast)) {
      config.target = target;
      const auto patcher = run.train_patcher(config);
      sources.emplace_back(patcher);
      run.iterations += patcher.iterations;
      run.path = patcher.path;
      if (run.curve.empty()) {
        run.curve = curve_of(patcher.evaluations);
      }
    }
    run_weighted(run, std::move(sources));
  }
};

}  // namespace detail

struct weighted : detail::weighted_method<false> {
  static constexpr method_info info{
      "weighted", "all answers of two patchers weighed on validation nodes, or the backbone where that is no surer",
      method_role::rule};
};

struct weighted_fast : detail::weighted_method<true> {
  static constexpr method_info info{"weighted-fast", "the same with one patcher", method_role::rule};
};

/// The fairest of controls: the same rule with patches that nobody trained, densification, duplicates, propagation, and
/// all that is spread of them.
struct weighted_controls {
  static constexpr method_info info{"weighted-controls", "the same with answers that need no training",
                                    method_role::control};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    using source = answer_source<T, I>;
    const patching_options how{.patches = run.patcher.patches};
    std::vector<source> sources{{"zero", source::patching(fixed_patch::zero, how)},
                                {"mean", source::patching(fixed_patch::mean, how)},
                                {"copy", source::patching(fixed_patch::copy, how)}};
    sources.emplace_back("duplicate",
                         [](const executor& exec, const dataset<T, I>& data, const some_backbone<T, I>& model) {
                           return duplicated_answers(exec, data, model);
                         });
    sources.emplace_back("densify", [most = how.patches](const executor& exec, const dataset<T, I>& data,
                                                         const some_backbone<T, I>& model) {
      return densified_answers(exec, data, model, most);
    });
    sources.emplace_back("propagate", [](const executor& exec, const dataset<T, I>& data,
                                         const some_backbone<T, I>& model) {
      const auto own = model.patch(exec, data, fixed_patch::zero, every_node<I>(data.nodes()), {.patches = 0}).front();
      const auto p = probabilities_of(exec.host(), own);
      std::vector<matrix<T>> answers{own};
      for (const double alpha : {0.5, 0.2, 0.1}) {
        answers.push_back(propagated(exec.host(), data.graph, p, alpha, 10, propagation::mean));
        for (T& value : answers.back().values()) {
          value = static_cast<T>(safe_log(static_cast<double>(value)));
        }
      }
      return answers;
    });
    detail::run_weighted(run, std::move(sources));
  }
};

}  // namespace graphpatcher
