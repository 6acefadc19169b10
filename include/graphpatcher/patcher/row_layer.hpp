// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/nn/linear.hpp"
#include "graphpatcher/patcher/detail/padded_rows.hpp"
#include "graphpatcher/patcher/row_sources.hpp"

namespace graphpatcher {

// A row layer is a frozen layer as the fast path takes it: one receiver at a
// time. What a node j gives to its receivers, and keeps for itself, is its
// message, made once from its input row:
//
//   message_j = finish(x_j W)                                      W = linear_weight()
//   out_i     = combine(message_i, message_j of every source j of i)
//
// and the adjoints of finish and combine, the latter as far as one source's
// gradient is wanted. The parts have names of their own so that a compiler's
// complaint about a layer reads as what the layer lacks.
// docs/adding-a-row-layer.md has an example.

/// `std::size_t outputs() const`: columns of an output row.
template <class Layer>
concept tells_its_outputs = requires(const Layer& layer) {
  { layer.outputs() } -> std::convertible_to<std::size_t>;
};

/// `matrix<T> linear_weight() const`: W, inputs x columns. The columns of a
/// message are these and zeros up to a multiple of row_unit.
template <class Layer>
concept has_linear_weight = has_scalar_type<Layer> && requires(const Layer& layer) {
  { layer.linear_weight() } -> std::convertible_to<matrix<typename Layer::scalar_type>>;
};

/// `void combine(const row_sources<T>& in, T* out, std::vector<T>& scratch) const`:
/// fills out[0 .. outputs()); there is room for padded(outputs()). `scratch` is
/// memory that need not be allocated again, with anything in it.
template <class Layer>
concept combines_messages = has_scalar_type<Layer> &&
    requires(const Layer& layer, const row_sources<typename Layer::scalar_type>& in, typename Layer::scalar_type* out,
             std::vector<typename Layer::scalar_type>& scratch) {
  layer.combine(in, out, scratch);
};

/// `void combine_adjoint(const row_sources<T>& in, const T* g, std::size_t k, T* g_source, T* g_own,
///                       std::vector<T>& scratch) const`:
/// g is the gradient of what combine() gives for `in`, with zeros up to a padded
/// width; adds to that of the message of source k, in g_source, and to that of
/// in.own, in g_own. Either may be null: not wanted. They may be the same row.
template <class Layer>
concept combines_back = has_scalar_type<Layer> &&
    requires(const Layer& layer, const row_sources<typename Layer::scalar_type>& in,
             const typename Layer::scalar_type* g, typename Layer::scalar_type* g_row,
             std::vector<typename Layer::scalar_type>& scratch) {
  layer.combine_adjoint(in, g, std::size_t{0}, g_row, g_row, scratch);
};

// What most layers don't need.

/// `bool scales_sources() const`: whether row_sources::scales is wanted, as for
/// symmetric normalisation. A layer without it: no.
template <class Layer>
concept may_scale_sources = requires(const Layer& layer) {
  { layer.scales_sources() } -> std::convertible_to<bool>;
};

/// `std::size_t width() const`: columns of a message, a multiple of row_unit, if
/// finish() fills in more than those of W.
template <class Layer>
concept widens_messages = requires(const Layer& layer) {
  { layer.width() } -> std::convertible_to<std::size_t>;
};

/// `void finish(T* message) const`: x W becomes the message, in place. A layer
/// without it: x W is the message.
template <class Layer>
concept finishes_messages = has_scalar_type<Layer> &&
    requires(const Layer& layer, typename Layer::scalar_type* message) {
  layer.finish(message);
};

/// `void finish_adjoint(const T* message, T* g) const`: g, the gradient of a
/// message, becomes that of its x W, in place.
template <class Layer>
concept finishes_back = has_scalar_type<Layer> &&
    requires(const Layer& layer, const typename Layer::scalar_type* message, typename Layer::scalar_type* g) {
  layer.finish_adjoint(message, g);
};

/// Who has finish() has its adjoint too.
template <class Layer>
concept finishes_both_ways = finishes_messages<Layer>
== finishes_back<Layer>;

/// A row layer: a value that points into the layer it stands for.
template <class Layer>
concept row_layer = std::copyable<Layer> && has_scalar_type<Layer> && tells_its_outputs<Layer> &&
    has_linear_weight<Layer> && combines_messages<Layer> && combines_back<Layer> && finishes_both_ways<Layer>;

// What row layers are made of. Widths are padded, see row_sources.hpp.

/// sum_sources(in, width, out): out = Σ_k scale_k row_k over the first `width`
/// columns, source by source; scales of 1 if in.scales is empty.
using fast::sum_sources;
/// row_times(x, w, out): out = x w for one row x.
using fast::row_times;
/// add_row_times(x, w, out): out += x w.
using fast::add_row_times;
/// pack_columns(weight, begin, packed): the columns of `weight` at column `begin`
/// of `packed`.
using fast::pack_columns;
/// pad_columns(weight), pad_transposed(weight): it or its transpose, with zeros up
/// to a padded width.
using fast::pad_columns;
using fast::pad_transposed;

/// A frozen linear layer, one row at a time: y = x W + b. It points into the layer.
template <class T>
class row_linear {
public:
  explicit row_linear(const linear<T>& layer)
      : layer_(&layer), weight_(pad_columns(layer.weight.value)), transposed_(pad_transposed(layer.weight.value)) {}
  explicit row_linear(const linear<T>&&) = delete;

  std::size_t outputs() const noexcept { return layer_->outputs(); }
  /// There is room for a padded y.
  void forward(const T* x, T* y) const {
    row_times(x, weight_, y);
    for (std::size_t c = 0; c < layer_->bias.value.cols(); ++c) {
      y[c] += layer_->bias.value.data()[c];
    }
  }
  /// g_x += g W^T; there is room for a padded g_x.
  void adjoint(const T* g, T* g_x) const { add_row_times(g, transposed_, g_x); }

private:
  const linear<T>* layer_;
  matrix<T> weight_;
  matrix<T> transposed_;
};

}  // namespace graphpatcher
