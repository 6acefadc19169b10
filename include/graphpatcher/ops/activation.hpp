// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/activation.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/operands/elements.hpp"

/// Activations and their adjoints. Adjoints add to `dx`; g is the gradient of
/// the result. At the kink they take the slope of the left side, as PyTorch
/// does. NaN in, NaN out. The result may be the input itself.
namespace graphpatcher {

namespace detail {

template <class T>
void check_prelu_slope(input_view<T> slope, std::size_t cols) {
  expects<shape_error>(slope.rows() == 1 && (slope.cols() == 1 || slope.cols() == cols),
                       "prelu: slope: expected 1 x 1 or 1 x ", cols, ", got ", slope.rows(), " x ", slope.cols());
}

}  // namespace detail

/// y = max(x, 0)
template <class T>
void relu(const executor& exec, input_view<T> x, matrix_view<T> y) {
  expects_shape(y, x.rows(), x.cols(), "relu: result");
  exec.visit([&](const auto& on) { backend::map(on, y, elements::relu<T>{}, x); });
}

/// dx += g where y > 0: the result is all it needs.
template <class T>
void relu_adjoint(const executor& exec, input_view<T> y, input_view<T> g, matrix_view<T> dx) {
  expects_shape(g, y.rows(), y.cols(), "relu_adjoint: gradient");
  expects_shape(dx, y.rows(), y.cols(), "relu_adjoint: result");
  exec.visit([&](const auto& on) { backend::map_add(on, dx, elements::relu_slope<T>{}, y, g); });
}

/// y = x where x > 0, else alpha (exp(x) - 1)
template <class T>
void elu(const executor& exec, input_view<T> x, std::type_identity_t<T> alpha, matrix_view<T> y) {
  expects_shape(y, x.rows(), x.cols(), "elu: result");
  exec.visit([&](const auto& on) { backend::map(on, y, elements::elu<T>{alpha}, x); });
}

/// dx += g where x > 0, else g (y + alpha); y is the result of elu().
template <class T>
void elu_adjoint(const executor& exec, input_view<T> x, input_view<T> y, std::type_identity_t<T> alpha, input_view<T> g,
                 matrix_view<T> dx) {
  expects_shape(y, x.rows(), x.cols(), "elu_adjoint: result of elu");
  expects_shape(g, x.rows(), x.cols(), "elu_adjoint: gradient");
  expects_shape(dx, x.rows(), x.cols(), "elu_adjoint: result");
  exec.visit([&](const auto& on) { backend::map_add(on, dx, elements::elu_slope<T>{alpha}, x, y, g); });
}

/// y = x where x > 0, else slope * x
template <class T>
void leaky_relu(const executor& exec, input_view<T> x, std::type_identity_t<T> slope, matrix_view<T> y) {
  expects_shape(y, x.rows(), x.cols(), "leaky_relu: result");
  exec.visit([&](const auto& on) { backend::map(on, y, elements::leaky_relu<T>{slope}, x); });
}

/// dx += g where x > 0, else slope * g
template <class T>
void leaky_relu_adjoint(const executor& exec, input_view<T> x, std::type_identity_t<T> slope, input_view<T> g,
                        matrix_view<T> dx) {
  expects_shape(g, x.rows(), x.cols(), "leaky_relu_adjoint: gradient");
  expects_shape(dx, x.rows(), x.cols(), "leaky_relu_adjoint: result");
  exec.visit([&](const auto& on) { backend::map_add(on, dx, elements::leaky_relu_slope<T>{slope}, x, g); });
}

/// y = x where x > 0, else slope * x; the learnt slope is 1 x 1 (shared) or
/// 1 x n (one a column).
template <class T>
void prelu(const executor& exec, input_view<T> x, input_view<T> slope, matrix_view<T> y) {
  detail::check_prelu_slope<T>(slope, x.cols());
  expects_shape(y, x.rows(), x.cols(), "prelu: result");
  exec.visit([&](const auto& on) { backend::prelu(on, x, slope, y); });
}

/// dx += g where x > 0, else slope * g
template <class T>
void prelu_adjoint(const executor& exec, input_view<T> x, input_view<T> slope, input_view<T> g, matrix_view<T> dx) {
  detail::check_prelu_slope<T>(slope, x.cols());
  expects_shape(g, x.rows(), x.cols(), "prelu_adjoint: gradient");
  expects_shape(dx, x.rows(), x.cols(), "prelu_adjoint: result");
  exec.visit([&](const auto& on) { backend::prelu_adjoint(on, x, slope, g, dx); });
}

/// dslope += sum of x * g where x <= 0, over a column or over everything.
template <class T>
void prelu_slope_adjoint(const executor& exec, input_view<T> x, input_view<T> g, matrix_view<T> dslope) {
  detail::check_prelu_slope<T>(dslope, x.cols());
  expects_shape(g, x.rows(), x.cols(), "prelu_slope_adjoint: gradient");
  exec.visit([&](const auto& on) { backend::prelu_slope_adjoint(on, x, g, dslope); });
}

}  // namespace graphpatcher
