// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/simd.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/detail/gat_row.hpp"
#include "graphpatcher/patcher/detail/gcn_row.hpp"
#include "graphpatcher/patcher/detail/sage_row.hpp"

/// Frozen two-layer backbones, one receiver at a time.
namespace graphpatcher::fast::inline GP_LEVEL {

/// What stands between the layers: a function, of vectors, and its slope, given its value.
struct relu_activation {
  template <class Vector>
  static Vector value(const Vector& x) {
    return x < Vector{} ? Vector{} : x;
  }
  template <class T>
  static T slope(T y) {
    return y > T(0) ? T(1) : T(0);
  }
};
struct elu_activation {
  template <class Vector>
  static Vector value(const Vector& x) {
    return x > Vector{} ? x : backend::exponential_less_one(x);
  }
  template <class T>
  static T slope(T y) {
    return y > T(0) ? T(1) : y + T(1);
  }
};

/// Room for the intermediate rows of one receiver; one a thread.
template <class T>
struct row_scratch {
  std::vector<T> layer;
  std::vector<T> hidden;
  std::vector<T> gradient;
};

/// A frozen backbone of two row layers. The model must outlive it, its weights
/// must not change.
template <class T, class Layer, class Activation>
struct row_model {
  using scalar_type = T;

  Layer first;
  Layer second;
  matrix<T> first_weight;   ///< features x first.linear_width()
  matrix<T> second_weight;  ///< hidden x second.linear_width()

  template <class Backbone>
  explicit row_model(const Backbone& model)
      : first(model.layers[0]),
        second(model.layers[1]),
        first_weight(first.linear_weight()),
        second_weight(second.linear_weight()) {}

  std::size_t classes() const noexcept { return second.outputs(); }

  /// The message of a node in layer 2, from those of its sources in layer 1.
  void make_message(const row_sources<T>& sources, T* message, row_scratch<T>& scratch) const {
    aggregate(sources, scratch);
    row_times<T>(scratch.hidden.data(), second_weight, message);
    second.finish(message);
  }

  /// Adds to the gradients of source k and of the own row in layer 1 (null: not
  /// wanted); g_message is the gradient of what make_message() gave, and is used up.
  void make_message_adjoint(const row_sources<T>& sources, const T* message, T* g_message, std::size_t k, T* g_source,
                            T* g_own, row_scratch<T>& scratch) const {
    aggregate(sources, scratch);
    second.finish_adjoint(message, g_message);
    scratch.gradient.assign(first.outputs(), T(0));
    add_row_times_transposed<T>(g_message, second_weight, scratch.gradient.data());
    for (std::size_t c = 0; c < first.outputs(); ++c) {
      scratch.gradient[c] *= Activation::slope(scratch.hidden[c]);
    }
    first.combine_adjoint(sources, scratch.gradient.data(), k, g_source, g_own, scratch.layer);
  }

private:
  /// The hidden row, in scratch.hidden; its padding is undefined.
  void aggregate(const row_sources<T>& sources, row_scratch<T>& scratch) const {
    scratch.hidden.resize(padded(first.outputs()));
    first.combine(sources, scratch.hidden.data(), scratch.layer);
    constexpr std::size_t lanes = std::min(backend::vector_lanes<T>, row_unit);
    for (std::size_t c = 0; c < first.outputs(); c += lanes) {
      backend::store(&scratch.hidden[c], Activation::value(backend::load<lanes>(&scratch.hidden[c])));
    }
  }
};

template <class T>
using gcn_rows = row_model<T, gcn_row<T>, relu_activation>;
template <class T>
using sage_rows = row_model<T, sage_row<T>, relu_activation>;
template <class T>
using gat_rows = row_model<T, gat_row<T>, elu_activation>;

// Rows point into their model, which therefore can't be a temporary.
template <class T>
gcn_rows<T> rows_of(const gcn_backbone<T>& model) {
  return gcn_rows<T>(model);
}
template <class T>
sage_rows<T> rows_of(const sage_backbone<T>& model) {
  return sage_rows<T>(model);
}
template <class T>
gat_rows<T> rows_of(const gat_backbone<T>& model) {
  return gat_rows<T>(model);
}
template <class T>
void rows_of(const gcn_backbone<T>&& model) = delete;
template <class T>
void rows_of(const sage_backbone<T>&& model) = delete;
template <class T>
void rows_of(const gat_backbone<T>&& model) = delete;

namespace detail {

template <class Model>
inline constexpr bool knows = false;
template <class T>
inline constexpr bool knows<gcn_backbone<T>> = true;
template <class T>
inline constexpr bool knows<sage_backbone<T>> = true;
template <class T>
inline constexpr bool knows<gat_backbone<T>> = true;
template <class Model>
inline constexpr bool knows<trained<Model>> = knows<Model>;

}  // namespace detail

/// Backbones that the exact fast path knows; they also need to have two layers.
/// A class derived from one of them may compute something else, so it isn't.
template <class Model>
concept has_rows = detail::knows<Model>;

template <class Model>
using rows_type = decltype(rows_of(std::declval<const Model&>()));

}  // namespace graphpatcher::fast::inline GP_LEVEL
