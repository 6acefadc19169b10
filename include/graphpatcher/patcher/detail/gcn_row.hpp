// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/nn/gcn.hpp"
#include "graphpatcher/patcher/detail/padded_rows.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// A frozen graph convolution as a row layer: message = x W, out = left Σ_k right_k sent_k + b.
template <class T>
class gcn_row {
public:
  using scalar_type = T;

  explicit gcn_row(const gcn_layer<T>& layer) : layer_(&layer) {
    expects_shape(layer.bias.value.view(), 1, outputs(), "gcn_layer: bias");
  }

  std::size_t outputs() const noexcept { return layer_->outputs(); }
  bool scales_sources() const noexcept { return layer_->norm == normalisation::symmetric; }
  matrix<T> linear_weight() const { return layer_->weight.value; }

  /// A row without sources gives b.
  void combine(const row_sources<T>& in, T* out, std::vector<T>&) const {
    sum_sources(in, padded(outputs()), out);
    const T scale = left(in);
    const T* const bias = layer_->bias.value.data();
    for (std::size_t c = 0; c < outputs(); ++c) {
      out[c] = out[c] * scale + bias[c];
    }
  }

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
