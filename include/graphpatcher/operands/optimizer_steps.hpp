// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace graphpatcher {

/// One parameter's part in a step of Adam or AdamW:
///
///   g <- gradient_scale g + l2 p;   m += mean_rate (g - m);   v <- beta2 v + square_rate g²
///   p <- keep p - step_size m / (sqrt(v) inverse_root_bias + eps)
template <class T>
struct adam_item {
  std::size_t size;
  T* value;
  const T* gradient;
  T* mean;
  T* square;
  T gradient_scale;
  T l2;         ///< added to the gradient as l2 · value (Adam)
  T keep;       ///< 1 - lr · weight decay (AdamW), else 1
  T mean_rate;  ///< 1 - beta1
  T beta2;
  T square_rate;        ///< 1 - beta2
  T step_size;          ///< lr / (1 - beta1^t)
  T inverse_root_bias;  ///< 1 / sqrt(1 - beta2^t)
  T eps;
};

/// One parameter's part in a step of gradient descent:
///   g <- gradient_scale g + l2 p;   u <- momentum u + g;   p <- p - lr u
template <class T>
struct sgd_item {
  std::size_t size;
  T* value;
  const T* gradient;
  T* velocity;  ///< null without momentum
  T gradient_scale;
  T l2;
  T lr;
  T momentum;
};

}  // namespace graphpatcher
