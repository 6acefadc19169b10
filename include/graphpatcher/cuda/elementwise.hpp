// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/operands/elements.hpp"

/// Element by element on the GPU (kernels/elementwise.cu), for the functions of
/// ops/elements.hpp. Views are device memory and may be strided (stride 0: one
/// row for all).
namespace graphpatcher::backend {

/// out = f(inputs...); Inputs: matrix_view<const T>. The library holds constant,
/// identity, sum, difference, product, multiple, relu, elu and leaky_relu; for
/// others kernels/elementwise.cuh has launch_map().
template <class T, class Function, class... Inputs>
void map(const cuda& exec, matrix_view<T> out, Function f, const Inputs&... inputs);

/// out += f(inputs...). The library holds identity, product, multiple,
/// relu_slope, elu_slope and leaky_relu_slope.
template <class T, class Function, class... Inputs>
void map_add(const cuda& exec, matrix_view<T> out, Function f, const Inputs&... inputs);

/// sums[c] += Σ_r x(r, c): rows in a fixed tree, the same bits every time.
template <class T>
void add_column_sums(const cuda& exec, matrix_view<const T> x, T* sums);

/// out(0, 0) = (or += with `accumulate`) factor · Σ of all elements, added up in
/// double in a fixed order.
template <class T>
void sum_all(const cuda& exec, matrix_view<const T> x, T factor, bool accumulate, matrix_view<T> out);

/// out += g(0, 0): the adjoint of a sum, the factor read on the device.
template <class T>
void add_scalar(const cuda& exec, matrix_view<const T> g, matrix_view<T> out);

/// x(r, :) *= weights[r]
template <class T>
void scale_rows(const cuda& exec, std::span<const T> weights, matrix_view<T> x);

template <class T>
void prelu(const cuda& exec, matrix_view<const T> x, matrix_view<const T> slope, matrix_view<T> y);
template <class T>
void prelu_adjoint(const cuda& exec, matrix_view<const T> x, matrix_view<const T> slope, matrix_view<const T> g,
                   matrix_view<T> dx);
template <class T>
void prelu_slope_adjoint(const cuda& exec, matrix_view<const T> x, matrix_view<const T> g, matrix_view<T> dslope);

}  // namespace graphpatcher::backend
