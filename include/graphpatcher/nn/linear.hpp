// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/node_features.hpp"
#include "graphpatcher/nn/initialise.hpp"
#include "graphpatcher/nn/module.hpp"

namespace graphpatcher {

/// How a linear layer starts.
enum class linear_init {
  torch,   ///< weight and bias U(+-1 / sqrt(in)), PyTorch's default
  glorot,  ///< weight Glorot uniform, bias 0
};

struct linear_options {
  bool bias = true;
  linear_init init = linear_init::torch;
};

/// y = x W + b. Parameters: "weight" [in, out] (PyTorch's, transposed), "bias" [1, out].
template <class T>
class linear {
public:
  parameter<T> weight;
  parameter<T> bias;  ///< empty without a bias

  linear(std::size_t in, std::size_t out, linear_options options, random_stream random, std::string_view prefix = "")
      : weight(parameter_name(prefix, "weight"), in, out),
        bias(parameter_name(prefix, "bias"), options.bias ? 1 : 0, options.bias ? out : 0) {
    expects_widths(in, out, "linear");
    if (options.init == linear_init::glorot) {
      glorot_uniform(weight, random.fork(0));
    } else {
      torch_uniform(weight, random.fork(0), in);
      torch_uniform(bias, random.fork(1), in);
    }
  }

  std::size_t inputs() const noexcept { return weight.value.rows(); }
  std::size_t outputs() const noexcept { return weight.value.cols(); }
  bool has_bias() const noexcept { return !bias.value.empty(); }

  parameter_list<T> parameters() { return has_bias() ? parameter_list<T>{&weight, &bias} : parameter_list<T>{&weight}; }

  variable<T> forward(tape<T>& t, const variable<T>& x) const { return with_bias(t, matmul(x, t.use(weight))); }

  /// The first `count` rows of a dense matrix or of sparse node features.
  template <class Input>
  variable<T> forward(tape<T>& t, const Input& x, std::size_t count) const {
    return with_bias(t, project(x, t.use(weight), count));
  }

private:
  variable<T> with_bias(tape<T>& t, const variable<T>& y) const { return has_bias() ? add_bias(y, t.use(bias)) : y; }
};

/// y = x W + b + s(x): a linear layer with a way around it. s is the identity
/// when in = out, and a second weight without bias otherwise (DGL's res_fc).
/// Parameters: "fc.weight", "fc.bias", and "res_fc.weight" where it exists.
template <class T>
class residual_linear {
public:
  linear<T> fc;
  parameter<T> shortcut;  ///< empty when in = out

  residual_linear(std::size_t in, std::size_t out, linear_options options, random_stream random,
                  std::string_view prefix = "")
      : fc(in, out, options, random.fork(0), parameter_name(prefix, "fc")),
        shortcut(parameter_name(prefix, "res_fc.weight"), in == out ? 0 : in, in == out ? 0 : out) {
    if (in != out) {
      glorot_uniform(shortcut, random.fork(1));
    }
  }

  parameter_list<T> parameters() {
    auto list = fc.parameters();
    if (!shortcut.value.empty()) {
      list.push_back(&shortcut);
    }
    return list;
  }

  variable<T> forward(tape<T>& t, const variable<T>& x) const {
    return add(fc.forward(t, x), shortcut.value.empty() ? x : matmul(x, t.use(shortcut)));
  }
};

}  // namespace graphpatcher
