// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/nn/training_loop.hpp"
#include "graphpatcher/patcher/detail/anchor_order.hpp"
#include "graphpatcher/patcher/detail/compiled.hpp"
#include "graphpatcher/patcher/detail/ego_cost.hpp"
#include "graphpatcher/patcher/detail/fast_trainer.hpp"
#include "graphpatcher/patcher/detail/generic_trainer.hpp"
#include "graphpatcher/patcher/detail/validation.hpp"

namespace graphpatcher {

/// A trained patcher and how it came to be.
template <class T>
struct trained_patcher {
  patch_generator<T> generator;
  patcher_config config;
  std::vector<patcher_evaluation> evaluations;
  std::size_t iterations = 0;             ///< run in all
  std::size_t best_iteration = 0;         ///< whose weights these are
  patch_path path = patch_path::generic;  ///< that was taken
  double seconds = 0;
};

/// A training between two iterations. With its config, the dataset and the
/// backbone this is all that the iterations to come depend on.
template <class T>
struct patcher_training {
  trained_patcher<T>& result;  ///< its generator: the weights as they are now
  patch_generator<T>& best;
  adamw<T>& optimizer;  ///< of the weights
  loop_state<T>& loop;  ///< how far it is
};

/// Somebody who is shown a training: before its first iteration, to change it
/// into one that was saved, and between iterations, to save it.
template <class T>
struct training_watch {
  std::function<void(patcher_training<T>&)> begin;
  std::function<void(patcher_training<T>&)> between;
};

namespace detail {

/// Iterations of a trainer, over one batch of anchors after the other. The
/// trainer makes its steps itself: on the fast path gradient and AdamW are one.
template <class T, graph_index I, class Trainer>
class patcher_objective {
public:
  using scalar_type = T;

  /// `stopped` is called where an iteration is left unfinished on request: the weights are those before it.
  patcher_objective(Trainer& trainer, patch_generator<T>& generator, anchor_order<I> order,
                    std::function<void()> stopped)
      : trainer_(&trainer), generator_(&generator), order_(std::move(order)), stopped_(std::move(stopped)) {}

  parameter_list<T> parameters() { return generator_->parameters(); }
  matrix_view<const T> step(std::size_t iteration) {
    try {
      return trainer_->step(order_.next(), iteration - 1);
    } catch (const interrupted_error&) {
      stopped_();
      throw;
    }
  }

private:
  Trainer* trainer_;
  patch_generator<T>* generator_;
  anchor_order<I> order_;
  std::function<void()> stopped_;
};

/// Iterates until the rule of the config says stop; leaves the best weights in
/// result.generator, which is what `trainer` trains.
template <class Trainer, class T, graph_index I, class Backbone>
void train_until_stop(const executor& exec, const dataset<T, I>& data, const Backbone& model, Trainer& trainer,
                      anchor_order<I> order, trained_patcher<T>& result, const training_watch<T>& watch) {
  const auto& config = result.config;
  patcher_validation<T, I, Backbone> validation(exec, data, model, config);
  keep_best selection(result.generator, [&](std::size_t iteration, double loss) {
    auto& judged = result.evaluations.emplace_back(validation.judge(trainer, result.generator));
    judged.iteration = iteration;
    judged.training_loss = loss;
    return judged.score();
  });
  const loop_options loop{.name = "training patcher",
                          .score = config.stop == stop_rule::loss ? "minus validation loss" : "validation accuracy",
                          .max_iterations = config.max_iterations,
                          .patience = config.patience,
                          .warmup = config.warmup,
                          .evaluate_every = config.evaluate_every,
                          .progress = {.quiet = config.quiet}};
  loop_state<T> state{.losses = {exec, loop.name}};
  patcher_training<T> now{result, selection.best, trainer.optimizer(), state};
  if (watch.begin) {
    watch.begin(now);
  }
  order.skip(state.iterations);
  const auto between = [&] {
    if (watch.between && goes_on(loop, state)) {
      watch.between(now);
    }
  };
  patcher_objective<T, I, Trainer> objective(trainer, result.generator, std::move(order), between);
  training_loop(exec, objective, selection, loop, state, [&](const loop_state<T>&) { between(); });
  result.iterations = state.iterations;
  result.best_iteration = state.best_iteration;
}

/// What train_patcher() says, compiled where it is called.
template <class T, graph_index I, backbone_for<T, I> Backbone>
trained_patcher<T> train_patcher_here(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                                      const patcher_config& config, const training_watch<T>& watch) {
  config.check();
  data.check();
  const auto started = std::chrono::steady_clock::now();
  // Before anything is made that has a row for every anchor of a batch: it says whether there are so many.
  anchor_order<I> order(training_anchors(data, config.anchors), config.batch, config.seed);
  const generator_options network{data.features.cols(), config.hidden, config.dropout, config.seed};
  trained_patcher<T> result{patch_generator<T>(network), config, {}};
  result.path = choose_path(config.path, why_not_fast(exec, model, data.graph, config));
  if constexpr (has_rows<Backbone>) {
    if (result.path == patch_path::fast) {
      fast::trainer<T, I, Backbone> trainer(exec.host(), data, model, config, result.generator);
      train_until_stop(exec, data, model, trainer, std::move(order), result, watch);
    }
  }
  if (result.path == patch_path::generic) {
    const auto cost = measure_ego_cost<I>(data.graph, training_anchors(data, config.anchors), model.hops());
    if (const auto warning = warning_of(cost, config.batch); !warning.empty()) {
      show_note("training patcher: " + warning, {.quiet = config.quiet});
    }
    const placed_model<Backbone> placed(exec, model);
    move_to(exec, result.generator);
    generic_trainer<T, I, Backbone> trainer(exec, data, *placed, config, result.generator);
    train_until_stop(exec, data, model, trainer, std::move(order), result, watch);
    move_to(cpu{}, result.generator);
  }
  result.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace detail

/// Trains a patcher for a frozen backbone, one batch of anchors an iteration,
/// and keeps the weights of the best evaluation (the first of equals). No labels
/// but those of the validation nodes are used, and those only to choose.
///
/// Throws argument_error for settings that make no sense, numeric_error when the
/// loss stops being finite, interrupted_error on Ctrl-C inside an interrupt_scope.
/// `watch` is for those who save and resume it (io/resumable_training.hpp).
template <class T, graph_index I, backbone_for<T, I> Backbone>
trained_patcher<T> train_patcher(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                                 const patcher_config& config = {},
                                 const std::type_identity_t<training_watch<T>>& watch = {}) {
  if constexpr (compiled::holds<Backbone>) {
    return compiled::patcher_functions_of<T, I, compiled::built_in_t<Backbone>>().train(exec, data, model, config,
                                                                                        watch);
  } else {
    return detail::train_patcher_here<T, I>(exec, data, model, config, watch);
  }
}

}  // namespace graphpatcher
