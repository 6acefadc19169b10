// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/nn/optimizer.hpp"
#include "graphpatcher/patcher/anchor_order.hpp"
#include "graphpatcher/patcher/validation.hpp"

namespace graphpatcher {

/// A trained patcher and how it came to be.
template <class T>
struct trained_patcher {
  patch_generator<T> generator;
  patcher_config config;
  std::vector<patcher_evaluation> evaluations;
  std::size_t iterations = 0;      ///< run in all
  std::size_t best_iteration = 0;  ///< whose weights these are
  double seconds = 0;
};

namespace detail {

/// Mean of the losses since it was last taken.
class mean_loss {
public:
  void add(double loss) {
    sum_ += loss;
    ++count_;
  }
  double take() { return std::exchange(sum_, 0.0) / static_cast<double>(std::exchange(count_, std::size_t{0})); }

private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

}  // namespace detail

/// Trains a patcher for a frozen backbone, one batch of anchors an iteration,
/// and keeps the weights of the best evaluation (the first of equals). No labels
/// but those of the validation nodes are used, and those only to choose.
///
/// Throws argument_error for settings that make no sense, numeric_error when the
/// loss stops being finite, interrupted_error on Ctrl-C inside an interrupt_scope.
template <class T, graph_index I, backbone_for<T, I> Backbone>
trained_patcher<T> train_patcher(const cpu& exec, const dataset<T, I>& data, const Backbone& model,
                                 const patcher_config& config = {}) {
  config.check();
  data.check();
  const auto started = std::chrono::steady_clock::now();
  const patcher_validation<T, I, Backbone> validation(exec, data, model, config);
  anchor_order<I> order(training_anchors(data, config.anchors), config.batch, config.seed);
  const generator_options network{data.features.cols(), config.hidden, config.dropout, config.seed};
  trained_patcher<T> result{patch_generator<T>(network), config, {}};
  auto& generator = result.generator;
  adamw<T> optimizer(generator.parameters(), {.lr = config.learning_rate, .weight_decay = config.weight_decay});
  const random_stream dropout_random(config.seed, purpose::dropout);
  patch_generator<T> best = generator;
  double best_score = 0;
  std::size_t without_improvement = 0;
  detail::mean_loss losses;

  tape<T> t(exec);
  tape<T> scratch(exec);
  progress bar("training patcher", config.max_iterations, {.quiet = config.quiet});  // or less: it stops early
  while (result.iterations < config.max_iterations && without_improvement < config.patience) {
    throw_if_interrupted("training patcher");
    const std::uint64_t iteration = result.iterations++;
    t.reset();
    t.train(dropout_random.fork(iteration));
    const auto batch = make_ego_batch(exec, data.graph, order.next(), {.hops = model.hops()});
    const auto masks = draw_masks(exec, batch, config, iteration);
    const auto pass = run_training_pass(t, scratch, model, generator, data.features, batch, masks, config);
    const double loss = static_cast<double>(pass.loss.value()(0, 0));
    expects<numeric_error>(std::isfinite(loss), "patcher: the loss became ", loss, " at iteration ", iteration,
                           "; try a smaller learning rate");
    losses.add(loss);
    t.backward(pass.loss);
    if (result.iterations % config.accumulate == 0) {
      optimizer.step(exec, T(1) / static_cast<T>(config.accumulate));
    }

    const bool due = result.iterations >= config.warmup && result.iterations % config.evaluate_every == 0;
    if (due || (result.iterations == config.max_iterations && result.evaluations.empty())) {
      auto now = validation.judge(generator);
      now.iteration = result.iterations;
      now.training_loss = losses.take();
      ++without_improvement;
      if (result.evaluations.empty() || now.score() > best_score) {
        best_score = now.score();
        best = generator;
        result.best_iteration = now.iteration;
        without_improvement = 0;
      }
      result.evaluations.push_back(std::move(now));
    }
    bar.advance(1, text("loss ", loss, result.evaluations.empty() ? "" : text(", best at ", result.best_iteration)));
  }
  bar.finish();
  generator = std::move(best);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace graphpatcher
