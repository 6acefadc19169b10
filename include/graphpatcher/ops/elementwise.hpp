// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/elementwise.hpp"

/// Element by element, and sums down the rows. All views may be strided; where
/// nothing else is said the result may be one of the inputs.
namespace graphpatcher {

/// out = value
template <class T>
void fill(const cpu& exec, std::type_identity_t<T> value, matrix_view<T> out) {
  cpu_backend::map(exec, out, [value]() { return value; });
}

/// out = x
template <class T>
void copy(const cpu& exec, input_view<T> x, matrix_view<T> out) {
  expects_shape(out, x.rows(), x.cols(), "copy: result");
  cpu_backend::map(
      exec, out, [](T v) { return v; }, x);
}

/// out = a + b
template <class T>
void add(const cpu& exec, input_view<T> a, input_view<T> b, matrix_view<T> out) {
  expects_shape(b, a.rows(), a.cols(), "add: second term");
  expects_shape(out, a.rows(), a.cols(), "add: result");
  cpu_backend::map(
      exec, out, [](T u, T v) { return u + v; }, a, b);
}

/// out = a - b
template <class T>
void subtract(const cpu& exec, input_view<T> a, input_view<T> b, matrix_view<T> out) {
  expects_shape(b, a.rows(), a.cols(), "subtract: second term");
  expects_shape(out, a.rows(), a.cols(), "subtract: result");
  cpu_backend::map(
      exec, out, [](T u, T v) { return u - v; }, a, b);
}

/// out = a * b, element by element
template <class T>
void multiply(const cpu& exec, input_view<T> a, input_view<T> b, matrix_view<T> out) {
  expects_shape(b, a.rows(), a.cols(), "multiply: second factor");
  expects_shape(out, a.rows(), a.cols(), "multiply: result");
  cpu_backend::map(
      exec, out, [](T u, T v) { return u * v; }, a, b);
}

/// out += a * b, element by element
template <class T>
void multiply_add(const cpu& exec, input_view<T> a, input_view<T> b, matrix_view<T> out) {
  expects_shape(b, a.rows(), a.cols(), "multiply_add: second factor");
  expects_shape(out, a.rows(), a.cols(), "multiply_add: result");
  cpu_backend::map_add(
      exec, out, [](T u, T v) { return u * v; }, a, b);
}

/// out = factor * x
template <class T>
void scale(const cpu& exec, input_view<T> x, std::type_identity_t<T> factor, matrix_view<T> out) {
  expects_shape(out, x.rows(), x.cols(), "scale: result");
  cpu_backend::map(
      exec, out, [factor](T v) { return factor * v; }, x);
}

/// out += factor * x
template <class T>
void add_scaled(const cpu& exec, input_view<T> x, std::type_identity_t<T> factor, matrix_view<T> out) {
  expects_shape(out, x.rows(), x.cols(), "add_scaled: result");
  cpu_backend::map_add(
      exec, out, [factor](T v) { return factor * v; }, x);
}

/// out += x: what most adjoints end with
template <class T>
void accumulate(const cpu& exec, input_view<T> x, matrix_view<T> out) {
  expects_shape(out, x.rows(), x.cols(), "accumulate: result");
  cpu_backend::map_add(
      exec, out, [](T v) { return v; }, x);
}

/// out = x + bias, the 1 x n bias added to every row
template <class T>
void add_bias(const cpu& exec, input_view<T> x, input_view<T> bias, matrix_view<T> out) {
  expects_shape(bias, 1, x.cols(), "add_bias: bias");
  expects_shape(out, x.rows(), x.cols(), "add_bias: result");
  const matrix_view<const T> every_row(bias.data(), x.rows(), x.cols(), 0);
  cpu_backend::map(
      exec, out, [](T v, T b) { return v + b; }, x, every_row);
}

/// sums (1 x n) += sum of the rows of x, first to last: the adjoint of a bias.
template <class T>
void add_column_sums(const cpu& exec, input_view<T> x, matrix_view<T> sums) {
  expects_shape(sums, 1, x.cols(), "add_column_sums: sums");
  cpu_backend::add_column_sums(
      exec, sums.data(), [](T v) { return v; }, x);
}

/// Sum of all elements, row by row, added up in double precision.
template <class T>
std::remove_const_t<T> sum(const cpu& exec, matrix_view<T> x) {
  check_executor(exec);
  double total = 0;
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (const T value : x.row(r)) {
      total += value;
    }
  }
  return static_cast<std::remove_const_t<T>>(total);
}

}  // namespace graphpatcher
