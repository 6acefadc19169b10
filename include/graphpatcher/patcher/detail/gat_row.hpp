// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/simd.hpp"
#include "graphpatcher/nn/gat.hpp"
#include "graphpatcher/patcher/detail/padded_rows.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// A frozen attention layer as a row layer.
///
///   message = [z | l.z a head | r.z a head],  z = x V
///   s_k = LeakyReLU(left_k + right of the receiver),  a = softmax_k(s),  out = Σ_k a_k z_k + b
template <class T>
class gat_row {
public:
  using scalar_type = T;

  explicit gat_row(const gat_layer<T>& layer)
      : layer_(&layer),
        heads_(layer.options.heads),
        head_width_(layer.weight.value.cols() / std::max<std::size_t>(heads_, 1)) {
    for (const auto* each : {&layer.attention_left, &layer.attention_right, &layer.bias}) {
      expects_shape(each->value.view(), 1, heads_ * head_width_, "gat_layer: attention and bias");
    }
  }

  std::size_t outputs() const noexcept { return layer_->outputs(); }
  std::size_t width() const noexcept { return right_at() + padded(heads_); }
  matrix<T> linear_weight() const { return layer_->weight.value; }

  void finish(T* message) const {
    std::fill(message + left_at(), message + width(), T(0));
    for (std::size_t h = 0; h < heads_; ++h) {
      T left_sum = 0;
      T right_sum = 0;
      for (std::size_t c = h * head_width_; c < (h + 1) * head_width_; ++c) {
        left_sum += message[c] * attention_left()[c];
        right_sum += message[c] * attention_right()[c];
      }
      message[left_at() + h] = left_sum;
      message[right_at() + h] = right_sum;
    }
  }
  void finish_adjoint(const T*, T* g) const {
    for (std::size_t c = 0; c < columns(); ++c) {
      const std::size_t h = c / head_width_;
      g[c] += g[left_at() + h] * attention_left()[c] + g[right_at() + h] * attention_right()[c];
    }
  }

  void combine(const row_sources<T>& in, T* out, std::vector<T>& scratch) const {
    attend(in, scratch);
    const T* const bias = layer_->bias.value.data();
    const bool mean = layer_->options.merge == head_merge::mean;
    const T share = mean ? T(1) / static_cast<T>(heads_) : T(1);
    std::fill_n(out, outputs(), T(0));
    for (std::size_t c = 0; c < columns(); ++c) {
      T sum = 0;
      for (std::size_t k = 0; k < in.rows.size(); ++k) {
        sum += scratch[k * slots() + c / head_width_] * in.rows[k][c];
      }
      out[mean ? c % head_width_ : c] += share * (sum + bias[c]);
    }
  }

  /// With g_k = g . z_k a head:  ds_k = a_k (g_k - Σ_j a_j g_j), through the LeakyReLU to left_k and right.
  void combine_adjoint(const row_sources<T>& in, const T* g, std::size_t k, T* g_source, T* g_own,
                       std::vector<T>& scratch) const {
    attend(in, scratch);
    const bool mean = layer_->options.merge == head_merge::mean;
    const T share = mean ? T(1) / static_cast<T>(heads_) : T(1);
    const auto slope_of_out = [&](std::size_t c) { return share * g[mean ? c % head_width_ : c]; };
    for (std::size_t h = 0; h < heads_; ++h) {
      const auto towards = [&](std::size_t source) {
        T sum = 0;
        for (std::size_t c = h * head_width_; c < (h + 1) * head_width_; ++c) {
          sum += slope_of_out(c) * in.rows[source][c];
        }
        return sum;
      };
      T average = 0;
      for (std::size_t j = 0; j < in.rows.size(); ++j) {
        average += scratch[j * slots() + h] * towards(j);
      }
      const auto score_gradient = [&](std::size_t source) {
        const T score = in.rows[source][left_at() + h] + in.own[right_at() + h];
        const T slope = score > T(0) ? T(1) : static_cast<T>(layer_->options.slope);
        return slope * scratch[source * slots() + h] * (towards(source) - average);
      };
      for (std::size_t c = h * head_width_; g_source != nullptr && c < (h + 1) * head_width_; ++c) {
        g_source[c] += scratch[k * slots() + h] * slope_of_out(c);
      }
      if (g_source != nullptr) {
        g_source[left_at() + h] += score_gradient(k);
      }
      for (std::size_t j = 0; g_own != nullptr && j < in.rows.size(); ++j) {
        g_own[right_at() + h] += score_gradient(j);
      }
    }
  }

private:
  std::size_t columns() const noexcept { return heads_ * head_width_; }
  std::size_t left_at() const noexcept { return padded(columns()); }
  std::size_t right_at() const noexcept { return left_at() + padded(heads_); }
  const T* attention_left() const noexcept { return layer_->attention_left.value.data(); }
  const T* attention_right() const noexcept { return layer_->attention_right.value.data(); }

  /// weights[k * slots() + h] = a_k of head h. Heads are lanes, those of the padding too: it is 0 in every row.
  std::size_t slots() const noexcept { return padded(heads_); }
  void attend(const row_sources<T>& in, std::vector<T>& weights) const {
    constexpr std::size_t lanes = std::min(backend::vector_lanes<T>, row_unit);
    using Vector = typename backend::vector_of<T, lanes>::type;
    const T slope = static_cast<T>(layer_->options.slope);
    weights.resize(in.rows.size() * slots());
    for (std::size_t h = 0; h < slots() && !in.rows.empty(); h += lanes) {
      const auto score = [&](std::size_t k) -> Vector {
        const Vector sum =
            backend::load<lanes>(in.rows[k] + left_at() + h) + backend::load<lanes>(in.own + right_at() + h);
        return sum > T(0) ? sum : slope * sum;
      };
      Vector largest = score(0);
      for (std::size_t k = 1; k < in.rows.size(); ++k) {
        const Vector activated = score(k);
        largest = largest < activated ? activated : largest;
      }
      Vector sum{};
      for (std::size_t k = 0; k < in.rows.size(); ++k) {
        const Vector power = backend::exponential(score(k) - largest);
        backend::store(&weights[k * slots() + h], power);
        sum += power;
      }
      for (std::size_t k = 0; k < in.rows.size(); ++k) {
        T* const weight = &weights[k * slots() + h];
        backend::store(weight, backend::load<lanes>(weight) / sum);
      }
    }
  }

  const gat_layer<T>* layer_;
  std::size_t heads_;
  std::size_t head_width_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
