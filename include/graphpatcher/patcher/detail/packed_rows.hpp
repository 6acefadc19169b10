// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/patcher/detail/padded_rows.hpp"
#include "graphpatcher/patcher/row_layer.hpp"
#include "graphpatcher/patcher/row_model.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// Whether a row layer wants the scales of its sources.
template <row_layer Layer>
bool scales_sources(const Layer& layer) {
  if constexpr (may_scale_sources<Layer>) {
    return layer.scales_sources();
  } else {
    return false;
  }
}

/// A row layer with its weight, padded, and with the members that it may leave out.
template <row_layer Layer>
class packed_row {
public:
  using scalar_type = typename Layer::scalar_type;
  using T = scalar_type;

  explicit packed_row(Layer layer)
      : layer_(std::move(layer)), weight_(pad_columns<T>(layer_.linear_weight())), width_(weight_.cols()) {
    if constexpr (widens_messages<Layer>) {
      width_ = layer_.width();
      expects<shape_error>(width_ >= weight_.cols() && width_ == padded(width_), "row layer: expected messages of ",
                           weight_.cols(), " columns or more, a multiple of ", row_unit, ", got width() = ", width_);
    }
  }

  const Layer& layer() const noexcept { return layer_; }
  /// W, inputs x linear_width().
  const matrix<T>& weight() const noexcept { return weight_; }
  std::size_t inputs() const noexcept { return weight_.rows(); }
  std::size_t outputs() const noexcept { return layer_.outputs(); }
  /// Columns of x W and of a message; both padded.
  std::size_t linear_width() const noexcept { return weight_.cols(); }
  std::size_t width() const noexcept { return width_; }
  bool scales_sources() const { return fast::scales_sources(layer_); }

  void finish(T* message) const {
    if constexpr (finishes_messages<Layer>) {
      layer_.finish(message);
    }
  }
  void finish_adjoint(const T* message, T* g) const {
    if constexpr (finishes_messages<Layer>) {
      layer_.finish_adjoint(message, g);
    }
  }

  /// `out` has a padded width, its padding is undefined.
  void combine(const row_sources<T>& in, T* out, std::vector<T>& scratch) const {
    layer_.combine(wanted(in), out, scratch);
  }
  void combine_adjoint(const row_sources<T>& in, const T* g, std::size_t k, T* g_source, T* g_own,
                       std::vector<T>& scratch) const {
    layer_.combine_adjoint(wanted(in), g, k, g_source, g_own, scratch);
  }

private:
  /// Scales may be there for the other layer alone.
  row_sources<T> wanted(const row_sources<T>& in) const {
    return scales_sources() ? in : row_sources<T>{in.own, in.rows, {}};
  }

  Layer layer_;
  matrix<T> weight_;
  std::size_t width_;
};

/// Room for the intermediate rows of one receiver; one a thread.
template <class T>
struct row_scratch {
  std::vector<T> layer;
  std::vector<T> hidden;
  std::vector<T> gradient;
};

/// A row_model with its weights, ready to compute. The backbone must outlive it,
/// its weights must not change.
template <class First, class Second, class Activation>
class packed_rows {
public:
  using scalar_type = typename First::scalar_type;
  using T = scalar_type;

  packed_row<First> first;
  packed_row<Second> second;

  explicit packed_rows(row_model<First, Second, Activation> model)
      : first(std::move(model.first)), second(std::move(model.second)), activation_(std::move(model.activation)) {
    expects<shape_error>(first.outputs() == second.inputs(), "row_model: expected a second layer of ", first.outputs(),
                         " inputs, as the first has outputs, got a weight of ", second.inputs(), " rows");
  }

  std::size_t classes() const noexcept { return second.outputs(); }
  bool scales_sources() const { return first.scales_sources() || second.scales_sources(); }

  /// The message of a node in layer 2, from those of its sources in layer 1.
  void make_message(const row_sources<T>& sources, T* message, row_scratch<T>& scratch) const {
    aggregate(sources, scratch);
    row_times<T>(scratch.hidden.data(), second.weight(), message);
    second.finish(message);
  }

  /// Adds to the gradients of source k and of the own row in layer 1 (null: not
  /// wanted); g_message is the gradient of what make_message() gave, and is used up.
  void make_message_adjoint(const row_sources<T>& sources, const T* message, T* g_message, std::size_t k, T* g_source,
                            T* g_own, row_scratch<T>& scratch) const {
    aggregate(sources, scratch);
    second.finish_adjoint(message, g_message);
    scratch.gradient.assign(padded(first.outputs()), T(0));
    add_row_times_transposed<T>(g_message, second.weight(), scratch.gradient.data());
    for (std::size_t c = 0; c < first.outputs(); ++c) {
      scratch.gradient[c] *= activation_.slope(scratch.hidden[c]);
    }
    first.combine_adjoint(sources, scratch.gradient.data(), k, g_source, g_own, scratch.layer);
  }

private:
  /// The hidden row, in scratch.hidden; its padding is undefined.
  void aggregate(const row_sources<T>& sources, row_scratch<T>& scratch) const {
    scratch.hidden.resize(padded(first.outputs()));
    first.combine(sources, scratch.hidden.data(), scratch.layer);
    activate_row(activation_, first.outputs(), scratch.hidden.data());
  }

  Activation activation_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
