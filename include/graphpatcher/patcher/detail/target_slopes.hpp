// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "graphpatcher/core/level.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// The KL divergence from several targets y_l, through their weighted mean. With
/// p = softmax(logits), Σ_l w_l = 1 and Y_c = Σ_l w_l (y_lc + eps):
///
///   Σ_l w_l KL(y_l, p) = Σ_l w_l Σ_c (y_lc + eps) log(y_lc + eps) - Σ_c Y_c log(p_c + eps)
///
/// Its slope at logit c is p_c Σ_k u_k - u_c with u_c = Y_c p_c / (p_c + eps).
template <class T>
struct target_slopes {
  T weight;  ///< of this anchor's divergence in the loss
  T eps;

  /// Fills in the slopes and returns the weighted divergence; `entropy` is the first sum.
  T apply(std::span<const T> logits, std::span<const T> mean, T entropy, std::span<T> slopes) const {
    const T largest = *std::max_element(logits.begin(), logits.end());
    T sum = 0;
    for (std::size_t c = 0; c < logits.size(); ++c) {
      slopes[c] = std::exp(logits[c] - largest);
      sum += slopes[c];
    }
    T divergence = entropy;
    T total = 0;
    const auto pull = [&](std::size_t c, T p) { return eps > T(0) ? (mean[c] + eps) * (p / (p + eps)) : mean[c]; };
    for (std::size_t c = 0; c < logits.size(); ++c) {
      slopes[c] /= sum;
      const T log_p = eps > T(0) ? std::log(slopes[c] + eps) : logits[c] - largest - std::log(sum);
      divergence -= (mean[c] + eps) * log_p;
      total += pull(c, slopes[c]);
    }
    for (std::size_t c = 0; c < logits.size(); ++c) {
      slopes[c] = weight * (slopes[c] * total - pull(c, slopes[c]));
    }
    return weight * divergence;
  }
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
