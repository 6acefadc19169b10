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
#include "graphpatcher/patcher/anchor_order.hpp"
#include "graphpatcher/patcher/fast_trainer.hpp"
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

/// Iterates until the rule of the config says stop; leaves the best weights in
/// result.generator, which is what `trainer` trains.
template <class Trainer, class T, graph_index I, class Backbone>
void train_until_stop(const executor& exec, const dataset<T, I>& data, const Backbone& model, Trainer& trainer,
                      trained_patcher<T>& result) {
  const auto& config = result.config;
  auto& generator = result.generator;
  patcher_validation<T, I, Backbone> validation(exec, data, model, config);
  anchor_order<I> order(training_anchors(data, config.anchors), config.batch, config.seed);
  patch_generator<T> best = generator;
  double best_score = 0;
  std::size_t without_improvement = 0;
  loss_record<T> losses(exec);
  progress bar("training patcher", config.max_iterations, {.quiet = config.quiet});  // or less: it stops early
  while (result.iterations < config.max_iterations && without_improvement < config.patience) {
    throw_if_interrupted("training patcher");
    const std::uint64_t iteration = result.iterations++;
    losses.add(trainer.step(order.next(), iteration), iteration);

    const bool due = result.iterations >= config.warmup && result.iterations % config.evaluate_every == 0;
    if (due || (result.iterations == config.max_iterations && result.evaluations.empty())) {
      auto now = validation.judge(trainer, generator);
      now.iteration = result.iterations;
      now.training_loss = losses.take_mean();
      ++without_improvement;
      if (result.evaluations.empty() || now.score() > best_score) {
        best_score = now.score();
        best = generator;
        result.best_iteration = now.iteration;
        without_improvement = 0;
      }
      result.evaluations.push_back(std::move(now));
    }
    const auto best_so_far = result.evaluations.empty() ? "" : text(", best at ", result.best_iteration);
    bar.advance(1, text("loss ", losses.latest(), best_so_far));
  }
  bar.finish();
  generator = std::move(best);
}

}  // namespace detail

/// Trains a patcher for a frozen backbone, one batch of anchors an iteration,
/// and keeps the weights of the best evaluation (the first of equals). No labels
/// but those of the validation nodes are used, and those only to choose.
///
/// Throws argument_error for settings that make no sense, numeric_error when the
/// loss stops being finite, interrupted_error on Ctrl-C inside an interrupt_scope.
template <class T, graph_index I, backbone_for<T, I> Backbone>
trained_patcher<T> train_patcher(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                                 const patcher_config& config = {}) {
  config.check();
  data.check();
  const auto started = std::chrono::steady_clock::now();
  const generator_options network{data.features.cols(), config.hidden, config.dropout, config.seed};
  trained_patcher<T> result{patch_generator<T>(network), config, {}};
  result.path = choose_path(config.path, why_not_fast(exec, model, data.graph, config));
  if constexpr (fast::has_rows<Backbone>) {
    if (result.path == patch_path::fast) {
      fast_trainer<T, I, Backbone> trainer(exec.host(), data, model, config, result.generator);
      detail::train_until_stop(exec, data, model, trainer, result);
    }
  }
  if (result.path == patch_path::generic) {
    const placed_model<Backbone> placed(exec, model);
    move_to(exec, result.generator);
    generic_trainer<T, I, Backbone> trainer(exec, data, *placed, config, result.generator);
    detail::train_until_stop(exec, data, model, trainer, result);
    move_to(cpu{}, result.generator);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace graphpatcher
