// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "graphpatcher/autodiff/norm_functions.hpp"
#include "graphpatcher/nn/module.hpp"

namespace graphpatcher {

/// y = gain * (x - mean) / sqrt(variance + eps) + shift, mean and (biased)
/// variance of each row. Parameters, as PyTorch names them: "weight" (gain, 1)
/// and "bias" (shift, 0), both [1, width].
template <class T>
class layer_norm_layer {
public:
  parameter<T> gain;
  parameter<T> shift;
  double eps;

  explicit layer_norm_layer(std::size_t width, std::string_view prefix = "", double epsilon = 1e-5)
      : gain(parameter_name(prefix, "weight"), 1, width),
        shift(parameter_name(prefix, "bias"), 1, width),
        eps(epsilon) {
    expects_widths(width, width, "layer_norm_layer");
    gain.value.fill(T(1));
  }

  parameter_list<T> parameters() { return {&gain, &shift}; }

  variable<T> forward(tape<T>& t, const variable<T>& x) const {
    return layer_norm(x, t.use(gain), t.use(shift), static_cast<T>(eps));
  }
};

struct batch_norm_options {
  double momentum = 0.1;  ///< weight of the newest batch in the running statistics
  double eps = 1e-5;
};

/// The same over columns, with the statistics of the batch while training and
/// running ones otherwise (PyTorch's BatchNorm1d). The running statistics
/// belong to the model's state, not to its parameters; a forward pass in
/// training mode moves them, one in evaluation mode only reads them.
template <class T>
class batch_norm_layer {
public:
  parameter<T> gain;
  parameter<T> shift;
  mutable batch_statistics<T> running;  ///< mean 0 and variance 1 at first
  batch_norm_options options;

  explicit batch_norm_layer(std::size_t width, std::string_view prefix = "", batch_norm_options how = {})
      : gain(parameter_name(prefix, "weight"), 1, width),
        shift(parameter_name(prefix, "bias"), 1, width),
        running(width),
        options(how) {
    expects_widths(width, width, "batch_norm_layer");
    expects(how.momentum >= 0 && how.momentum <= 1, "batch_norm_layer: expected a momentum in [0, 1], got ",
            how.momentum);
    gain.value.fill(T(1));
  }

  parameter_list<T> parameters() { return {&gain, &shift}; }

  variable<T> forward(tape<T>& t, const variable<T>& x) const {
    return batch_norm(x, t.use(gain), t.use(shift), running, static_cast<T>(options.momentum),
                      static_cast<T>(options.eps));
  }
};

}  // namespace graphpatcher
