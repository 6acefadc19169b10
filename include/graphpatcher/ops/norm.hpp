// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/norm.hpp"
#include "graphpatcher/device/operations.hpp"

/// Normalisation over rows (layer norm) and over columns (batch norm):
///
///   y = gain · (x - mean) · inverse_deviation + shift,   inverse_deviation = (variance + eps)^-1/2
///
/// with the biased variance (divided by the count). Gain and shift are 1 x n.
/// Means and variances are summed in double, always in the same order. The
/// statistics a forward call used are kept: its adjoint needs them.
namespace graphpatcher {

/// Mean and inverse standard deviation of every row (layer norm) or column
/// (batch norm), as a forward call found them.
template <class T>
struct norm_statistics {
  std::span<T> mean;
  std::span<T> inverse_deviation;

  void check(std::size_t count, const char* name) const {
    expects<shape_error>(mean.size() == count && inverse_deviation.size() == count, name, ": expected ", count,
                         " means and inverse deviations, got ", mean.size(), " and ", inverse_deviation.size());
  }
};

/// Running statistics of a batch norm: part of a model's state, not trained.
template <class T>
struct batch_statistics {
  matrix<T> mean;      ///< 1 x n, zero at first
  matrix<T> variance;  ///< 1 x n, one at first

  batch_statistics() = default;
  explicit batch_statistics(std::size_t cols) : mean(1, cols), variance(1, cols) { variance.fill(T(1)); }

