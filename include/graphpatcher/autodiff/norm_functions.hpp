// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "graphpatcher/autodiff/common_tape.hpp"
#include "graphpatcher/autodiff/tape.hpp"
#include "graphpatcher/ops/norm.hpp"

/// Layer norm and batch norm on a tape; the equations are in ops/norm.hpp.
namespace graphpatcher {

namespace detail {

template <class T>
norm_statistics<T> allocate_statistics(tape<T>& owner, std::size_t count) {
  return {{owner.memory().template allocate<T>(count), count}, {owner.memory().template allocate<T>(count), count}};
}

/// Adjoints with respect to gain and shift, the same for both norms.
template <class T>
void norm_parameter_adjoints(norm_axis axis, const variable<T>& x, const norm_statistics<T>& used,
                             const variable<T>& gain, const variable<T>& shift, const variable<T>& result) {
  const matrix_view<const T> gradient = result.gradient();
  if (gain.needs_gradient()) {
    norm_gain_adjoint(result.exec(), axis, x.value(), used, gradient, gain.gradient());
  }
  if (shift.needs_gradient()) {
    norm_shift_adjoint(result.exec(), gradient, shift.gradient());
  }
}

}  // namespace detail

/// gain · (x - mean) / sqrt(variance + eps) + shift, by rows, biased variance.
/// gain, shift: 1 x x.cols().
template <class T>
variable<T> layer_norm(const variable<T>& x, const variable<T>& gain, const variable<T>& shift,
                       std::type_identity_t<T> eps = T(1e-5)) {
  auto& t = common_tape("layer_norm", x, gain, shift);
  const auto used = detail::allocate_statistics(t, x.rows());
  auto y = t.allocate(x.rows(), x.cols());
  layer_norm(t.exec(), x.value(), gain.value(), shift.value(), eps, used, y);
  return t.record(y, {x, gain, shift}, [x, gain, shift, used](const variable<T>& result) {
    if (x.needs_gradient()) {
      layer_norm_adjoint(result.exec(), x.value(), gain.value(), used, matrix_view<const T>(result.gradient()),
                         x.gradient());
    }
    detail::norm_parameter_adjoints(norm_axis::rows, x, used, gain, shift, result);
  });
}

/// The same by columns. On a tape that trains: mean and biased variance of the
/// batch, and `running` is updated (with the unbiased variance); otherwise the
/// running values are used and left alone.
template <class T>
variable<T> batch_norm(const variable<T>& x, const variable<T>& gain, const variable<T>& shift,
                       batch_statistics<T>& running, std::type_identity_t<T> momentum = T(0.1),
                       std::type_identity_t<T> eps = T(1e-5)) {
  auto& t = common_tape("batch_norm", x, gain, shift);
  const bool training = t.training();
  running.move_to(t.exec());
  const auto used = detail::allocate_statistics(t, x.cols());
  auto y = t.allocate(x.rows(), x.cols());
  if (training) {
    batch_norm_training(t.exec(), x.value(), gain.value(), shift.value(), running, momentum, eps, used, y);
  } else {
    batch_norm_evaluation(t.exec(), x.value(), gain.value(), shift.value(), running, eps, used, y);
  }
  return t.record(y, {x, gain, shift}, [x, gain, shift, used, training](const variable<T>& result) {
    if (x.needs_gradient()) {
      batch_norm_adjoint(result.exec(), training, x.value(), gain.value(), used,
                         matrix_view<const T>(result.gradient()), x.gradient());
    }
    detail::norm_parameter_adjoints(norm_axis::columns, x, used, gain, shift, result);
  });
}

}  // namespace graphpatcher
