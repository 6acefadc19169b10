// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <cmath>
#include <cstddef>
#include <span>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

template <class T>
T inverse_deviation_of(double variance, T eps) {
  return static_cast<T>(1.0 / std::sqrt(variance + static_cast<double>(eps)));
}

template <class T>
void layer_norm(const cpu& exec, matrix_view<const T> x, matrix_view<const T> gain, matrix_view<const T> shift, T eps,
                std::span<T> mean, std::span<T> inverse_deviation, matrix_view<T> out) {
  const std::size_t n = x.cols();
  for_each_row(exec, x.rows(), 4 * n, [&](std::size_t r) {
    const T* const row = x.row(r).data();
    const double m = lane_sum<double>(n, [=](std::size_t c) { return row[c]; }) / static_cast<double>(n);
    const double squares = lane_sum<double>(n, [=](std::size_t c) { return (row[c] - m) * (row[c] - m); });
    mean[r] = static_cast<T>(m);
    inverse_deviation[r] = inverse_deviation_of(squares / static_cast<double>(n), eps);
    for (std::size_t c = 0; c < n; ++c) {
      out(r, c) = gain(0, c) * ((row[c] - mean[r]) * inverse_deviation[r]) + shift(0, c);
    }
  });
}

template <class T>
void layer_norm_adjoint(const cpu& exec, matrix_view<const T> x, matrix_view<const T> gain, std::span<const T> mean,
                        std::span<const T> inverse_deviation, matrix_view<const T> gradient,
                        matrix_view<T> x_gradient) {
  const std::size_t n = x.cols();
  for_each_row(exec, x.rows(), 4 * n, [&](std::size_t r) {
    const auto slope = [&](std::size_t c) { return gain(0, c) * gradient(r, c); };
    const auto normal = [&](std::size_t c) { return (x(r, c) - mean[r]) * inverse_deviation[r]; };
    const double sum = lane_sum<double>(n, slope);
    const double product = lane_sum<double>(n, [&](std::size_t c) { return slope(c) * normal(c); });
    const T mean_slope = static_cast<T>(sum / static_cast<double>(n));
    const T mean_product = static_cast<T>(product / static_cast<double>(n));
    for (std::size_t c = 0; c < n; ++c) {
      x_gradient(r, c) += inverse_deviation[r] * (slope(c) - mean_slope - normal(c) * mean_product);
    }
  });
}

/// Adds term(row, col) of every row, in ascending order, to double sums of one
/// block of columns.
template <class Term>
void add_rows(std::size_t rows, std::size_t begin, std::size_t end, double* __restrict sums, Term&& term) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = begin; c < end; ++c) {
      sums[c - begin] += static_cast<double>(term(r, c));
    }
  }
}

template <class T>
void batch_moments(const cpu& exec, matrix_view<const T> x, T momentum, T eps, std::span<T> running_mean,
                   std::span<T> running_variance, std::span<T> mean, std::span<T> inverse_deviation) {
  const auto n = static_cast<double>(x.rows());
  for_column_blocks(exec, x.rows(), x.cols(), [&](std::size_t begin, std::size_t end) {
    double means[column_block] = {};
    double squares[column_block] = {};
    add_rows(x.rows(), begin, end, means, [&](std::size_t r, std::size_t c) { return x(r, c); });
    for (double& m : means) {
      m /= n;
    }
    add_rows(x.rows(), begin, end, squares, [&](std::size_t r, std::size_t c) {
      const double difference = static_cast<double>(x(r, c)) - means[c - begin];
      return difference * difference;
    });
    for (std::size_t c = begin; c < end; ++c) {
      const double m = means[c - begin];
      const double sum = squares[c - begin];
      mean[c] = static_cast<T>(m);
      inverse_deviation[c] = inverse_deviation_of(sum / n, eps);
      running_mean[c] = (T(1) - momentum) * running_mean[c] + momentum * static_cast<T>(m);
      running_variance[c] = (T(1) - momentum) * running_variance[c] + momentum * static_cast<T>(sum / (n - 1));
    }
  });
}

template <class T>
void running_moments(const cpu&, std::span<const T> running_mean, std::span<const T> running_variance, T eps,
                     std::span<T> mean, std::span<T> inverse_deviation) {
  for (std::size_t c = 0; c < mean.size(); ++c) {
    mean[c] = running_mean[c];
    inverse_deviation[c] = inverse_deviation_of(static_cast<double>(running_variance[c]), eps);
  }
}

template <class T>
void normalise_columns(const cpu& exec, matrix_view<const T> x, matrix_view<const T> gain, matrix_view<const T> shift,
                       std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<T> out) {
  for_each_row(exec, x.rows(), x.cols(), [&](std::size_t r) {
    for (std::size_t c = 0; c < x.cols(); ++c) {
      out(r, c) = gain(0, c) * ((x(r, c) - mean[c]) * inverse_deviation[c]) + shift(0, c);
    }
  });
}

template <class T>
void batch_norm_adjoint(const cpu& exec, bool training, matrix_view<const T> x, matrix_view<const T> gain,
                        std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<const T> gradient,
                        matrix_view<T> x_gradient) {
  const auto n = static_cast<double>(x.rows());
  for_column_blocks(exec, x.rows(), x.cols(), [&](std::size_t begin, std::size_t end) {
    const auto normal = [&](std::size_t r, std::size_t c) { return (x(r, c) - mean[c]) * inverse_deviation[c]; };
    double sums[column_block] = {};
    double products[column_block] = {};
    if (training) {
      add_rows(x.rows(), begin, end, sums, [&](std::size_t r, std::size_t c) { return gradient(r, c); });
      add_rows(x.rows(), begin, end, products,
               [&](std::size_t r, std::size_t c) { return gradient(r, c) * normal(r, c); });
    }
    for (std::size_t r = 0; r < x.rows(); ++r) {
      for (std::size_t c = begin; c < end; ++c) {
        const T centre = static_cast<T>(sums[c - begin] / n) + normal(r, c) * static_cast<T>(products[c - begin] / n);
        x_gradient(r, c) += inverse_deviation[c] * gain(0, c) * (gradient(r, c) - centre);
      }
    }
  });
}

template <class T>
void norm_gain_adjoint(const cpu& exec, bool by_rows, matrix_view<const T> x, std::span<const T> mean,
                       std::span<const T> inverse_deviation, matrix_view<const T> gradient,
                       matrix_view<T> gain_gradient) {
  for_column_blocks(exec, x.rows(), x.cols(), [&](std::size_t begin, std::size_t end) {
    double sums[column_block] = {};
    add_rows(x.rows(), begin, end, sums, [&](std::size_t r, std::size_t c) {
      const std::size_t k = by_rows ? r : c;
      return gradient(r, c) * ((x(r, c) - mean[k]) * inverse_deviation[k]);
    });
    for (std::size_t c = begin; c < end; ++c) {
      gain_gradient(0, c) += static_cast<T>(sums[c - begin]);
    }
  });
}

template <class T>
void norm_shift_adjoint(const cpu& exec, matrix_view<const T> gradient, matrix_view<T> shift_gradient) {
  for_column_blocks(exec, gradient.rows(), gradient.cols(), [&](std::size_t begin, std::size_t end) {
    double sums[column_block] = {};
    add_rows(gradient.rows(), begin, end, sums, [&](std::size_t r, std::size_t c) { return gradient(r, c); });
    for (std::size_t c = begin; c < end; ++c) {
      shift_gradient(0, c) += static_cast<T>(sums[c - begin]);
    }
  });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
