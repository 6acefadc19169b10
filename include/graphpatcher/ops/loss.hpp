// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/loss.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/ops/detail/message_checks.hpp"

/// Softmax by rows and the losses on top of it. A loss writes one value a row
/// and, in the same pass, its slopes: the derivative of that value with respect
/// to the row's logits. The adjoint of every loss is then add_slopes().
namespace graphpatcher {

/// out(r, c) = exp(x(r, c) - m) / Σ_k exp(x(r, k) - m), m = the row's largest.
template <class T>
void softmax(const executor& exec, std::type_identity_t<matrix_view<const T>> x, matrix_view<T> out) {
  expects_shape(out, x.rows(), x.cols(), "softmax: out");
  exec.visit([&](const auto& on) { backend::softmax(on, x, out); });
}

/// x_gradient += p · (gradient - Σ_k p_k gradient_k), p = the forward result.
template <class T>
void softmax_adjoint(const executor& exec, std::type_identity_t<matrix_view<const T>> p,
                     std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> x_gradient) {
  expects_shape(gradient, p.rows(), p.cols(), "softmax_adjoint: gradient");
  expects_shape(x_gradient, p.rows(), p.cols(), "softmax_adjoint: x_gradient");
  exec.visit([&](const auto& on) { backend::softmax_adjoint(on, p, gradient, x_gradient); });
}

/// out(r, c) = x(r, c) - m - log Σ_k exp(x(r, k) - m).
template <class T>
void log_softmax(const executor& exec, std::type_identity_t<matrix_view<const T>> x, matrix_view<T> out) {
  expects_shape(out, x.rows(), x.cols(), "log_softmax: out");
  exec.visit([&](const auto& on) { backend::log_softmax(on, x, out); });
}

/// x_gradient += gradient - exp(y) Σ_k gradient_k, y = the forward result.
template <class T>
void log_softmax_adjoint(const executor& exec, std::type_identity_t<matrix_view<const T>> y,
                         std::type_identity_t<matrix_view<const T>> gradient, matrix_view<T> x_gradient) {
  expects_shape(gradient, y.rows(), y.cols(), "log_softmax_adjoint: gradient");
  expects_shape(x_gradient, y.rows(), y.cols(), "log_softmax_adjoint: x_gradient");
  exec.visit([&](const auto& on) { backend::log_softmax_adjoint(on, y, gradient, x_gradient); });
}

/// losses[k] = -log softmax(logits(rows[k], :))[labels[k]]; slopes: K x C.
template <class T, graph_index I>
void cross_entropy(const executor& exec, std::type_identity_t<matrix_view<const T>> logits, std::span<const I> rows,
                   std::type_identity_t<std::span<const I>> labels, std::span<T> losses, matrix_view<T> slopes) {
  expects(!rows.empty(), "cross_entropy: expected at least 1 row, got none");
  expects<shape_error>(rows.size() == labels.size(), "cross_entropy: expected one label a row, got ", rows.size(),
                       " rows and ", labels.size(), " labels");
  expects_ids(rows, logits.rows(), "cross_entropy: rows");
  expects_ids(labels, logits.cols(), "cross_entropy: labels");
  expects<shape_error>(losses.size() == rows.size(), "cross_entropy: expected ", rows.size(), " losses, got ",
                       losses.size());
  expects_shape(slopes, rows.size(), logits.cols(), "cross_entropy: slopes");
  exec.visit([&](const auto& on) {
    backend::cross_entropy<T, I>(on, logits, backend::resident(on, rows), backend::resident(on, labels), losses,
                                 slopes);
  });
}

namespace detail {

/// Of the rows [first, last), where a NaN came out.
template <class T>
void expects_probabilities(matrix_view<const T> targets, std::size_t first, std::size_t last) {
  for (; first < last; ++first) {
    for (const T y : targets.row(first)) {
      expects<numeric_error>(y >= 0, "kl_divergence: expected probabilities of at least 0, got ", y, " in row ", first);
    }
  }
}

}  // namespace detail

/// Divergence of predictions p = softmax(logits) from target probabilities y,
/// each row of logits against its `samples` targets, which stand together
/// (target row r · samples + l):
///
///   losses[r] = Σ_l Σ_c (y + eps) (log(y + eps) - log(p + eps))
///
/// With eps = 0 the logarithm of p comes straight from the logits, and a target
/// of 0 contributes 0. Targets are constants.
template <class T>
void kl_divergence(const executor& exec, std::type_identity_t<matrix_view<const T>> targets,
                   std::type_identity_t<matrix_view<const T>> logits, std::size_t samples, std::type_identity_t<T> eps,
                   std::span<T> losses, matrix_view<T> slopes) {
  expects(eps >= 0, "kl_divergence: expected eps of at least 0, got ", eps);
  expects(samples >= 1, "kl_divergence: expected at least 1 sample, got 0");
  expects_shape(targets, checked_product<T>("kl_divergence: targets", logits.rows(), samples), logits.cols(),
                "kl_divergence: target probabilities");
  expects<shape_error>(losses.size() == logits.rows(), "kl_divergence: expected ", logits.rows(), " losses, got ",
                       losses.size());
  expects_shape(slopes, logits.rows(), logits.cols(), "kl_divergence: slopes");
  exec.visit([&](const auto& on) { backend::kl_divergence(on, targets, logits, samples, eps, losses, slopes); });
  for (std::size_t r = 0; exec.on_host() && r < logits.rows(); ++r) {  // a GPU's are not read back for this
    if (std::isnan(losses[r])) [[unlikely]] {
      detail::expects_probabilities(targets, r * samples, (r + 1) * samples);
    }
  }
}

/// The loss of the released implementation for several targets: its softmax
/// runs over the samples, not over the classes. With the logits z repeated for
/// each of the L samples, for every row and class
///
///   t_l = softmax over l of target_logits(r · L + l, c)
///   q_l = softmax over l of z(r, c)                        (the same L times: 1 / L)
///   losses[r] = Σ_c Σ_l t_l (log t_l - log q_l)
///
/// The slope of the l-th copy is q_l Σ t - t_l; they add up to zero over l but
/// for rounding, so this loss teaches nothing. It is here to be compared with.
template <class T>
void released_sample_loss(const executor& exec, std::type_identity_t<matrix_view<const T>> target_logits,
                          std::type_identity_t<matrix_view<const T>> logits, std::size_t samples, std::span<T> losses,
                          matrix_view<T> slopes) {
  expects(samples >= 1, "released_sample_loss: expected at least 1 sample, got 0");
  expects_shape(target_logits, checked_product<T>("released_sample_loss: targets", logits.rows(), samples),
                logits.cols(), "released_sample_loss: target logits");
  expects<shape_error>(losses.size() == logits.rows(), "released_sample_loss: expected ", logits.rows(),
                       " losses, got ", losses.size());
  expects_shape(slopes, logits.rows(), logits.cols(), "released_sample_loss: slopes");
  exec.visit(
      [&](const auto& on) { backend::released_sample_loss(on, target_logits, logits, samples, losses, slopes); });
}

/// logits_gradient(rows[k], :) += weight · g · slopes(k, :), k ascending, with g
/// the gradient of the loss, 1 x 1; with no `rows`, row k itself. A row may be
/// named more than once.
template <class T, graph_index I>
void add_slopes(const executor& exec, matrix_view<const T> slopes, std::span<const I> rows,
                std::type_identity_t<T> weight, input_view<T> loss_gradient, matrix_view<T> logits_gradient) {
  expects_shape(loss_gradient, 1, 1, "add_slopes: gradient of the loss");
  expects_shape(slopes, rows.empty() ? logits_gradient.rows() : rows.size(), logits_gradient.cols(),
                "add_slopes: slopes");
  expects_ids(rows, logits_gradient.rows(), "add_slopes: rows");
  exec.visit(
      [&](const auto& on) { backend::add_slopes<T, I>(on, slopes, rows, weight, loss_gradient, logits_gradient); });
}

}  // namespace graphpatcher
