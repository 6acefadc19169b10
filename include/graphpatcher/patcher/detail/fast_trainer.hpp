// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/nn/optimizer.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/patcher/config.hpp"
#include "graphpatcher/patcher/detail/corrupted_start.hpp"
#include "graphpatcher/patcher/detail/generator_steps.hpp"
#include "graphpatcher/patcher/detail/rows_of.hpp"
#include "graphpatcher/patcher/detail/target_slopes.hpp"
#include "graphpatcher/patcher/detail/weight_update.hpp"
#include "graphpatcher/patcher/generator.hpp"
#include "graphpatcher/patcher/spread_predictions.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// Training iterations on the exact fast path: the loss of run_training_pass()
/// and one step of AdamW, to rounding, from what the anchors need alone.
///
/// Matrices with all M steps have row m n + b for anchor b of n in step m. With
/// the names of patch_generator, x the anchor's features and E_k = p_k W_e1:
///
///   agg = second layer's input (fast/generator_steps.hpp)      hidden columns
///   h2 = relu(agg W_e2 + b),  y1 = drop(relu(h2 M1' + x M1" + b)),  y2 = drop(relu(y1 M2 + b))
///   z = y2 (M3 W_b): the patch times the backbone's first weight, without the patch
///
/// A patch p = y2 M3 itself is made only for the encoder of later steps. What
/// comes back from the backbone has the rank of W_b: dM3 = (y2^T dz) W_b^T.
/// Steps are constants for later ones, so all of them go back at once.
template <class T, graph_index I, class Backbone>
class trainer {
  using rows_type = fast::rows_type<Backbone>;

public:
  /// Everything must outlive the trainer; `generator` is what it trains.
  trainer(const cpu& exec, const dataset<T, I>& data, const Backbone& model, const patcher_config& config,
          patch_generator<T>& generator)
      : exec_(exec),
        data_(&data),
        config_(config),
        generator_(&generator),
        weights_(generator.parameters()),
        egos_(exec, rows_of(model), data.graph, data.features),
        start_(egos_.rows(), config.edge),
        optimizer_(weights_, {.learning_rate = config.learning_rate, .weight_decay = config.weight_decay}),
        update_(exec, optimizer_, config.accumulate) {
    if (config.target == patch_target::spread) {
      spread_ = spread_predictions(exec, data, model, config.spread);
    }
    const std::size_t rows = steps() * config.batch;
    for (auto* buffer : {&activated_, &agg_, &h2_, &y1_, &y2_, &g_y2_, &g_y1_, &g_h2_}) {
      *buffer = matrix<T>(cpu{}, rows, hidden(), contents::anything);
    }
    const std::size_t linear = egos_.rows().first.linear_width();
    composed_ =
        2 * hidden() * features() * linear + 3 * rows * hidden() * linear < 2 * rows * features() * (linear + hidden());
    g_z_ = matrix<T>(cpu{}, rows, linear, contents::anything);
    chain_ = matrix<T>(composed_ ? hidden() : 0, linear);
    g_chain_ = matrix<T>(composed_ ? hidden() : 0, linear);
    g_patch_ = matrix<T>(cpu{}, composed_ ? 0 : rows, features(), contents::anything);
    patch_ = matrix<T>(cpu{}, (steps() - (composed_ ? 1 : 0)) * config.batch, features(), contents::anything);
    encoded_ = matrix<T>(cpu{}, (steps() - 1) * config.batch, hidden(), contents::anything);
    g_encoded_ = matrix<T>(cpu{}, (steps() - 1) * config.batch, hidden(), contents::anything);
    from_features_ = matrix<T>(cpu{}, config.batch, hidden(), contents::anything);
    anchor_features_ = matrix<T>(cpu{}, data.features.is_dense() ? config.batch : 0, features(), contents::anything);
    messages_.resize(steps());
    for (auto& messages : messages_) {
      messages = matrix<T>(config.batch, egos_.rows().first.width());
    }
    mean_ = matrix<T>(config.batch, egos_.rows().classes());
    entropy_.resize(config.batch);
    losses_.resize(config.batch);
    for (auto* buffer : {&encoder_.base, &encoder_.neighbors, &g_base_, &g_neighbors_}) {
      *buffer = matrix<T>(cpu{}, config.batch, hidden(), contents::anything);
    }
  }

  /// One batch forward and back, and a step of AdamW once config.accumulate of
  /// them are together. `iteration` keys the random numbers. Returns the loss,
  /// 1 x 1, valid until the next call.
  matrix_view<const T> step(std::span<const I> anchors, std::uint64_t iteration) {
    start(anchors, iteration);
    dropout_ = config_.dropout;
    loss_(0, 0) = static_cast<T>(forward());
    backward();
    update_.finish();
    return std::as_const(loss_).view();
  }

