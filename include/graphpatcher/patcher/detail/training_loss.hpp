// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/graph/distinct_egos.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/graph/nearest_hops.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/ops/gather.hpp"
#include "graphpatcher/patcher/config.hpp"
#include "graphpatcher/patcher/generator.hpp"

namespace graphpatcher {

/// The corruption of one batch: where patching starts (strength t_1) and what
/// steps 1 .. M-1 aim at (t_2 .. t_M, L samples each).
struct training_masks {
  corruption_masks start;
  std::vector<corruption_masks> targets;
};

/// Draws where patching starts in an iteration.
template <graph_index I>
corruption_masks draw_start(const cpu& exec, const ego_batch<I>& batch, const patcher_config& config,
                            std::uint64_t iteration) {
  return corrupt(exec, batch, {.strength = config.strengths.front(), .seed = config.seed, .iteration = iteration});
}

/// How the targets of strength m >= 1 are corrupted.
inline corruption_options target_corruption(const patcher_config& config, std::uint64_t iteration, std::size_t m) {
  return {.strength = config.strengths[m],
          .samples = config.samples,
          .seed = config.seed,
          .iteration = iteration,
          .step = m,
          .estimator = config.estimator};
}

/// Draws the masks of one training iteration.
template <graph_index I>
training_masks draw_masks(const cpu& exec, const ego_batch<I>& batch, const patcher_config& config,
                          std::uint64_t iteration) {
  training_masks masks{draw_start(exec, batch, config, iteration), {}};
  for (std::size_t m = 1; m < config.strengths.size(); ++m) {
    throw_if_interrupted("training patcher");
    masks.targets.push_back(corrupt(exec, batch, target_corruption(config, iteration, m)));
  }
  return masks;
}

/// What the patcher is to reproduce: the frozen backbone's class probabilities
/// on (ego-graph, mask) pairs.
template <class T>
struct patch_targets {
  matrix<T> probabilities;          ///< one row a pair, in the memory of the tape that made them
  std::vector<std::int32_t> owner;  ///< the anchor each row belongs to
  std::vector<T> weights;           ///< its share in the loss
};

namespace detail {

template <class T, graph_index I, class Backbone>
matrix<T> target_probabilities(tape<T>& t, const Backbone& model, const feature_table<T, I>& table,
                               const ego_batch<I>& batch, std::span<const masked_ego> egos,
                               const patcher_config& config) {
  t.reset();
  const distinct_egos distinct(egos);
  const auto messages = materialise(t.exec().host(), batch, distinct.egos(), config.messages(0));
  const auto logits = frozen_forward(t, model, messages, node_features<T, I>{&table, &messages, {}});
  const auto different = t.allocate(logits.rows(), logits.cols());
  softmax(t.exec(), logits.value(), different);
  matrix<T> probabilities(t.exec(), egos.size(), logits.cols(), contents::anything);
  gather_rows<T, std::int32_t>(t.exec(), different, distinct.which(), probabilities.view());
  return probabilities;
}

/// The generator reads no more than its own two layers see: with degrees of the
/// graph the rest of an ego-graph of more hops changes no bit of a patch.
inline constexpr std::size_t generator_hops = 2;
template <graph_index I>
bool reads_less(const ego_batch<I>& batch, degree_mode degree) {
  return degree == degree_mode::graph && batch.hops > generator_hops;
}

}  // namespace detail

/// Targets of a step that aims at L corrupted ego-graphs an anchor. Weights add
/// up to 1 an anchor (samples = mean) or to L (sum), over the batch's size.
template <class T, graph_index I, class Backbone>
patch_targets<T> corrupted_targets(tape<T>& t, const Backbone& model, const feature_table<T, I>& table,
                                   const ego_batch<I>& batch, const corruption_masks& masks,
                                   const patcher_config& config) {
  const auto egos = corrupted_egos(batch, masks);
  patch_targets<T> targets;
  targets.probabilities = detail::target_probabilities<T, I>(t, model, table, batch, egos, config);
  const double samples = config.reduction == sample_reduction::sum ? static_cast<double>(config.samples) : 1.0;
  for (std::size_t b = 0; b < batch.size(); ++b) {
    for (std::size_t sample = 0; sample < masks.samples; ++sample) {
      if (masks.weight(b, sample) > 0) {
        targets.owner.push_back(static_cast<std::int32_t>(b));
        targets.weights.push_back(
            static_cast<T>(samples * masks.weight(b, sample) / static_cast<double>(batch.size())));
      }
    }
  }
  return targets;
}

/// Targets of the last step: the uncorrupted ego-graphs.
template <class T, graph_index I, class Backbone>
patch_targets<T> whole_targets(tape<T>& t, const Backbone& model, const feature_table<T, I>& table,
                               const ego_batch<I>& batch, const patcher_config& config) {
  const auto egos = whole_egos(batch);
  patch_targets<T> targets;
  targets.probabilities = detail::target_probabilities<T, I>(t, model, table, batch, egos, config);
  for (std::size_t b = 0; b < batch.size(); ++b) {
    targets.owner.push_back(static_cast<std::int32_t>(b));
    targets.weights.push_back(T(1) / static_cast<T>(batch.size()));
  }
  return targets;
}

/// Targets of the last step that are known beforehand: rows of `probabilities`,
/// which has one for every node of the graph.
template <class T, graph_index I>
patch_targets<T> known_targets(const executor& exec, const matrix<T>& probabilities, std::span<const I> anchors) {
  matrix<T> rows(anchors.size(), probabilities.cols());
  patch_targets<T> targets;
  for (std::size_t b = 0; b < anchors.size(); ++b) {
    std::ranges::copy(probabilities.row(static_cast<std::size_t>(anchors[b])), rows.row(b).begin());
    targets.owner.push_back(static_cast<std::int32_t>(b));
    targets.weights.push_back(T(1) / static_cast<T>(anchors.size()));
  }
  targets.probabilities = exec.on_host() ? std::move(rows) : rows.copy_on(exec);
  return targets;
}

/// sum over rows of weight * KL(target, softmax(logits of its anchor)).
template <class T>
variable<T> target_loss(const variable<T>& logits, const patch_targets<T>& targets, double epsilon) {
  return kl_divergence(std::as_const(targets.probabilities).view(),
                       gather_rows(logits, std::span<const std::int32_t>(targets.owner)), static_cast<T>(epsilon),
                       std::span<const T>(targets.weights));
}

/// One forward pass over a batch: the loss to differentiate and what was
/// generated on the way. It owns the graphs the tape refers to, so it must live
/// until backward() is done.
template <class T, graph_index I>
struct training_pass {
  variable<T> loss;                  ///< sum of the terms
  std::vector<variable<T>> terms;    ///< one a step that trains; with patch_loss::released only the last does
  std::vector<variable<T>> patches;  ///< [m]: batch x features, made in step m
  std::vector<variable<T>> logits;   ///< the backbone's after each step that trains
  std::deque<message_graph<I>> graphs;
};

/// The patcher's training loss on a batch of ego-graphs: L_patch + L_recon,
/// averaged over the batch. `masks` say where patching starts, `targets_of(m)`
/// what step m aims at.
template <class T, graph_index I, backbone_for<T, I> Backbone, class Targets>
training_pass<T, I> run_training_pass(tape<T>& t, const Backbone& model, const patch_generator<T>& generator,
                                      const feature_table<T, I>& table, const ego_batch<I>& batch,
                                      const corruption_masks& masks, const patcher_config& config,
                                      Targets&& targets_of) {
  const auto start = corrupted_egos(batch, masks, 0);
  const std::size_t steps = config.strengths.size();
  const bool reads_less = detail::reads_less(batch, config.degree);
  const auto near = reads_less ? nearest_hops(batch, detail::generator_hops) : ego_batch<I>{};
  training_pass<T, I> pass;
  const auto messages_of = [&](const ego_batch<I>& egos, std::size_t patches) {
    pass.graphs.push_back(materialise<I>(t.exec().host(), egos, start, config.messages(patches)));
    return &pass.graphs.back();
  };
  node_features<T, I> x{&table, messages_of(reads_less ? near : batch, 0), {}};
  for (std::size_t m = 0; m < steps; ++m) {
    throw_if_interrupted("training patcher");  // there may be thousands of steps; nothing is changed yet
    const auto patch = generator.forward(t, *x.graph, x);
    pass.patches.push_back(patch);
    x.patches.push_back(patch);
    if (!reads_less) {
      x.graph = messages_of(batch, m + 1);
    }
    if (m + 1 == steps || config.loss == patch_loss::paper) {
      const patch_targets<T> targets = targets_of(m);
      x.graph = reads_less ? messages_of(batch, m + 1) : x.graph;
      pass.logits.push_back(frozen_forward(t, model, *x.graph, x));
      pass.terms.push_back(target_loss(pass.logits.back(), targets, config.epsilon));
      pass.loss = pass.loss ? add(pass.loss, pass.terms.back()) : pass.terms.back();
    }
    if (!config.backprop_through_steps) {
      x.patches.back() = t.constant(patch.value());
    }
    if (reads_less && m + 1 < steps) {
      x.graph = messages_of(near, m + 1);
    }
  }
  return pass;
}

/// What step m aims at: materialised ego-graphs under given masks, which any
/// backbone has. They are computed on a tape of their own.
template <class T, graph_index I, backbone_for<T, I> Backbone>
patch_targets<T> step_targets(tape<T>& t, const Backbone& model, const feature_table<T, I>& table,
                              const ego_batch<I>& batch, const training_masks& masks, const patcher_config& config,
                              std::size_t m) {
  return m + 1 == config.strengths.size() ? whole_targets(t, model, table, batch, config)
                                          : corrupted_targets(t, model, table, batch, masks.targets[m], config);
}

/// The same with targets from materialised ego-graphs under given masks, which
/// any backbone has; they are computed on a second tape, `scratch`.
template <class T, graph_index I, backbone_for<T, I> Backbone>
training_pass<T, I> run_training_pass(tape<T>& t, tape<T>& scratch, const Backbone& model,
                                      const patch_generator<T>& generator, const feature_table<T, I>& table,
                                      const ego_batch<I>& batch, const training_masks& masks,
                                      const patcher_config& config) {
  return run_training_pass(t, model, generator, table, batch, masks.start, config,
                           [&](std::size_t m) { return step_targets(scratch, model, table, batch, masks, config, m); });
}

}  // namespace graphpatcher
