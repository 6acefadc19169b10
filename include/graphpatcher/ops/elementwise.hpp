// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/elementwise.hpp"
#include "graphpatcher/device/operations.hpp"
#include "graphpatcher/operands/elements.hpp"

/// Element by element, and sums down the rows. All views may be strided; where
/// nothing else is said the result may be one of the inputs.
namespace graphpatcher {

/// out = value
template <class T>
void fill(const executor& exec, std::type_identity_t<T> value, matrix_view<T> out) {
  exec.visit([&](const auto& on) { backend::map(on, out, elements::constant<T>{value}); });
}

/// out = x
template <class T>
void copy(const executor& exec, input_view<T> x, matrix_view<T> out) {
  expects_shape(out, x.rows(), x.cols(), "copy: result");
  exec.visit([&](const auto& on) { backend::map(on, out, elements::identity<T>{}, x); });
}

/// out = a + b
template <class T>
void add(const executor& exec, input_view<T> a, input_view<T> b, matrix_view<T> out) {
  expects_shape(b, a.rows(), a.cols(), "add: second term");
  expects_shape(out, a.rows(), a.cols(), "add: result");
  exec.visit([&](const auto& on) { backend::map(on, out, elements::sum<T>{}, a, b); });
}

/// out = a - b
template <class T>
void subtract(const executor& exec, input_view<T> a, input_view<T> b, matrix_view<T> out) {
  expects_shape(b, a.rows(), a.cols(), "subtract: second term");
  expects_shape(out, a.rows(), a.cols(), "subtract: result");
  exec.visit([&](const auto& on) { backend::map(on, out, elements::difference<T>{}, a, b); });
}

/// out = a * b, element by element
template <class T>
void multiply(const executor& exec, input_view<T> a, input_view<T> b, matrix_view<T> out) {
  expects_shape(b, a.rows(), a.cols(), "multiply: second factor");
  expects_shape(out, a.rows(), a.cols(), "multiply: result");
  exec.visit([&](const auto& on) { backend::map(on, out, elements::product<T>{}, a, b); });
}

/// out += a * b, element by element
template <class T>
void multiply_add(const executor& exec, input_view<T> a, input_view<T> b, matrix_view<T> out) {
  expects_shape(b, a.rows(), a.cols(), "multiply_add: second factor");
  expects_shape(out, a.rows(), a.cols(), "multiply_add: result");
  exec.visit([&](const auto& on) { backend::map_add(on, out, elements::product<T>{}, a, b); });
}

/// out = factor * x
template <class T>
void scale(const executor& exec, input_view<T> x, std::type_identity_t<T> factor, matrix_view<T> out) {
  expects_shape(out, x.rows(), x.cols(), "scale: result");
  exec.visit([&](const auto& on) { backend::map(on, out, elements::multiple<T>{factor}, x); });
}

/// out += factor * x
template <class T>
void add_scaled(const executor& exec, input_view<T> x, std::type_identity_t<T> factor, matrix_view<T> out) {
  expects_shape(out, x.rows(), x.cols(), "add_scaled: result");
  exec.visit([&](const auto& on) { backend::map_add(on, out, elements::multiple<T>{factor}, x); });
}

/// out += x: what most adjoints end with
template <class T>
void accumulate(const executor& exec, input_view<T> x, matrix_view<T> out) {
  expects_shape(out, x.rows(), x.cols(), "accumulate: result");
  exec.visit([&](const auto& on) { backend::map_add(on, out, elements::identity<T>{}, x); });
}

/// out = x + bias, the 1 x n bias added to every row
template <class T>
void add_bias(const executor& exec, input_view<T> x, input_view<T> bias, matrix_view<T> out) {
  expects_shape(bias, 1, x.cols(), "add_bias: bias");
  expects_shape(out, x.rows(), x.cols(), "add_bias: result");
  const matrix_view<const T> every_row(bias.data(), x.rows(), x.cols(), 0);
  exec.visit([&](const auto& on) { backend::map(on, out, elements::sum<T>{}, x, every_row); });
}

/// sums (1 x n) += sum of the rows of x, first to last: the adjoint of a bias.
template <class T>
void add_column_sums(const executor& exec, input_view<T> x, matrix_view<T> sums) {
  expects_shape(sums, 1, x.cols(), "add_column_sums: sums");
  exec.visit([&](const auto& on) { backend::add_column_sums(on, x, sums.data()); });
}

/// out (1 x 1) = factor * sum of all elements, added up in double precision in a
/// fixed order.
template <class T>
void sum_all(const executor& exec, input_view<T> x, std::type_identity_t<T> factor, matrix_view<T> out) {
  expects_shape(out, 1, 1, "sum_all: result");
  exec.visit([&](const auto& on) { backend::sum_all(on, x, factor, false, out); });
}

/// Sum of all elements. Waits for it on a GPU.
template <class T>
std::remove_const_t<T> sum(const executor& exec, matrix_view<T> x) {
  using number = std::remove_const_t<T>;
  check_executor(exec);
  matrix<number> total(exec, 1, 1);
  sum_all(exec, x, number(1), total.view());
  return total.copy_on(cpu{})(0, 0);
}

/// out += g, a 1 x 1 matrix, everywhere: the adjoint of sum_all().
template <class T>
void add_scalar(const executor& exec, input_view<T> g, matrix_view<T> out) {
  expects_shape(g, 1, 1, "add_scalar: g");
  exec.visit([&](const auto& on) { backend::add_scalar(on, g, out); });
}

/// x(r, :) *= weights[r]
template <class T>
void scale_rows(const executor& exec, std::type_identity_t<std::span<const T>> weights, matrix_view<T> x) {
  expects<shape_error>(weights.size() == x.rows(), "scale_rows: expected ", x.rows(), " weights, got ", weights.size());
  exec.visit([&](const auto& on) { backend::scale_rows(on, weights, x); });
}

}  // namespace graphpatcher