  /// The loss of a batch without dropout; nothing is learnt.
  double loss(std::span<const I> anchors, std::uint64_t iteration) {
    start(anchors, iteration);
    dropout_ = 0;
    return forward();
  }

  /// Of the generator's parameters.
  adamw<T>& optimizer() noexcept { return optimizer_; }

private:
  std::size_t steps() const noexcept { return config_.strengths.size(); }
  std::size_t hidden() const noexcept { return generator_->hidden(); }
  std::size_t features() const noexcept { return generator_->features(); }
  /// The first step that has a loss.
  std::size_t first_trained() const noexcept { return config_.loss == patch_loss::paper ? 0 : steps() - 1; }

  // In the order of patch_generator::parameters().
  enum which { encoder1, encoder1_bias, encoder2, encoder2_bias, first, first_bias, second, second_bias, last };
  matrix_view<const T> weight(which w) const { return std::as_const(weights_[w]->value).view(); }
  std::span<const T> bias(which w) const { return std::as_const(weights_[w]->value).row(0); }
  matrix_view<const T> first_of_hidden() const { return weight(first).middle_rows(0, hidden()); }
  matrix_view<const T> first_of_features() const { return weight(first).middle_rows(hidden(), hidden() + features()); }
  /// The rows of step m, or of all steps from m on.
  matrix_view<T> at(matrix<T>& all, std::size_t m) const {
    return all.view().middle_rows(m * anchors_.size(), (m + 1) * anchors_.size());
  }
  matrix_view<T> from(matrix<T>& all, std::size_t m, std::size_t end) const {
    return all.view().middle_rows(m * anchors_.size(), end * anchors_.size());
  }

  corruption_options corruption(std::size_t m) const {
    return {.strength = m < steps() ? config_.strengths[m] : 0.0,
            .samples = m == 0 || m == steps() ? 1 : config_.samples,
            .seed = config_.seed,
            .iteration = iteration_,
            .step = m,
            .estimator = m == 0 || m == steps() ? estimator::sampled : config_.estimator};
  }
  drop_rule<I> drop(std::size_t m, std::size_t layer) const {
    const random_stream random(config_.seed, purpose::dropout);
    return {random.fork(iteration_).fork(2 * m + layer), dropout_, anchors_};
  }

  /// The corrupted ego-graphs that patching starts from.
  void start(std::span<const I> anchors, std::uint64_t iteration) {
    expects(anchors.size() <= config_.batch, "fast trainer: expected at most ", config_.batch, " anchors, got ",
            anchors.size());
    check_anchors<I>(data_->graph, anchors);
    anchors_ = anchors;
    iteration_ = iteration;
    start_.draw(egos_, anchors_, corruption(0));
  }

  double forward() {
    if (encoder_.hidden.rows() < start_.graph.hidden.size()) {
      encoder_.hidden = matrix<T>(cpu{}, 2 * start_.graph.hidden.size(), hidden(), contents::anything);
    }
    encode_base<T, I>(exec_, data_->features, start_.graph, weight(encoder1), bias(encoder1_bias), encoder_);
    sparse_gemm<T, I>(exec_, features_of_anchors(), first_of_features(), at(from_features_, 0));
    if (composed_) {
      gemm<T>(exec_, weight(last), egos_.rows().first.weight(), chain_.view());
    }
    encoded_views_.clear();
    message_views_.clear();
    double loss = 0;
    for (std::size_t m = 0; m < steps(); ++m) {
      throw_if_interrupted("training patcher");  // there may be thousands of steps; nothing is changed yet
      generate(m);
      if (m >= first_trained()) {
        loss += compare(m);
      }
    }
    return loss;
  }

