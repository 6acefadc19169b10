// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>

#include "kernels/softmax_rows.cuh"

/// Softmax, its logarithm, and the losses on top of it: what one group of lanes
/// does to its row (softmax_rows.cuh). Equations in ops/loss.hpp.
namespace graphpatcher::kernels {

/// out = softmax(x), or its logarithm. Moves x and out once.
template <bool Log, class T>
struct softmax_work {
  device_view<const T> x;
  device_view<T> out;

  template <class Share>
  __device__ void operator()(std::size_t row, const Share& share) const {
    const auto scale = share.scale_of(x.row(row));
    share.each(
        [&](std::size_t c) { out(row, c) = Log ? scale.log_probability(x(row, c)) : scale.probability(x(row, c)); });
  }
};

/// x_gradient += p (g - Σ_k p_k g_k). Moves p and g once, x_gradient twice.
template <class T>
struct softmax_adjoint_work {
  device_view<const T> p;
  device_view<const T> g;
  device_view<T> x_gradient;

  template <class Share>
  __device__ void operator()(std::size_t row, const Share& share) const {
    const T mean = share.template sum<T>([&](std::size_t c) { return p(row, c) * g(row, c); });
    share.each([&](std::size_t c) { x_gradient(row, c) += p(row, c) * (g(row, c) - mean); });
  }
};

/// x_gradient += g - exp(y) Σ_k g_k. Moves y and g once, x_gradient twice.
template <class T>
struct log_softmax_adjoint_work {
  device_view<const T> y;
  device_view<const T> g;
  device_view<T> x_gradient;

  template <class Share>
  __device__ void operator()(std::size_t row, const Share& share) const {
    const T sum = share.template sum<T>([&](std::size_t c) { return g(row, c); });
    share.each([&](std::size_t c) { x_gradient(row, c) += g(row, c) - exp(y(row, c)) * sum; });
  }
};

/// losses[k] = -log softmax(logits(rows[k], :))[labels[k]]; the slope is
/// softmax - 1 at the label. Moves a row of logits and one of slopes.
template <class T, class I>
struct cross_entropy_work {
  device_view<const T> logits;
  const I* rows;
  const I* labels;
  T* losses;
  device_view<T> slopes;

  template <class Share>
  __device__ void operator()(std::size_t k, const Share& share) const {
    const T* const row = logits.row(static_cast<std::size_t>(rows[k]));
    const auto label = static_cast<std::size_t>(labels[k]);
    const auto scale = share.scale_of(row);
    if (share.lane == 0) {
      losses[k] = -scale.log_probability(row[label]);
    }
    share.each([&](std::size_t c) { slopes(k, c) = scale.probability(row[c]) - (c == label ? T(1) : T(0)); });
  }
};

/// losses[r] = Σ_l Σ_c (y + eps) (log(y + eps) - log(p + eps)), p = softmax of
/// the logits, y = targets(r · samples + l, c). With
/// u_c = Σ_l (y + eps) p_c / (p_c + eps) the slope is p_c Σ_k u_k - u_c; for
/// eps = 0, u = Σ_l y even where p has underflowed. Moves the targets, the
/// logits and the slopes once.
template <class T>
struct kl_divergence_work {
  device_view<const T> targets;
  device_view<const T> logits;
  std::size_t samples;
  T eps;
  T* losses;
  device_view<T> slopes;

  template <class Share>
  __device__ void operator()(std::size_t row, const Share& share) const {
    const auto scale = share.scale_of(logits.row(row));
    T loss = 0;
    const T total = share.template sum<T>([&](std::size_t c) {
      const T p = scale.probability(logits(row, c));
      const T log_p = eps > 0 ? log(p + eps) : scale.log_probability(logits(row, c));
      T weight = 0;
      for (std::size_t l = 0; l < samples; ++l) {
        const T y = targets(row * samples + l, c) + eps;
        loss += y > 0 ? y * (log(y) - log_p) : T(0);
        weight += y;
      }
      const T u = eps > 0 ? weight * (p / (p + eps)) : weight;
      slopes(row, c) = u;  // this lane's own, read again below
      return u;
    });
    loss = share.join(loss);
    if (share.lane == 0) {
      losses[row] = loss;
    }
    share.each([&](std::size_t c) { slopes(row, c) = scale.probability(logits(row, c)) * total - slopes(row, c); });
  }
};

/// The released implementation's loss, whose softmax runs over the samples (see
/// ops/loss.hpp): t_l of the targets, q_l of the logit repeated.
///   losses[r] = Σ_c Σ_l t_l (log t_l - log q_l),  slope_c = Σ_l (q_l Σ t - t_l)
/// Moves the targets four times (from cache after the first), logits and slopes
/// once. Loops over the few samples are not unrolled: it would cost registers.
template <class T>
struct released_sample_work {
  device_view<const T> target_logits;
  device_view<const T> logits;
  unsigned samples;
  T* losses;
  device_view<T> slopes;

  template <class Body>
  __device__ void each_sample(const T* column, Body&& body) const {
#pragma unroll 1
    for (unsigned l = 0; l < samples; ++l, column += target_logits.stride) {
      body(*column);
    }
  }

  template <class Share>
  __device__ void operator()(std::size_t row, const Share& share) const {
    const T loss = share.template sum<T>([&](std::size_t c) {
      const T* const column = target_logits.row(row * samples) + c;
      softmax_scale<T> target{-std::numeric_limits<T>::infinity(), T(0)};
      each_sample(column, [&](T value) { target.largest = target.largest < value ? value : target.largest; });
      each_sample(column, [&](T value) { target.sum += exp(value - target.largest); });
      T total = 0;
      each_sample(column, [&](T value) { total += target.probability(value); });
      // L equal logits: the largest is z itself, and Σ exp(z - z) is L (or NaN with z).
      const T z = logits(row, c);
      const softmax_scale<T> repeated{z, static_cast<T>(samples) * exp(z - z)};
      const T share_of_total = repeated.probability(z) * total;
      const T log_q = repeated.log_probability(z);
      T column_loss = 0;
      T slope = 0;
      each_sample(column, [&](T value) {
        const T t = target.probability(value);
        column_loss += t * (target.log_probability(value) - log_q);
        slope += share_of_total - t;
      });
      slopes(row, c) = slope;
      return column_loss;
    });
    if (share.lane == 0) {
      losses[row] = loss;
    }
  }
};

}  // namespace graphpatcher::kernels
