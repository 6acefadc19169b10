// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

/// What a stable softmax subtracts and divides by: softmax of x is
/// exp(x - largest) / sum, its logarithm x - largest - log(sum).
template <class T>
struct softmax_scale {
  T largest;
  T sum;

  T probability(T x) const { return std::exp(x - largest) / sum; }
  T log_probability(T x) const { return x - largest - std::log(sum); }
};

/// Over value(0) .. value(count - 1), count > 0.
template <class T, class Value>
softmax_scale<T> scale_of(std::size_t count, Value&& value) {
  T largest = value(0);
  for (std::size_t c = 1; c < count; ++c) {
    largest = std::max(largest, value(c));
  }
  T sum = 0;
  for (std::size_t c = 0; c < count; ++c) {
    sum += std::exp(value(c) - largest);
  }
  return {largest, sum};
}

template <class T>
softmax_scale<T> scale_of(std::span<const T> row) {
  return scale_of<T>(row.size(), [=](std::size_t c) { return row[c]; });
}

/// Calls body(r) for every row of a matrix that has columns; an exponential
/// costs about 16 multiply-adds.
template <class T, class Body>
void for_logit_rows(const cpu& exec, matrix_view<T> x, std::size_t samples, Body&& body) {
  if (x.cols() > 0) {
    for_each_row(exec, x.rows(), 16 * samples * x.cols(), body);
  }
}

template <class T>
void softmax(const cpu& exec, matrix_view<const T> x, matrix_view<T> out) {
  for_logit_rows(exec, x, 1, [&](std::size_t r) {
    const auto scale = scale_of(x.row(r));
    for (std::size_t c = 0; c < x.cols(); ++c) {
      out(r, c) = scale.probability(x(r, c));
    }
  });
}

template <class T>
void softmax_adjoint(const cpu& exec, matrix_view<const T> p, matrix_view<const T> gradient,
                     matrix_view<T> x_gradient) {
  for_logit_rows(exec, p, 1, [&](std::size_t r) {
    const T mean = dot(p.row(r).data(), gradient.row(r).data(), p.cols());
    for (std::size_t c = 0; c < p.cols(); ++c) {
      x_gradient(r, c) += p(r, c) * (gradient(r, c) - mean);
    }
  });
}

template <class T>
void log_softmax(const cpu& exec, matrix_view<const T> x, matrix_view<T> out) {
  for_logit_rows(exec, x, 1, [&](std::size_t r) {
    const auto scale = scale_of(x.row(r));
    for (std::size_t c = 0; c < x.cols(); ++c) {
      out(r, c) = scale.log_probability(x(r, c));
    }
  });
}

template <class T>
void log_softmax_adjoint(const cpu& exec, matrix_view<const T> y, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient) {
  for_logit_rows(exec, y, 1, [&](std::size_t r) {
    const T sum = lane_sum<T>(y.cols(), [&](std::size_t c) { return gradient(r, c); });
    for (std::size_t c = 0; c < y.cols(); ++c) {
      x_gradient(r, c) += gradient(r, c) - std::exp(y(r, c)) * sum;
    }
  });
}

template <class T, graph_index I>
void cross_entropy(const cpu& exec, matrix_view<const T> logits, std::span<const I> rows, std::span<const I> labels,
                   std::span<T> losses, matrix_view<T> slopes) {
  for_logit_rows(exec, slopes, 1, [&](std::size_t k) {
    const auto row = logits.row(static_cast<std::size_t>(rows[k]));
    const auto label = static_cast<std::size_t>(labels[k]);
    const auto scale = scale_of(row);
    losses[k] = -scale.log_probability(row[label]);
    for (std::size_t c = 0; c < row.size(); ++c) {
      slopes(k, c) = scale.probability(row[c]) - (c == label ? T(1) : T(0));
    }
  });
}

/// With u_c = (y_c + eps) p_c / (p_c + eps), summed over the samples, the slope
/// is p_c Σ_k u_k - u_c; for eps = 0, u = y even where p has underflowed.
template <class T>
void kl_divergence(const cpu& exec, matrix_view<const T> targets, matrix_view<const T> logits, std::size_t samples,
                   T eps, std::span<T> losses, matrix_view<T> slopes) {
  std::fill(losses.begin(), losses.end(), T(0));
  for_logit_rows(exec, logits, samples, [&](std::size_t r) {
    const auto row = logits.row(r);
    const auto scale = scale_of(row);
    T loss = 0;
    T total = 0;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const T p = scale.probability(row[c]);
      const T log_p = eps > 0 ? std::log(p + eps) : scale.log_probability(row[c]);
      T weight = 0;
      for (std::size_t l = 0; l < samples; ++l) {
        const T y = targets(r * samples + l, c) + eps;
        loss += y > 0 ? y * (std::log(y) - log_p) : T(0);
        weight += y;
      }
      slopes(r, c) = eps > 0 ? weight * (p / (p + eps)) : weight;
      total += slopes(r, c);
    }
    losses[r] = loss;
    for (std::size_t c = 0; c < row.size(); ++c) {
      slopes(r, c) = scale.probability(row[c]) * total - slopes(r, c);
    }
  });
}

template <class T>
void released_sample_loss(const cpu& exec, matrix_view<const T> target_logits, matrix_view<const T> logits,
                          std::size_t samples, std::span<T> losses, matrix_view<T> slopes) {
  std::fill(losses.begin(), losses.end(), T(0));
  for_logit_rows(exec, logits, samples, [&](std::size_t r) {
    for (std::size_t c = 0; c < logits.cols(); ++c) {
      const auto target = [&](std::size_t l) { return target_logits(r * samples + l, c); };
      const auto repeated = [&](std::size_t) { return logits(r, c); };
      const auto target_scale = scale_of<T>(samples, target);
      const auto repeated_scale = scale_of<T>(samples, repeated);
      T total = 0;
      for (std::size_t l = 0; l < samples; ++l) {
        total += target_scale.probability(target(l));
      }
      T slope = 0;
      for (std::size_t l = 0; l < samples; ++l) {
        const T t = target_scale.probability(target(l));
        losses[r] += t * (target_scale.log_probability(target(l)) - repeated_scale.log_probability(repeated(l)));
        slope += repeated_scale.probability(repeated(l)) * total - t;
      }
      slopes(r, c) = slope;
    }
  });
}

/// Rows may repeat, so a thread owns columns.
template <class T, graph_index I>
void add_slopes(const cpu& exec, matrix_view<const T> slopes, std::span<const I> rows, T weight,
                matrix_view<const T> loss_gradient, matrix_view<T> logits_gradient) {
  const T scale = weight * loss_gradient(0, 0);
  for_column_blocks(exec, slopes.rows(), slopes.cols(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < slopes.rows(); ++k) {
      const std::size_t r = rows.empty() ? k : static_cast<std::size_t>(rows[k]);
      accumulate(logits_gradient.row(r).data() + begin, slopes.row(k).data() + begin, scale, end - begin);
    }
  });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
