// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/activation.hpp"

/// Activations and their adjoints. Adjoints add to `dx`; g is the gradient of
/// the result. At the kink they take the slope of the left side, as PyTorch
/// does. NaN in, NaN out. The result may be the input itself.
namespace graphpatcher {

/// y = max(x, 0)
template <class T>
void relu(const cpu& exec, input_view<T> x, matrix_view<T> y) {
  expects_shape(y, x.rows(), x.cols(), "relu: result");
  cpu_backend::map(
      exec, y, [](T v) { return v <= T(0) ? T(0) : v; }, x);
}

/// dx += g where y > 0: the result is all it needs.
template <class T>
void relu_adjoint(const cpu& exec, input_view<T> y, input_view<T> g, matrix_view<T> dx) {
  expects_shape(g, y.rows(), y.cols(), "relu_adjoint: gradient");
  expects_shape(dx, y.rows(), y.cols(), "relu_adjoint: result");
  cpu_backend::map_add(
      exec, dx, [](T v, T d) { return v > T(0) ? d : T(0); }, y, g);
}

/// y = x where x > 0, else alpha (exp(x) - 1)
template <class T>
void elu(const cpu& exec, input_view<T> x, std::type_identity_t<T> alpha, matrix_view<T> y) {
  expects_shape(y, x.rows(), x.cols(), "elu: result");
  cpu_backend::map(
      exec, y, [alpha](T v) { return v > T(0) ? v : alpha * std::expm1(v); }, x);
}

/// dx += g where x > 0, else g (y + alpha); y is the result of elu().
template <class T>
void elu_adjoint(const cpu& exec, input_view<T> x, input_view<T> y, std::type_identity_t<T> alpha, input_view<T> g,
                 matrix_view<T> dx) {
  expects_shape(y, x.rows(), x.cols(), "elu_adjoint: result of elu");
  expects_shape(g, x.rows(), x.cols(), "elu_adjoint: gradient");
  expects_shape(dx, x.rows(), x.cols(), "elu_adjoint: result");
  cpu_backend::map_add(
      exec, dx, [alpha](T v, T r, T d) { return v > T(0) ? d : d * (r + alpha); }, x, y, g);
}

/// y = x where x > 0, else slope * x
template <class T>
void leaky_relu(const cpu& exec, input_view<T> x, std::type_identity_t<T> slope, matrix_view<T> y) {
  expects_shape(y, x.rows(), x.cols(), "leaky_relu: result");
  cpu_backend::map(
      exec, y, [slope](T v) { return v > T(0) ? v : slope * v; }, x);
}

/// dx += g where x > 0, else slope * g
template <class T>
void leaky_relu_adjoint(const cpu& exec, input_view<T> x, std::type_identity_t<T> slope, input_view<T> g,
                        matrix_view<T> dx) {
  expects_shape(g, x.rows(), x.cols(), "leaky_relu_adjoint: gradient");
  expects_shape(dx, x.rows(), x.cols(), "leaky_relu_adjoint: result");
  cpu_backend::map_add(
      exec, dx, [slope](T v, T d) { return v > T(0) ? d : slope * d; }, x, g);
}

/// y = x where x > 0, else slope * x; the learnt slope is 1 x 1 (shared) or
/// 1 x n (one a column).
template <class T>
void prelu(const cpu& exec, input_view<T> x, input_view<T> slope, matrix_view<T> y) {
  cpu_backend::check_prelu_slope<T>(slope, x.cols());
  expects_shape(y, x.rows(), x.cols(), "prelu: result");
  cpu_backend::prelu(exec, x, slope, y);
}

/// dx += g where x > 0, else slope * g
template <class T>
void prelu_adjoint(const cpu& exec, input_view<T> x, input_view<T> slope, input_view<T> g, matrix_view<T> dx) {
  cpu_backend::check_prelu_slope<T>(slope, x.cols());
  expects_shape(g, x.rows(), x.cols(), "prelu_adjoint: gradient");
  expects_shape(dx, x.rows(), x.cols(), "prelu_adjoint: result");
  cpu_backend::prelu_adjoint(exec, x, slope, g, dx);
}

/// dslope += sum of x * g where x <= 0, over a column or over everything.
template <class T>
void prelu_slope_adjoint(const cpu& exec, input_view<T> x, input_view<T> g, matrix_view<T> dslope) {
  cpu_backend::check_prelu_slope<T>(dslope, x.cols());
  expects_shape(g, x.rows(), x.cols(), "prelu_slope_adjoint: gradient");
  cpu_backend::prelu_slope_adjoint(exec, x, g, dslope);
}

}  // namespace graphpatcher
