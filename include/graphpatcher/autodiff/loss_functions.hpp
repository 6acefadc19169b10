// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "graphpatcher/autodiff/common_tape.hpp"
#include "graphpatcher/autodiff/tape.hpp"
#include "graphpatcher/ops/elementwise.hpp"
#include "graphpatcher/ops/loss.hpp"

/// Softmax and losses on a tape; the equations are in ops/loss.hpp. A loss is
/// 1 x 1 and computes its derivative along with its value.
namespace graphpatcher {

template <class T>
variable<T> softmax(const variable<T>& x) {
  auto& t = common_tape("softmax", x);
  auto y = t.allocate(x.rows(), x.cols());
  softmax(t.exec(), x.value(), y);
  return t.record(y, {x}, [x](const variable<T>& result) {
    softmax_adjoint(result.exec(), result.value(), matrix_view<const T>(result.gradient()), x.gradient());
  });
}

template <class T>
variable<T> log_softmax(const variable<T>& x) {
  auto& t = common_tape("log_softmax", x);
  auto y = t.allocate(x.rows(), x.cols());
  log_softmax(t.exec(), x.value(), y);
  return t.record(y, {x}, [x](const variable<T>& result) {
    log_softmax_adjoint(result.exec(), result.value(), matrix_view<const T>(result.gradient()), x.gradient());
  });
}

namespace detail {

/// weight · Σ losses as a 1 x 1 result whose adjoint spreads the slopes over
/// the named rows of the logits (all of them in order if none is named).
template <class T, graph_index I>
variable<T> record_loss(const variable<T>& logits, std::span<const T> losses, matrix_view<const T> slopes,
                        std::span<const I> rows, T weight) {
  auto& t = logits.owner();
  auto y = t.allocate(1, 1);
  sum_all(t.exec(), matrix_view<const T>(losses.data(), 1, losses.size()), weight, y);
  return t.record(y, {logits}, [logits, slopes, rows, weight](const variable<T>& result) {
    add_slopes(result.exec(), slopes, rows, weight, result.gradient(), logits.gradient());
  });
}

}  // namespace detail

/// Mean of -log softmax(logits)[label] over the given rows; labels[k] belongs
/// to rows[k]. `rows` must live until the backward pass is over.
template <class T, graph_index I>
variable<T> cross_entropy(const variable<T>& logits, std::span<const I> rows,
                          std::type_identity_t<std::span<const I>> labels) {
  auto& t = common_tape("cross_entropy", logits);
  const std::span<T> losses(t.memory().template allocate<T>(rows.size()), rows.size());
  auto slopes = t.allocate(rows.size(), logits.cols());
  cross_entropy(t.exec(), logits.value(), rows, labels, losses, slopes);
  return detail::record_loss<T, I>(logits, losses, slopes, rows, T(1) / static_cast<T>(rows.size()));
}

/// weight · Σ_rows Σ_samples Σ_c (y + eps)(log(y + eps) - log(p + eps)), with
/// p = softmax(logits) and y the target probabilities: constants, with the
/// `samples` targets of a row of logits standing together. The mean over a
/// batch of B anchors is weight 1 / B, over its samples too 1 / (B · samples).
template <class T>
variable<T> kl_divergence(std::type_identity_t<matrix_view<const T>> target_probabilities, const variable<T>& logits,
                          std::type_identity_t<T> eps, std::type_identity_t<T> weight, std::size_t samples = 1) {
  auto& t = common_tape("kl_divergence", logits);
  const std::span<T> losses(t.memory().template allocate<T>(logits.rows()), logits.rows());
  auto slopes = t.allocate(logits.rows(), logits.cols());
  kl_divergence(t.exec(), target_probabilities, logits.value(), samples, eps, losses, slopes);
  return detail::record_loss<T, std::int32_t>(logits, losses, slopes, {}, weight);
}

/// The same with one target a row and a weight for each row:
/// Σ_rows weight_row · Σ_c (y + eps)(log(y + eps) - log(p + eps)).
template <class T>
variable<T> kl_divergence(std::type_identity_t<matrix_view<const T>> target_probabilities, const variable<T>& logits,
                          std::type_identity_t<T> eps, std::type_identity_t<std::span<const T>> row_weights) {
  auto& t = common_tape("kl_divergence", logits);
  expects<shape_error>(row_weights.size() == logits.rows(), "kl_divergence: expected ", logits.rows(),
                       " row weights, got ", row_weights.size());
  const std::span<T> losses(t.memory().template allocate<T>(logits.rows()), logits.rows());
  auto slopes = t.allocate(logits.rows(), logits.cols());
  kl_divergence(t.exec(), target_probabilities, logits.value(), 1, eps, losses, slopes);
  const auto weights = t.resident(row_weights);
  scale_rows(t.exec(), weights, matrix_view<T>(losses.data(), losses.size(), 1));
  scale_rows(t.exec(), weights, slopes);
  return detail::record_loss<T, std::int32_t>(logits, losses, slopes, {}, T(1));
}

/// weight times the released implementation's loss of several targets, whose
/// softmax runs over the samples. Takes target *logits*. Its gradient is zero
/// but for rounding; ops/loss.hpp says why.
template <class T>
variable<T> released_sample_loss(std::type_identity_t<matrix_view<const T>> target_logits, const variable<T>& logits,
                                 std::type_identity_t<T> weight, std::size_t samples) {
  auto& t = common_tape("released_sample_loss", logits);
  const std::span<T> losses(t.memory().template allocate<T>(logits.rows()), logits.rows());
  auto slopes = t.allocate(logits.rows(), logits.cols());
  released_sample_loss(t.exec(), target_logits, logits.value(), samples, losses, slopes);
  return detail::record_loss<T, std::int32_t>(logits, losses, slopes, {}, weight);
}

}  // namespace graphpatcher
