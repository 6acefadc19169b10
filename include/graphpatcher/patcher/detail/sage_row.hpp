// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/nn/sage.hpp"
#include "graphpatcher/patcher/detail/padded_rows.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// A frozen GraphSAGE layer as a row layer.
///
///   mean: message = [x Q | x S],              out = own S-part + b + 1/n Σ_k Q-part
///   pool: message = [relu(x P + p) | x S],    out = own S-part + b + (max_k P-part) Q
template <class T>
class sage_row {
public:
  using scalar_type = T;

  explicit sage_row(const sage_layer<T>& layer)
      : layer_(&layer),
        pool_(layer.aggregator == sage_aggregator::pool),
        message_columns_(padded(pool_ ? layer.inputs() : layer.outputs())) {
    expects_shape(layer.neigh_weight.value.view(), inputs(), outputs(), "sage_layer: fc_neigh.weight");
    expects_shape(layer.self_bias.value.view(), 1, outputs(), "sage_layer: fc_self.bias");
    if (pool_) {
      expects_shape(layer.pool_weight.value.view(), inputs(), inputs(), "sage_layer: fc_pool.weight");
      expects_shape(layer.pool_bias.value.view(), 1, inputs(), "sage_layer: fc_pool.bias");
      neigh_ = matrix<T>(message_columns_, padded(outputs()));  // rows of the padding stay zero
      for (std::size_t k = 0; k < inputs(); ++k) {
        std::copy_n(layer.neigh_weight.value.row(k).data(), outputs(), neigh_.row(k).data());
      }
    }
  }

  std::size_t outputs() const noexcept { return layer_->outputs(); }

  matrix<T> linear_weight() const {
    matrix<T> packed(inputs(), message_columns_ + padded(outputs()));
    pack_columns(pool_ ? layer_->pool_weight.value : layer_->neigh_weight.value, 0, packed);
    pack_columns(layer_->self_weight.value, message_columns_, packed);
    return packed;
  }

  void finish(T* message) const {
    if (pool_) {
      const T* const bias = layer_->pool_bias.value.data();
      for (std::size_t c = 0; c < inputs(); ++c) {
        message[c] = std::max(message[c] + bias[c], T(0));
      }
    }
  }
  void finish_adjoint(const T* message, T* g) const {
    for (std::size_t c = 0; pool_ && c < inputs(); ++c) {
      g[c] = message[c] > T(0) ? g[c] : T(0);
    }
  }

  void combine(const row_sources<T>& in, T* out, std::vector<T>& scratch) const {
    scratch.resize(message_columns_);
    T* const neighbors = scratch.data();
    if (pool_) {
      largest(in, neighbors);
      row_times<T>(neighbors, neigh_, out);
    } else {
      sum_sources(in, message_columns_, neighbors);
      const T scale = T(1) / static_cast<T>(std::max<std::size_t>(in.rows.size(), 1));
      std::transform(neighbors, neighbors + outputs(), out, [scale](T sum) { return sum * scale; });
    }
    const T* const bias = layer_->self_bias.value.data();
    for (std::size_t c = 0; c < outputs(); ++c) {
      out[c] += in.own[message_columns_ + c] + bias[c];
    }
  }

  /// A tie of the maximum goes to the first source, as in segment_max.
  void combine_adjoint(const row_sources<T>& in, const T* g, std::size_t k, T* g_source, T* g_own,
                       std::vector<T>& scratch) const {
    if (g_source != nullptr && pool_) {
      scratch.assign(2 * message_columns_, T(0));
      T* const slope = scratch.data() + message_columns_;
      largest(in, scratch.data());
      for (std::size_t r = 0; r < inputs(); ++r) {
        for (std::size_t c = 0; c < outputs(); ++c) {
          slope[r] += g[c] * neigh_(r, c);
        }
      }
      for (std::size_t c = 0; c < inputs(); ++c) {
        const bool earlier = std::any_of(in.rows.begin(), in.rows.begin() + static_cast<std::ptrdiff_t>(k),
                                         [&](const T* row) { return row[c] >= in.rows[k][c]; });
        g_source[c] += !earlier && in.rows[k][c] == scratch[c] ? slope[c] : T(0);
      }
    } else if (g_source != nullptr) {
      const T scale = T(1) / static_cast<T>(in.rows.size());
      for (std::size_t c = 0; c < outputs(); ++c) {
        g_source[c] += scale * g[c];
      }
    }
    for (std::size_t c = 0; g_own != nullptr && c < outputs(); ++c) {
      g_own[message_columns_ + c] += g[c];
    }
  }

private:
  std::size_t inputs() const noexcept { return layer_->inputs(); }

  /// 0 without sources; messages are not negative.
  void largest(const row_sources<T>& in, T* out) const {
    std::fill_n(out, message_columns_, T(0));
    for (const T* const row : in.rows) {
      for (std::size_t c = 0; c < message_columns_; ++c) {
        out[c] = std::max(out[c], row[c]);
      }
    }
  }

  const sage_layer<T>* layer_;
  bool pool_;
  std::size_t message_columns_;  // columns of a message, padded
  matrix<T> neigh_;              // Q, padded
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
