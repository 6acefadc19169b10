// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/progress.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/nn/optimizer.hpp"
#include "graphpatcher/patcher/anchor_order.hpp"
#include "graphpatcher/patcher/patching.hpp"
#include "graphpatcher/patcher/training_loss.hpp"

namespace graphpatcher {

/// One evaluation during training.
struct patcher_evaluation {
  std::size_t iteration = 0;
  double training_loss = 0;      ///< mean since the evaluation before
  double validation_loss = 0;    ///< stop_rule::loss; NaN otherwise
  std::vector<double> accuracy;  ///< on validation nodes with 0, 1, ... patches, percent; stop_rule::accuracy
};

/// A trained patcher and how it came to be.
template <class T>
struct trained_patcher {
  patch_generator<T> generator;
  patcher_config config;
  std::vector<patcher_evaluation> evaluations;
  std::size_t iterations = 0;      ///< run in all
  std::size_t best_iteration = 0;  ///< whose weights these are
  double seconds = 0;

  /// How test nodes are patched: as in training.
  patching_options patching() const {
    return {.patches = config.patches, .degree = config.degree, .edge = config.edge};
  }
};

namespace detail {

/// Percent of `nodes` whose largest logit is their label's; ties go to the lower class.
template <class T, graph_index I>
double percent_right(matrix_view<const T> logits, std::span<const I> nodes, std::span<const I> labels) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto row = logits.row(i);
    right += std::max_element(row.begin(), row.end()) - row.begin() == labels[static_cast<std::size_t>(nodes[i])];
  }
  return 100.0 * static_cast<double>(right) / static_cast<double>(nodes.size());
}

/// The loss on validation nodes, under the same masks at every call.
template <class T, graph_index I, class Backbone>
double validation_loss(const cpu& exec, const dataset<T, I>& data, const Backbone& model,
                       const patch_generator<T>& generator, const patcher_config& config) {
  auto anchors = data.split.validation;
  std::erase_if(anchors, [&](I v) { return data.graph.degree(static_cast<std::size_t>(v)) == 0; });
  expects(!anchors.empty(),
          "patcher: no validation node has a neighbour, so there is no validation loss; use stop_rule::accuracy");
  tape<T> t(exec);
  tape<T> scratch(exec);
  const auto frozen = t.freeze();
  double total = 0;
  for (std::size_t begin = 0; begin < anchors.size(); begin += config.batch) {
    t.reset();
    const auto part = std::span<const I>(anchors).subspan(begin, std::min(config.batch, anchors.size() - begin));
    const auto batch = make_ego_batch(exec, data.graph, part, {.hops = model.hops()});
    constexpr std::uint64_t validation_iteration = std::numeric_limits<std::uint64_t>::max();
    const auto masks = draw_masks(exec, batch, config, validation_iteration);
    const auto pass = run_training_pass(t, scratch, model, generator, data.features, batch, masks, config);
    total += static_cast<double>(pass.loss.value()(0, 0)) * static_cast<double>(part.size());
  }
  return total / static_cast<double>(anchors.size());
}

}  // namespace detail

/// Trains a patcher for a frozen backbone, one batch of anchors an iteration,
/// and keeps the weights of the best evaluation. No labels but those of the
/// validation nodes are used, and those only to choose (stop_rule::accuracy).
template <class T, graph_index I, class Backbone>
requires backbone<Backbone, I> trained_patcher<T> train_patcher(const cpu& exec, const dataset<T, I>& data,
                                                                const Backbone& model,
                                                                const patcher_config& config = {}) {
  config.check();
  data.check();
  expects(!data.split.validation.empty(), data.name, ": expected validation nodes to choose the weights by, got none");
  const auto started = std::chrono::steady_clock::now();
  trained_patcher<T> result{
      patch_generator<T>(
          {.features = data.features.cols(), .hidden = config.hidden, .dropout = config.dropout, .seed = config.seed}),
      config,
      {}};
  anchor_order<I> order(training_anchors(data, config.anchors), config.batch, config.seed);
  auto& generator = result.generator;
  adamw<T> optimizer(generator.parameters(), {.lr = config.learning_rate, .weight_decay = config.weight_decay});
  const random_stream dropout_random(config.seed, purpose::dropout);
  patch_generator<T> best = generator;
  double best_score = -std::numeric_limits<double>::infinity();
  std::size_t without_improvement = 0;
  double loss_sum = 0;
  std::size_t loss_count = 0;

  const auto evaluate = [&](std::size_t iteration) {
    patcher_evaluation now{iteration, loss_sum / static_cast<double>(loss_count), std::nan(""), {}};
    loss_sum = 0;
    loss_count = 0;
    double score = 0;
    if (config.stop == stop_rule::accuracy) {
      const std::span<const I> nodes = data.split.validation;
      const auto patched = patch_nodes(exec, data.graph, data.features, model, generator, nodes, result.patching());
      for (const auto& logits : patched.logits) {
        now.accuracy.push_back(detail::percent_right<T, I>(logits, nodes, data.labels));
      }
      score = *std::max_element(now.accuracy.begin() + 1, now.accuracy.end());
    } else {
      now.validation_loss = detail::validation_loss(exec, data, model, generator, config);
      score = -now.validation_loss;
    }
    result.evaluations.push_back(now);
    if (score > best_score) {
      best_score = score;
      best = generator;
      result.best_iteration = iteration;
      without_improvement = 0;
    } else {
      ++without_improvement;
    }
  };

  tape<T> t(exec);
  tape<T> scratch(exec);
  progress bar("training patcher", 0, {.quiet = config.quiet});
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
    t.backward(pass.loss);
    if (result.iterations % config.accumulate == 0) {
      optimizer.step(exec, T(1) / static_cast<T>(config.accumulate));
    }
    loss_sum += loss;
    ++loss_count;
    if (result.iterations >= config.warmup && result.iterations % config.evaluate_every == 0) {
      evaluate(result.iterations);
    }
    bar.advance(1, text("loss ", loss, result.evaluations.empty() ? "" : text(", best at ", result.best_iteration)));
  }
  if (result.evaluations.empty()) {
    evaluate(result.iterations);
  }
  bar.finish();
  generator = std::move(best);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return result;
}

}  // namespace graphpatcher