  /// They follow the tape that uses them.
  void move_to(const executor& target) {
    if (mean.on_host() != target.on_host()) {
      mean = mean.copy_on(target);
      variance = variance.copy_on(target);
    }
  }
};

namespace detail {

/// The numbers of a 1 x n matrix, wherever they are.
template <class T>
std::span<T> row_of(matrix<T>& values) {
  return {values.data(), values.size()};
}
template <class T>
std::span<const T> row_of(const matrix<T>& values) {
  return {values.data(), values.size()};
}

/// What batch norm expects in training and in evaluation.
template <class T>
void check_batch_norm(matrix_view<const T> x, matrix_view<const T> gain, matrix_view<const T> shift,
                      const batch_statistics<T>& running, T eps, const norm_statistics<T>& used, matrix_view<T> out) {
  expects(eps >= 0, "batch_norm: expected eps of at least 0, got ", eps);
  expects_shape(gain, 1, x.cols(), "batch_norm: gain");
  expects_shape(shift, 1, x.cols(), "batch_norm: shift");
  expects_shape(running.mean.view(), 1, x.cols(), "batch_norm: running mean");
  expects_shape(running.variance.view(), 1, x.cols(), "batch_norm: running variance");
  expects_shape(out, x.rows(), x.cols(), "batch_norm: out");
  used.check(x.cols(), "batch_norm");
}

}  // namespace detail

/// Layer norm: mean and variance of each row. `used`: one entry a row.
template <class T>
void layer_norm(const executor& exec, std::type_identity_t<matrix_view<const T>> x,
                std::type_identity_t<matrix_view<const T>> gain, std::type_identity_t<matrix_view<const T>> shift,
                std::type_identity_t<T> eps, const norm_statistics<T>& used, matrix_view<T> out) {
  expects(eps >= 0, "layer_norm: expected eps of at least 0, got ", eps);
  expects_shape(gain, 1, x.cols(), "layer_norm: gain");
  expects_shape(shift, 1, x.cols(), "layer_norm: shift");
  expects_shape(out, x.rows(), x.cols(), "layer_norm: out");
  used.check(x.rows(), "layer_norm");
  exec.visit(
      [&](const auto& on) { backend::layer_norm<T>(on, x, gain, shift, eps, used.mean, used.inverse_deviation, out); });
}

/// With v = gain · gradient and x̂ the normalised row:
///   x_gradient += inverse_deviation · (v - mean(v) - x̂ · mean(v · x̂))
template <class T>
void layer_norm_adjoint(const executor& exec, std::type_identity_t<matrix_view<const T>> x,
                        std::type_identity_t<matrix_view<const T>> gain, const norm_statistics<T>& used,
                        std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> x_gradient) {
  expects_shape(gain, 1, x.cols(), "layer_norm_adjoint: gain");
  expects_shape(gradient, x.rows(), x.cols(), "layer_norm_adjoint: gradient");
  expects_shape(x_gradient, x.rows(), x.cols(), "layer_norm_adjoint: x_gradient");
  used.check(x.rows(), "layer_norm_adjoint");
  exec.visit([&](const auto& on) {
    backend::layer_norm_adjoint<T>(on, x, gain, used.mean, used.inverse_deviation, gradient, x_gradient);
  });
}

/// Batch norm in training: mean and variance of each column over the batch,
/// at least two rows. `running` moves towards them,
///   running ← (1 - momentum) · running + momentum · batch,
/// with the unbiased variance. `used`: one entry a column.
template <class T>
void batch_norm_training(const executor& exec, std::type_identity_t<matrix_view<const T>> x,
                         std::type_identity_t<matrix_view<const T>> gain,
                         std::type_identity_t<matrix_view<const T>> shift, batch_statistics<T>& running,
                         std::type_identity_t<T> momentum, std::type_identity_t<T> eps, const norm_statistics<T>& used,
                         matrix_view<T> out) {
  detail::check_batch_norm<T>(x, gain, shift, running, eps, used, out);
  expects(momentum >= 0 && momentum <= 1, "batch_norm: expected a momentum in [0, 1], got ", momentum);
  expects<shape_error>(x.rows() >= 2, "batch_norm: expected at least 2 rows in training, got ", x.rows(),
                       "; one row has no variance");
  exec.visit([&](const auto& on) {
    backend::batch_moments<T>(on, x, momentum, eps, detail::row_of(running.mean), detail::row_of(running.variance),
                              used.mean, used.inverse_deviation);
  });
  exec.visit([&](const auto& on) {
    backend::normalise_columns<T>(on, x, gain, shift, used.mean, used.inverse_deviation, out);
  });
}

/// Batch norm in evaluation: the running mean and variance, rows independent.
template <class T>
void batch_norm_evaluation(const executor& exec, std::type_identity_t<matrix_view<const T>> x,
                           std::type_identity_t<matrix_view<const T>> gain,
                           std::type_identity_t<matrix_view<const T>> shift, const batch_statistics<T>& running,
                           std::type_identity_t<T> eps, const norm_statistics<T>& used, matrix_view<T> out) {
  detail::check_batch_norm<T>(x, gain, shift, running, eps, used, out);
  exec.visit([&](const auto& on) {
    backend::running_moments<T>(on, detail::row_of(running.mean), detail::row_of(running.variance), eps, used.mean,
                                used.inverse_deviation);
  });
  exec.visit([&](const auto& on) {
    backend::normalise_columns<T>(on, x, gain, shift, used.mean, used.inverse_deviation, out);
  });
}

/// Adjoint with respect to x. In training as for layer norm, the means taken
/// over columns; in evaluation x_gradient += inverse_deviation · gain · gradient.
template <class T>
void batch_norm_adjoint(const executor& exec, bool training, std::type_identity_t<matrix_view<const T>> x,
                        std::type_identity_t<matrix_view<const T>> gain, const norm_statistics<T>& used,
                        std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> x_gradient) {
  expects_shape(gain, 1, x.cols(), "batch_norm_adjoint: gain");
  expects_shape(gradient, x.rows(), x.cols(), "batch_norm_adjoint: gradient");
  expects_shape(x_gradient, x.rows(), x.cols(), "batch_norm_adjoint: x_gradient");
  used.check(x.cols(), "batch_norm_adjoint");
  exec.visit([&](const auto& on) {
    backend::batch_norm_adjoint<T>(on, training, x, gain, used.mean, used.inverse_deviation, gradient, x_gradient);
  });
}

/// Whose statistics a norm used: one a row (layer norm) or one a column.
enum class norm_axis { rows, columns };

/// Adjoint with respect to the gain: gain_gradient += Σ_rows gradient · x̂.
/// (The shift is a bias: its gradient is the column sum of `gradient`.)
template <class T>
void norm_gain_adjoint(const executor& exec, norm_axis axis, std::type_identity_t<matrix_view<const T>> x,
                       const norm_statistics<T>& used, std::type_identity_t<matrix_view<const T>> gradient,
                       matrix_view<T> gain_gradient) {
  expects_shape(gradient, x.rows(), x.cols(), "norm_gain_adjoint: gradient");
  expects_shape(gain_gradient, 1, x.cols(), "norm_gain_adjoint: gain_gradient");
  used.check(axis == norm_axis::rows ? x.rows() : x.cols(), "norm_gain_adjoint");
  exec.visit([&](const auto& on) {
    backend::norm_gain_adjoint<T>(on, axis == norm_axis::rows, x, used.mean, used.inverse_deviation, gradient,
                                  gain_gradient);
  });
}

/// shift_gradient += Σ_rows gradient, rows ascending.
template <class T>
void norm_shift_adjoint(const executor& exec, std::type_identity_t<matrix_view<const T>> gradient,
                        matrix_view<T> shift_gradient) {
  expects_shape(shift_gradient, 1, gradient.cols(), "norm_shift_adjoint: shift_gradient");
  exec.visit([&](const auto& on) { backend::norm_shift_adjoint<T>(on, gradient, shift_gradient); });
}

}  // namespace graphpatcher
