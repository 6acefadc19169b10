// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <utility>

#include "graphpatcher/patcher/detail/activations.hpp"
#include "graphpatcher/patcher/row_layer.hpp"

namespace graphpatcher {

/// What may stand between two row layers: y = value(x), and slope(y) = dy/dx,
/// given y. A value() that also takes vectors of numbers, as those below do, is
/// called with these.
template <class Activation, class T>
concept row_activation = std::copyable<Activation> && requires(const Activation& activation, T x) {
  { activation.value(x) } -> std::convertible_to<T>;
  { activation.slope(x) } -> std::convertible_to<T>;
};

using fast::elu_activation;   ///< x above 0, exp(x) - 1 below
using fast::no_activation;    ///< x
using fast::relu_activation;  ///< max(x, 0)

/// A frozen backbone of two layers, one receiver at a time: second(activation(first(x))).
/// A backbone on the fast path makes it of itself, in a member of its own class:
///
///   auto rows() const { return gp::row_model(my_row(first), my_row(last), gp::relu_activation{}); }
///
/// Two layers, not more: in a third one a patch would change its anchor's
/// neighbours too, and a mask rows two hops away, so nothing would be left to
/// look up. Other backbones take the generic path.
template <row_layer First, row_layer Second = First, class Activation = relu_activation>
requires std::same_as<typename First::scalar_type, typename Second::scalar_type> &&
    row_activation<Activation, typename First::scalar_type>
struct row_model {
  using scalar_type = typename First::scalar_type;
  using first_type = First;
  using second_type = Second;

  First first;
  Second second;
  Activation activation;

  row_model(First lower, Second upper, Activation between = {})
      : first(std::move(lower)), second(std::move(upper)), activation(std::move(between)) {}
};

}  // namespace graphpatcher