  /// Step m's patch: z in messages_[m], and what the encoder makes of it.
  void generate(std::size_t m) {
    const drop_rule<I> keep_all{random_stream(0, purpose::dropout), 0, {}};
    const joined_patches<T> joined{encoded_views_, config_.edge == patch_edge::to_anchor_loop};
    join_patches<T, I>(exec_, start_.graph, encoder_, 0, bias(encoder1_bias), joined, at(activated_, m), at(agg_, m));
    gemm<T>(exec_, at(agg_, m), weight(encoder2), at(h2_, m));
    activate_rows<T, I>(exec_, bias(encoder2_bias), {}, keep_all, at(h2_, m));
    gemm<T>(exec_, at(h2_, m), first_of_hidden(), at(y1_, m));
    activate_rows<T, I>(exec_, bias(first_bias), at(from_features_, 0), drop(m, 0), at(y1_, m));
    gemm<T>(exec_, at(y1_, m), weight(second), at(y2_, m));
    activate_rows<T, I>(exec_, bias(second_bias), {}, drop(m, 1), at(y2_, m));
    const bool used_later = m + 1 < steps();
    if (used_later || !composed_) {
      gemm<T>(exec_, at(y2_, m), weight(last), at(patch_, m));
    }
    if (used_later) {
      gemm<T>(exec_, at(patch_, m), weight(encoder1), at(encoded_, m));
      encoded_views_.push_back(at(encoded_, m));
    }
    auto messages = at(messages_[m], 0);
    const matrix_view<T> linear(messages.data(), messages.rows(), egos_.rows().first.linear_width(), messages.stride());
    gemm<T>(exec_, composed_ ? at(y2_, m) : at(patch_, m), composed_ ? chain_.view() : backbone_weight(), linear);
    for (std::size_t b = 0; b < messages.rows(); ++b) {
      egos_.rows().first.finish(messages.row(b).data());
    }
    message_views_.push_back(messages);
  }
  matrix_view<const T> backbone_weight() const { return egos_.rows().first.weight(); }

  /// The loss of step m; its gradient goes to g_z_.
  double compare(std::size_t m) {
    const bool whole = m + 1 == steps();
    const auto anchors = static_cast<double>(anchors_.size());
    const bool sum = config_.reduction == sample_reduction::sum && !whole;
    const target_slopes<T> targets{static_cast<T>((sum ? static_cast<double>(config_.samples) : 1.0) / anchors),
                                   static_cast<T>(config_.epsilon)};
    if (whole && config_.target == patch_target::spread) {
      look_up_targets(targets.eps);
    } else {
      egos_.targets(exec_, anchors_, corruption(m + 1), targets.eps, mean_.view().middle_rows(0, anchors_.size()),
                    entropy_);
    }
    start_.patched.answer(exec_, 0, message_views_, anchors_.size(), at(g_z_, m),
                          [&](std::size_t b, std::span<const T> logits, std::span<T> slopes) {
                            losses_[b] = targets.apply(logits, mean_.row(b), entropy_[b], slopes);
                          });
    double loss = 0;
    for (std::size_t b = 0; b < anchors_.size(); ++b) {
      loss += static_cast<double>(losses_[b]);
    }
    return loss;
  }

  /// What the last step aims at with patch_target::spread.
  void look_up_targets(T eps) {
    for (std::size_t b = 0; b < anchors_.size(); ++b) {
      const auto target = spread_.row(static_cast<std::size_t>(anchors_[b]));
      std::copy(target.begin(), target.end(), mean_.row(b).begin());
      entropy_[b] = fast::negative_entropy<T>(target, eps);
    }
  }

  void backward() {
    const std::size_t begin = first_trained();
    const std::size_t end = steps();
    const auto g_z = from(g_z_, begin, end);
    const auto g_y2 = from(g_y2_, begin, end);
    const auto g_y1 = from(g_y1_, begin, end);
    const auto g_h2 = from(g_h2_, begin, end);
    const T kept = static_cast<T>(1 / (1 - config_.dropout));
    if (composed_) {
      gemm_abt<T>(exec_, g_z, chain_.view(), g_y2);
      g_chain_.clear();
      gemm_atb_add<T>(exec_, from(y2_, begin, end), g_z, g_chain_.view());
    } else {
      gemm_abt<T>(exec_, g_z, backbone_weight(), from(g_patch_, begin, end));
      gemm_abt<T>(exec_, from(g_patch_, begin, end), weight(last), g_y2);
    }
    activate_rows_adjoint<T>(exec_, from(y2_, begin, end), kept, g_y2, open(second_bias));
    gemm_abt<T>(exec_, g_y2, weight(second), g_y1);
    activate_rows_adjoint<T>(exec_, from(y1_, begin, end), kept, g_y1, open(first_bias));
    gemm_abt<T>(exec_, g_y1, first_of_hidden(), g_h2);
    activate_rows_adjoint<T>(exec_, from(h2_, begin, end), T(1), g_h2, open(encoder2_bias));
    // The activations of the way there have room for the gradient of agg: h2 is needed once more, activated isn't.
    update_.apply(*weights_[second], 0, {from(y1_, begin, end), true}, {g_y2, false});
    const auto g_agg = g_y2;  // its numbers are used up
    gemm_abt<T>(exec_, g_h2, weight(encoder2), g_agg);
    update_.apply(*weights_[encoder2], 0, {from(agg_, begin, end), true}, {g_h2, false});
    composed_ ? update_.apply(*weights_[last], 0, {g_chain_.view(), false}, {backbone_weight(), true})
              : update_.apply(*weights_[last], 0, {from(y2_, begin, end), true}, {from(g_patch_, begin, end), false});
    update_.apply(*weights_[first], 0, {from(h2_, begin, end), true}, {g_y1, false});
    back_to_features(g_y1);
    back_to_encoder(begin, g_agg);
  }
  std::span<T> open(which w) { return weights_[w]->open_gradient().row(0); }

