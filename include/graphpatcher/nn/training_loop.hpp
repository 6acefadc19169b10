// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/nn/loss_record.hpp"
#include "graphpatcher/nn/objective.hpp"

/// The one training loop: backbones, patchers and what users think of go through
/// it. An objective (nn/objective.hpp) says what is lowered, a selection which of
/// the weights on the way are kept.
namespace graphpatcher {

/// When a training stops, and how it shows itself. The defaults are those of the paper's backbones.
struct loop_options {
  std::string name = "training";  ///< on the display and in errors
  std::string score = "score";    ///< what the selection's number is, on the display
  std::size_t max_iterations = 10'000;
  std::size_t patience = 500;      ///< evaluations without a better score
  std::size_t warmup = 0;          ///< iterations before the first evaluation
  std::size_t evaluate_every = 1;  ///< iterations between evaluations
  bool judge_start = false;        ///< the weights at the beginning may be the best, as iteration 0
  bool keep_equals = false;        ///< an equal score counts as a better one: of equals the last is kept
  std::uint64_t seed = 0;          ///< of dropout, for a loss on a tape
  progress_options progress{.quiet = true};

  void check() const {
    expects(max_iterations >= 1, name, ": expected at least 1 iteration, got 0");
    expects(patience >= 1, name, ": expected a patience of at least 1 evaluation, got 0");
    expects(evaluate_every >= 1, name, ": expected at least 1 iteration between evaluations, got 0");
  }
};

/// Where a training stands: with objective and selection all that the iterations
/// to come depend on, so whoever keeps it can go on with it.
template <class T>
struct loop_state {
  std::size_t iterations = 0;           ///< done
  std::size_t best_iteration = 0;       ///< whose weights are kept; 0 = those at the beginning
  std::optional<double> best_score{};   ///< nothing before the first evaluation
  std::size_t without_improvement = 0;  ///< evaluations
  loss_record<T> losses;
};

/// Whether there is an iteration to come.
template <class T>
bool goes_on(const loop_options& options, const loop_state<T>& state) {
  return state.iterations < options.max_iterations && state.without_improvement < options.patience;
}

/// `double score(iteration, loss)`: how good the weights are now, more is better;
/// `loss` is the mean since the last evaluation (NaN before the first iteration).
template <class Selection>
concept scores_weights = requires(Selection& selection, std::size_t iteration, double loss) {
  { selection.score(iteration, loss) } -> std::convertible_to<double>;
};

/// `void keep()`: the weights as they are now are the best; `void restore()`: put the best in their place.
template <class Selection>
concept keeps_weights = requires(Selection& selection) {
  selection.keep();
  selection.restore();
};

template <class Selection>
concept weight_selection = scores_weights<Selection> && keeps_weights<Selection>;

/// The selection that nearly everybody wants: a copy of the model at its best
/// score. `Score` is a function of nothing, or of (iteration, loss).
template <class Model, class Score>
class keep_best {
public:
  Model best;

  keep_best(Model& model, Score score) : best(model), model_(&model), score_(std::move(score)) {}

  double score(std::size_t iteration, double loss) {
    if constexpr (std::invocable<Score&, std::size_t, double>) {
      return score_(iteration, loss);
    } else {
      return score_();
    }
  }
  void keep() { best = *model_; }
  void restore() { *model_ = best; }  // element by element: pointers to its parameters stay valid

private:
  Model* model_;
  Score score_;
};

/// Trains from a state that was kept, or a fresh one; after each iteration and its
/// evaluation `watch(state)` is called.
template <objective Objective, weight_selection Selection, class T, class Watch>
void training_loop(const executor& exec, Objective& objective, Selection&& selection, const loop_options& options,
                   loop_state<T>& state, Watch&& watch) {
  options.check();
  detail::iteration_of<Objective> one(exec, objective, options.seed);
  const auto judge = [&](double loss) {
    const double score = selection.score(state.iterations, loss);
    ++state.without_improvement;
    const bool equal = options.keep_equals && state.best_score && score == *state.best_score;
    if (!state.best_score || score > *state.best_score || equal) {
      state.best_score = score;
      state.best_iteration = state.iterations;
      state.without_improvement = 0;
      selection.keep();
    }
  };
  // An operation that is stopped doesn't know what it is part of.
  const auto in_training = [&](const auto& part) {
    try {
      part();
    } catch (const interrupted_error&) {
      throw_if_interrupted(options.name);
      throw;
    }
  };
  if (options.judge_start && state.iterations == 0) {
    in_training([&] { judge(std::nan("")); });
  }
  progress bar(options.name, options.max_iterations, options.progress, state.iterations);
  std::string best, shown;
  while (goes_on(options, state)) {
    throw_if_interrupted(options.name);
    in_training([&] { one.run(state.iterations + 1, state.losses); });
    ++state.iterations;
    const bool due = state.iterations >= options.warmup && state.iterations % options.evaluate_every == 0;
    if (due || (state.iterations == options.max_iterations && !state.best_score)) {
      in_training([&] { judge(state.losses.take_mean()); });
      best = text(", best ", options.score, " ", *state.best_score, " at ", state.best_iteration);
    }
    watch(state);
    shown = options.progress.quiet ? "" : text("loss ", state.losses.latest(), best);
    bar.advance(1, shown);
  }
  bar.finish(state.iterations < options.max_iterations ? shown + (shown.empty() ? "" : ", ") + "stopped early" : "");
  selection.restore();
}

/// Lowers an objective step by step until `patience` evaluations brought nothing
/// better or max_iterations are over, and leaves the best weights (the first of
/// equals).
///
/// Throws argument_error for options that make no sense, numeric_error when the
/// loss stops being finite, interrupted_error on Ctrl-C inside an interrupt_scope;
/// the weights are then those of the moment.
template <objective Objective, weight_selection Selection>
loop_state<typename Objective::scalar_type> training_loop(const executor& exec, Objective& objective,
                                                          Selection&& selection, const loop_options& options = {}) {
  loop_state<typename Objective::scalar_type> state{.losses = {exec, options.name}};
  training_loop(exec, objective, selection, options, state, [](const auto&) {});
  return state;
}

}  // namespace graphpatcher
