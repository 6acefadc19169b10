// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/matrix.hpp"

/// Layer norm and batch norm on the GPU (kernels/norm.cu). All spans and views
/// are device memory; equations in ops/norm.hpp; sums in double, fixed order.
namespace graphpatcher::backend {

template <class T>
void layer_norm(const cuda& exec, matrix_view<const T> x, matrix_view<const T> gain, matrix_view<const T> shift, T eps,
                std::span<T> mean, std::span<T> inverse_deviation, matrix_view<T> out);
template <class T>
void layer_norm_adjoint(const cuda& exec, matrix_view<const T> x, matrix_view<const T> gain, std::span<const T> mean,
                        std::span<const T> inverse_deviation, matrix_view<const T> gradient, matrix_view<T> x_gradient);

template <class T>
void batch_moments(const cuda& exec, matrix_view<const T> x, T momentum, T eps, std::span<T> running_mean,
                   std::span<T> running_variance, std::span<T> mean, std::span<T> inverse_deviation);
template <class T>
void running_moments(const cuda& exec, std::span<const T> running_mean, std::span<const T> running_variance, T eps,
                     std::span<T> mean, std::span<T> inverse_deviation);
template <class T>
void normalise_columns(const cuda& exec, matrix_view<const T> x, matrix_view<const T> gain, matrix_view<const T> shift,
                       std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<T> out);
template <class T>
void batch_norm_adjoint(const cuda& exec, bool training, matrix_view<const T> x, matrix_view<const T> gain,
                        std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<const T> gradient,
                        matrix_view<T> x_gradient);
template <class T>
void norm_gain_adjoint(const cuda& exec, bool by_rows, matrix_view<const T> x, std::span<const T> mean,
                       std::span<const T> inverse_deviation, matrix_view<const T> gradient,
                       matrix_view<T> gain_gradient);
template <class T>
void norm_shift_adjoint(const cuda& exec, matrix_view<const T> gradient, matrix_view<T> shift_gradient);

}  // namespace graphpatcher::backend
