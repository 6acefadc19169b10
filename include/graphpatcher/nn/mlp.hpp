// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/nn/linear.hpp"

namespace graphpatcher {

struct mlp_options {
  double dropout = 0.0;  ///< after every ReLU
  bool last_bias = true;
  linear_init init = linear_init::torch;
};

/// Linear layers with ReLU and dropout between them:
///
///   y = L_n(drop(relu( ... drop(relu(L_1(x))) ... )))
///
/// `widths` = {in, hidden..., out}. Parameters: "layers.0.weight", "layers.0.bias", ...
template <class T>
class mlp {
public:
  std::vector<linear<T>> layers;

  mlp(std::span<const std::size_t> widths, mlp_options options, random_stream random, std::string_view prefix = "")
      : dropout_(static_cast<T>(options.dropout)) {
    expects(widths.size() >= 2, "mlp: expected the widths of input and output at least, got ", widths.size(),
            " widths");
    expects_dropout(options.dropout, "mlp");
    for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
      const bool last = l + 2 == widths.size();
      layers.emplace_back(widths[l], widths[l + 1], linear_options{!last || options.last_bias, options.init},
                          random.fork(l), parameter_name(prefix, text("layers.", l)));
    }
  }

  std::size_t inputs() const noexcept { return layers.empty() ? 0 : layers.front().inputs(); }
  std::size_t outputs() const noexcept { return layers.empty() ? 0 : layers.back().outputs(); }

  parameter_list<T> parameters() { return parameters_of(layers); }

  /// `row_keys` name the rows for dropout (such as global node ids), so that a
  /// row's mask doesn't depend on where the row stands; none: the row's number.
  template <class I = std::int32_t>
  variable<T> forward(tape<T>& t, const variable<T>& x, std::span<const I> row_keys = {}) const {
    expects_layers(layers, "mlp");
    return forward_after_first(t, layers.front().forward(t, x), row_keys);
  }

  /// The rest, from the first layer's output on: for callers who have a
  /// cheaper way to that product than a dense input (sparse features).
  template <class I = std::int32_t>
  variable<T> forward_after_first(tape<T>& t, variable<T> y, std::span<const I> row_keys = {}) const {
    for (std::size_t l = 1; l < layers.size(); ++l) {
      y = layers[l].forward(t, dropout(relu(y), dropout_, row_keys));
    }
    return y;
  }

private:
  T dropout_;
};

}  // namespace graphpatcher
