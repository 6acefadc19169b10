// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/nn/optimizer.hpp"
#include "graphpatcher/ops/loss.hpp"
#include "graphpatcher/ops/repeated_work.hpp"
#include "graphpatcher/patcher/detail/anchor_order.hpp"
#include "graphpatcher/patcher/detail/ego_cost.hpp"
#include "graphpatcher/patcher/detail/fused_targets.hpp"
#include "graphpatcher/patcher/detail/training_loss.hpp"
#include "graphpatcher/patcher/spread_predictions.hpp"

namespace graphpatcher {

/// Training iterations on the generic path: ego-graphs materialised, any
/// backbone, through autodiff. What the last step aims at, the backbone's answers
/// on whole ego-graphs, comes from one pass over the whole graph where that is less
/// work: with degrees of the graph they are the same bits. On a GPU, and unless
/// config.path asks for the generic path in everything, the targets of a GCN come
/// from fused_targets.
///
/// Everything must outlive the trainer; backbone and generator have their
/// parameters in the memory of the executor.
template <class T, graph_index I, class Backbone>
class generic_trainer {
public:
  generic_trainer(const executor& exec, const dataset<T, I>& data, const Backbone& model, const patcher_config& config,
                  patch_generator<T>& generator)
      : data_(&data),
        model_(&model),
        config_(config),
        generator_(&generator),
        optimizer_(generator.parameters(),
                   {.learning_rate = config.learning_rate, .weight_decay = config.weight_decay}),
        tape_(exec),
        scratch_(exec),
        work_(config.capture) {
    if (config.target == patch_target::spread) {
      last_targets_ = spread_predictions(exec, data, model, config.spread);
    } else if (exec.on_host() && whole_graph_is_cheaper()) {
      const auto logits = predict(exec, model, data.graph, data.features);
      last_targets_ = matrix<T>(logits.rows(), logits.cols());
      softmax(exec, logits.view(), last_targets_.view());
    }
    if constexpr (has_fused_targets<Backbone>) {
      const device* const there = config.path == patch_path::generic ? nullptr : exec.elsewhere();
      if (there != nullptr && fused_targets<T, I>::fits(*there, model, data.graph, config)) {
        fused_.emplace(*there, model, data);
      }
    }
  }

  /// Whether the targets come from fused_targets.
  bool fuses_targets() const noexcept { return fused_.has_value(); }

  /// One batch forward and back, and a step of AdamW once config.accumulate of
  /// them are together. `iteration` keys the random numbers. Returns the loss,
  /// 1 x 1 in the memory of the executor, valid until the next call.
  matrix_view<const T> step(std::span<const I> anchors, std::uint64_t iteration) {
    tape_.reset();
    tape_.train(random_stream(config_.seed, purpose::dropout).fork(iteration));
    const auto& exec = tape_.exec();
    const auto batch = make_ego_batch(exec.host(), data_->graph, anchors, {.hops = model_->hops()});
    ++batches_;
    work_.run(exec, [&] {
      pass_ = forward(tape_, scratch_, anchors, batch, iteration);
      tape_.backward(pass_.loss);
      if (batches_ % config_.accumulate == 0) {
        optimizer_.step(exec, T(1) / static_cast<T>(config_.accumulate));
      }
    });
    return pass_.loss.value();
  }

  /// The loss of a batch without dropout; nothing is learnt.
  double loss(std::span<const I> anchors, std::uint64_t iteration) const {
    const auto& exec = tape_.exec();
    tape<T> t(exec);
    tape<T> scratch(exec);
    const auto frozen = t.freeze();
    const auto batch = make_ego_batch(exec.host(), data_->graph, anchors, {.hops = model_->hops()});
    const auto pass = forward(t, scratch, anchors, batch, iteration);
    return static_cast<double>(to_host(exec, pass.loss.value())(0, 0));
  }

  /// Of the generator's parameters.
  adamw<T>& optimizer() noexcept { return optimizer_; }

private:
  /// Than the whole ego-graphs of the iterations that will run in any case.
  bool whole_graph_is_cheaper() const {
    const auto anchors = training_anchors(*data_, config_.anchors);
    const auto cost = measure_ego_cost<I>(data_->graph, anchors, model_->hops());
    const std::size_t iterations = std::min(std::max<std::size_t>(config_.warmup, 1), config_.max_iterations);
    return config_.degree == degree_mode::graph &&
           cost.graphs(std::min(config_.batch, anchors.size())) * static_cast<double>(iterations) > 1;
  }

  training_pass<T, I> forward(tape<T>& t, tape<T>& scratch, std::span<const I> anchors, const ego_batch<I>& batch,
                              std::uint64_t iteration) const {
    const cpu host = t.exec().host();
    const auto pass_with = [&](const corruption_masks& start, auto&& own_targets) {
      return run_training_pass(t, *model_, *generator_, data_->features, batch, start, config_, [&](std::size_t m) {
        return m + 1 == config_.strengths.size() && !last_targets_.empty()
                   ? known_targets<T, I>(t.exec(), last_targets_, anchors)
                   : own_targets(m);
      });
    };
    if constexpr (has_fused_targets<Backbone>) {
      if (fused_) {
        return pass_with(draw_start(host, batch, config_, iteration),
                         [&](std::size_t m) { return fused_->of_step(anchors, config_, iteration, m); });
      }
    }
    const auto masks = draw_masks(host, batch, config_, iteration);
    return pass_with(masks.start, [&](std::size_t m) {
      return step_targets(scratch, *model_, data_->features, batch, masks, config_, m);
    });
  }

  const dataset<T, I>* data_;
  const Backbone* model_;
  const patcher_config config_;
  patch_generator<T>* generator_;
  adamw<T> optimizer_;
  tape<T> tape_;
  tape<T> scratch_;
  repeated_work work_;
  std::optional<std::conditional_t<has_fused_targets<Backbone>, fused_targets<T, I>, std::monostate>> fused_;
  matrix<T> last_targets_;  // what the last step aims at, a row a node; empty: to be computed for every batch
  training_pass<T, I> pass_;
  std::size_t batches_ = 0;
};

}  // namespace graphpatcher
