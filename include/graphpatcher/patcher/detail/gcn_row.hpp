// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/nn/gcn.hpp"
#include "graphpatcher/patcher/detail/padded_rows.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// A frozen graph convolution, one receiver at a time. Every row layer has
/// these members; `message` is what a node gives to its receivers and keeps for
/// itself, made from its input once:
///
///   message = finish(x W),   W = linear_weight()
///   out  = combine(own message, messages of the sources)
///
/// and the adjoints of both, as far as one source's gradient is wanted.
/// Here message = x W, out = left Σ_k right_k sent_k + b.
template <class T>
class gcn_row {
public:
  explicit gcn_row(const gcn_layer<T>& layer) : layer_(&layer) {}

  std::size_t inputs() const noexcept { return layer_->inputs(); }
  std::size_t outputs() const noexcept { return layer_->outputs(); }
  /// Columns of x W and of a message; both padded.
  std::size_t linear_width() const noexcept { return padded(outputs()); }
  std::size_t width() const noexcept { return linear_width(); }
  /// Whether sources are scaled by their out-degree.
  bool scales_sources() const noexcept { return layer_->norm == normalisation::symmetric; }

  matrix<T> linear_weight() const {
    matrix<T> packed(inputs(), linear_width());
    pack_columns(layer_->weight.value, 0, packed);
    return packed;
  }

  void finish(T*) const {}
  /// Turns the gradient of a message into that of x W, in place.
  void finish_adjoint(const T*, T*) const {}

  /// A row without sources gives b. `out` has a padded width, its padding undefined.
  void combine(const row_sources<T>& in, T* out, std::vector<T>&) const {
    sum_sources(in, width(), out);
    const T scale = left(in);
    const T* const bias = layer_->bias.value.data();
    for (std::size_t c = 0; c < outputs(); ++c) {
      out[c] = out[c] * scale + bias[c];
    }
  }

  /// Adds to the gradients of source k and of the receiver's own row; null: not wanted.
  void combine_adjoint(const row_sources<T>& in, const T* g, std::size_t k, T* g_source, T*, std::vector<T>&) const {
    if (g_source == nullptr) {
      return;
    }
    const T scale = left(in) * (in.scales.empty() ? T(1) : in.scales[k]);
    for (std::size_t c = 0; c < outputs(); ++c) {
      g_source[c] += scale * g[c];
    }
  }

private:
  T left(const row_sources<T>& in) const { return degree_scale<T>(layer_->norm, static_cast<int>(in.rows.size())); }

  const gcn_layer<T>* layer_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
