// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/patcher/anchor_order.hpp"
#include "graphpatcher/patcher/detail/compiled.hpp"
#include "graphpatcher/patcher/detail/fast_trainer.hpp"
#include "graphpatcher/patcher/generic_trainer.hpp"
#include "graphpatcher/patcher/validation.hpp"

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

namespace detail {

/// The losses of iterations. Reading one means waiting for it, so on a GPU they
/// are kept in a list there and read back together, every `read_every`
/// iterations and when their mean is asked for.
template <class T>
class loss_record {
public:
  explicit loss_record(const executor& exec) : exec_(exec), waiting_(exec, 1, exec.on_host() ? 1 : read_every) {}

  /// Throws numeric_error if a loss that was read is not finite.
  void add(matrix_view<const T> loss, std::uint64_t iteration) {
    copy(exec_, loss, matrix_view<T>(waiting_.data() + count_, 1, 1));
    first_ = count_++ == 0 ? iteration : first_;
    if (count_ == waiting_.cols()) {
      read();
    }
  }
  /// Sum and number of losses since their mean was last taken; may be set again.
  struct total {
    double sum = 0;
    std::size_t count = 0;
  };
  total since_mean() {
    read();
    return {sum_, read_};
  }
  void set_since_mean(total before) noexcept {
    sum_ = before.sum;
    read_ = before.count;
  }
  /// Of the last iteration that was read.
  double latest() const noexcept { return latest_; }
  /// Mean since it was last taken.
  double take_mean() {
    read();
    return std::exchange(sum_, 0.0) / static_cast<double>(std::exchange(read_, std::size_t{0}));
  }

private:
  static constexpr std::size_t read_every = 16;

  void read() {
    const auto values = to_host(exec_, matrix_view<const T>(waiting_.data(), 1, count_));
    for (std::size_t i = 0; i < count_; ++i) {
      latest_ = static_cast<double>(values(0, i));
      expects<numeric_error>(std::isfinite(latest_), "patcher: the loss became ", latest_, " at iteration ", first_ + i,
                             "; try a smaller learning rate");
      sum_ += latest_;
    }
    read_ += std::exchange(count_, std::size_t{0});
  }

  executor exec_;
  matrix<T> waiting_;
  std::size_t count_ = 0;
  std::uint64_t first_ = 0;
  std::size_t read_ = 0;
  double sum_ = 0;
  double latest_ = 0;
};

}  // namespace detail

/// A training between two iterations. With its config, the dataset and the
/// backbone this is all that the iterations to come depend on.
template <class T>
struct patcher_training {
  trained_patcher<T>& result;  ///< its generator: the weights as they are now
  adamw<T>& optimizer;         ///< of those weights
  detail::loss_record<T>& losses;
  patch_generator<T> best;
  double best_score = 0;
  std::size_t without_improvement = 0;  ///< evaluations
};

/// Somebody who is shown a training: before its first iteration, to change it
/// into one that was saved, and between iterations, to save it.
template <class T>
struct training_watch {
  std::function<void(patcher_training<T>&)> begin;
  std::function<void(patcher_training<T>&)> between;
};

namespace detail {

/// Iterates until the rule of the config says stop; leaves the best weights in
/// result.generator, which is what `trainer` trains.
template <class Trainer, class T, graph_index I, class Backbone>
void train_until_stop(const executor& exec, const dataset<T, I>& data, const Backbone& model, Trainer& trainer,
                      trained_patcher<T>& result, const training_watch<T>& watch) {
  const auto& config = result.config;
  auto& generator = result.generator;
  patcher_validation<T, I, Backbone> validation(exec, data, model, config);
  loss_record<T> losses(exec);
  patcher_training<T> now{result, trainer.optimizer(), losses, generator};
  if (watch.begin) {
    watch.begin(now);
  }
  anchor_order<I> order(training_anchors(data, config.anchors), config.batch, config.seed);
  order.skip(result.iterations);
  progress bar("training patcher", config.max_iterations - result.iterations, {.quiet = config.quiet});  // or less
  while (result.iterations < config.max_iterations && now.without_improvement < config.patience) {
    if (watch.between) {
      watch.between(now);
    }
    throw_if_interrupted("training patcher");
    const std::uint64_t iteration = result.iterations++;
    losses.add(trainer.step(order.next(), iteration), iteration);

    const bool due = result.iterations >= config.warmup && result.iterations % config.evaluate_every == 0;
    if (due || (result.iterations == config.max_iterations && result.evaluations.empty())) {
      auto judged = validation.judge(trainer, generator);
      judged.iteration = result.iterations;
      judged.training_loss = losses.take_mean();
      ++now.without_improvement;
      if (result.evaluations.empty() || judged.score() > now.best_score) {
        now.best_score = judged.score();
        now.best = generator;
        result.best_iteration = judged.iteration;
        now.without_improvement = 0;
      }
      result.evaluations.push_back(std::move(judged));
    }
    const auto best_so_far = result.evaluations.empty() ? "" : text(", best at ", result.best_iteration);
    bar.advance(1, text("loss ", losses.latest(), best_so_far));
  }
  bar.finish();
  generator = std::move(now.best);
}

/// What train_patcher() says, compiled where it is called.
template <class T, graph_index I, backbone_for<T, I> Backbone>
trained_patcher<T> train_patcher_here(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                                      const patcher_config& config, const training_watch<T>& watch) {
  config.check();
  data.check();
  const auto started = std::chrono::steady_clock::now();
  const generator_options network{data.features.cols(), config.hidden, config.dropout, config.seed};
  trained_patcher<T> result{patch_generator<T>(network), config, {}};
  result.path = choose_path(config.path, why_not_fast(exec, model, data.graph, config));
  if constexpr (fast::has_rows<Backbone>) {
    if (result.path == patch_path::fast) {
      fast::trainer<T, I, Backbone> trainer(exec.host(), data, model, config, result.generator);
      train_until_stop(exec, data, model, trainer, result, watch);
    }
  }
  if (result.path == patch_path::generic) {
    const placed_model<Backbone> placed(exec, model);
    move_to(exec, result.generator);
    generic_trainer<T, I, Backbone> trainer(exec, data, *placed, config, result.generator);
    train_until_stop(exec, data, model, trainer, result, watch);
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
/// `watch` is for those who save and resume it (exchange/resumable_training.hpp).
template <class T, graph_index I, backbone_for<T, I> Backbone>
trained_patcher<T> train_patcher(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                                 const patcher_config& config = {},
                                 const std::type_identity_t<training_watch<T>>& watch = {}) {
  if constexpr (compiled::holds<Backbone>) {
    if (compiled::sole<Backbone> || exec.on_host()) {
      return compiled::patcher_functions_of<T, I, compiled::built_in_t<Backbone>>().train(exec, data, model, config,
                                                                                          watch);
    }
  }
  if constexpr (!compiled::sole<Backbone>) {
    return detail::train_patcher_here<T, I>(exec, data, model, config, watch);
  }
}

}  // namespace graphpatcher