  /// x M1": the same in every step, so its gradient is the sum over them.
  void back_to_features(matrix_view<const T> g_y1) {
    const std::size_t n = anchors_.size();
    backend::for_each_row(exec_, n, g_y1.rows() / n * hidden(), [&](std::size_t b) {
      T* const sum = from_features_.row(b).data();
      std::copy_n(g_y1.row(b).data(), hidden(), sum);
      for (std::size_t r = n + b; r < g_y1.rows(); r += n) {
        for (std::size_t c = 0; c < hidden(); ++c) {
          sum[c] += g_y1(r, c);
        }
      }
    });
    if (data_->features.is_dense()) {
      const auto x = at(anchor_features_, 0);
      sparse_to_dense<T, I>(exec_, features_of_anchors(), x);
      update_.apply(*weights_[first], hidden(), {x, true}, {at(from_features_, 0), false});
      return;
    }
    const auto sparse = update_.open_sparse(*weights_[first], hidden(), features());
    sparse_gemm_adjoint<T, I>(exec_, features_of_anchors(), at(from_features_, 0), sparse);
    update_.apply_sparse(*weights_[first], hidden(), sparse);
  }
  feature_rows<T, I> features_of_anchors() const { return {&data_->features, anchors_, {}, {}}; }

  void back_to_encoder(std::size_t begin, matrix_view<const T> g_agg) {
    const joined_patches<T> joined{encoded_views_, config_.edge == patch_edge::to_anchor_loop};
    const auto g_encoded = from(g_encoded_, 0, steps() - 1);
    const auto g_bias = open(encoder1_bias);
    join_patches_adjoint<T, I>(exec_, start_.graph, bias(encoder1_bias), joined, begin,
                               from(activated_, begin, steps()), g_agg,
                               {at(g_base_, 0), at(g_neighbors_, 0), g_encoded, g_bias});
    const auto sparse = update_.open_sparse(*weights_[encoder1], 0, features());
    encode_base_adjoint<T, I>(exec_, data_->features, start_.graph, encoder_.hidden, at(g_base_, 0),
                              at(g_neighbors_, 0), sparse, g_bias);
    if (steps() > 1) {
      update_.apply(*weights_[encoder1], 0, {from(patch_, 0, steps() - 1), true}, {g_encoded, false}, sparse);
    } else {
      update_.apply_sparse(*weights_[encoder1], 0, sparse);
    }
  }

  const cpu exec_;
  const dataset<T, I>* data_;
  const patcher_config config_;
  patch_generator<T>* generator_;
  const parameter_list<T> weights_;
  frozen_egos<T, I, rows_type> egos_;
  corrupted_start<T, I, rows_type> start_;
  adamw<T> optimizer_;
  weight_update<T> update_;
  bool composed_ = true;  // M3 W_b in one piece: cheaper unless W_b is wide (SAGE with pooling)

  // Of the batch at hand.
  std::span<const I> anchors_;
  std::uint64_t iteration_ = 0;
  double dropout_ = 0;
  encoder_base<T> encoder_;
  std::vector<matrix_view<const T>> encoded_views_;  // E_1, E_2, ...
  std::vector<matrix_view<const T>> message_views_;  // of the patches in the backbone's layer 1
  std::vector<matrix<T>> messages_;
  matrix<T> activated_, agg_, h2_, y1_, y2_, g_y2_, g_y1_, g_h2_;  // steps x batch rows
  matrix<T> patch_, g_patch_, encoded_, g_encoded_, g_z_;
  matrix<T> chain_, g_chain_;  // M3 W_b
  matrix<T> from_features_, g_base_, g_neighbors_;
  matrix<T> anchor_features_;  // of dense features, on the way back
  matrix<T> spread_;           // with patch_target::spread: what the last step aims at, a row a node
  matrix<T> mean_;             // of the targets
  std::vector<T> entropy_;
  std::vector<T> losses_;
  matrix<T> loss_{1, 1};
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
