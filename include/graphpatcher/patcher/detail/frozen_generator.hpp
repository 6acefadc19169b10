// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"
#include "graphpatcher/patcher/detail/generator_steps.hpp"
#include "graphpatcher/patcher/generator.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// A trained patch generator in front of a frozen backbone. Nobody needs a
/// patch p = y2 M3 itself, only what the two first layers make of it, so these
/// products are composed once:
///
///   p W_e1 = y2 (M3 W_e1),   p W_b = y2 (M3 W_b)
///
/// The generator must outlive it and not change.
template <class T>
class frozen_generator {
public:
  frozen_generator(const cpu& exec, const patch_generator<T>& generator, const matrix<T>& backbone_weight)
      : generator_(&generator),
        to_encoder_(cpu{}, generator.hidden(), generator.hidden(), contents::anything),
        to_backbone_(cpu{}, generator.hidden(), backbone_weight.cols(), contents::anything) {
    gemm<T>(exec, last(), generator.encoder(0).weight.value.view(), to_encoder_.view());
    gemm<T>(exec, last(), backbone_weight.view(), to_backbone_.view());
  }

  const patch_generator<T>& generator() const noexcept { return *generator_; }
  matrix_view<const T> to_encoder() const noexcept { return to_encoder_.view(); }
  matrix_view<const T> to_backbone() const noexcept { return to_backbone_.view(); }
  matrix_view<const T> last() const noexcept { return generator_->decoder().layers[2].weight.value.view(); }

  /// What the decoder takes from the anchors' features, the same in every step.
  template <graph_index I>
  void read_features(const cpu& exec, const feature_table<T, I>& features, std::span<const I> anchors,
                     matrix_view<T> out) const {
    const std::size_t hidden = generator_->hidden();
    const auto weight = generator_->decoder().layers[0].weight.value.view();
    sparse_gemm<T, I>(exec, {&features, anchors, {}, {}}, weight.middle_rows(hidden, weight.rows()), out);
  }

  /// From the input of the encoder's second layer, in `agg`, to y2. `h2` and
  /// `y1` are scratch of the same size.
  template <graph_index I>
  void run(const cpu& exec, matrix_view<const T> from_features, matrix_view<T> agg, matrix_view<T> h2,
           matrix_view<T> y1, matrix_view<T> y2) const {
    const drop_rule<I> keep_all{random_stream(0, purpose::dropout), 0, {}};
    const auto& encoder = generator_->encoder(1);
    const auto& layers = generator_->decoder().layers;
    gemm<T>(exec, agg, encoder.weight.value.view(), h2);
    activate_rows<T, I>(exec, encoder.bias.value.row(0), {}, keep_all, h2);
    gemm<T>(exec, h2, layers[0].weight.value.view().middle_rows(0, generator_->hidden()), y1);
    activate_rows<T, I>(exec, layers[0].bias.value.row(0), from_features, keep_all, y1);
    gemm<T>(exec, y1, layers[1].weight.value.view(), y2);
    activate_rows<T, I>(exec, layers[1].bias.value.row(0), {}, keep_all, y2);
  }

private:
  const patch_generator<T>* generator_;
  matrix<T> to_encoder_;
  matrix<T> to_backbone_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
