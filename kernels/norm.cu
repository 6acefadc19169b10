// SPDX-License-Identifier: MIT
#include "kernels/norm.cuh"

#include "kernels/batch_norm.cuh"
#include "kernels/elementwise.cuh"
#include "kernels/operations.hpp"
#include "kernels/reductions.cuh"

namespace graphpatcher::backend::on_cuda {
using kernels::on_device;
using kernels::two_sums;

template <class T>
void layer_norm(const device& exec, matrix_view<const T> x, matrix_view<const T> gain, matrix_view<const T> shift,
                T eps, std::span<T> mean, std::span<T> inverse_deviation, matrix_view<T> out) {
  kernels::launch_layer_norm(exec, x, gain, shift, eps, mean, inverse_deviation, out);
}

template <class T>
void layer_norm_adjoint(const device& exec, matrix_view<const T> x, matrix_view<const T> gain, std::span<const T> mean,
                        std::span<const T> inverse_deviation, matrix_view<const T> gradient,
                        matrix_view<T> x_gradient) {
  kernels::launch_layer_norm_adjoint(exec, x, gain, mean, inverse_deviation, gradient, x_gradient);
}

template <class T>
void batch_moments(const device& exec, matrix_view<const T> x, T momentum, T eps, std::span<T> running_mean,
                   std::span<T> running_variance, std::span<T> mean, std::span<T> inverse_deviation) {
  const auto rows = static_cast<double>(x.rows());
  const device_array<double> means(exec, x.cols());  // in double: the squares are of differences from these
  kernels::launch_column_sums<double>(exec, x.rows(), x.cols(), kernels::element_term<double, T>{on_device(x)},
                                      kernels::write_column_means{means.data(), rows});
  kernels::launch_column_sums<double>(
      exec, x.rows(), x.cols(), kernels::squared_difference_term<T>{on_device(x), means.data()},
      kernels::write_batch_moments<T>{means.data(), rows, momentum, eps, running_mean.data(), running_variance.data(),
                                      mean.data(), inverse_deviation.data()});
}

template <class T>
void running_moments(const device& exec, std::span<const T> running_mean, std::span<const T> running_variance, T eps,
                     std::span<T> mean, std::span<T> inverse_deviation) {
  copy_bytes(exec, mean.data(), running_mean.data(), mean.size_bytes());
  kernels::launch_map<false>(exec, matrix_view<T>(inverse_deviation.data(), 1, mean.size()),
                             kernels::inverse_deviation_element<T>{eps},
                             matrix_view<const T>(running_variance.data(), 1, mean.size()));
}

template <class T>
void normalise_columns(const device& exec, matrix_view<const T> x, matrix_view<const T> gain,
                       matrix_view<const T> shift, std::span<const T> mean, std::span<const T> inverse_deviation,
                       matrix_view<T> out) {
  const auto row = [&](const T* data) { return kernels::repeated(data, x.rows(), x.cols()); };
  kernels::launch_map<false>(exec, out, kernels::normalise_element<T>{}, x, row(gain.data()), row(shift.data()),
                             row(mean.data()), row(inverse_deviation.data()));
}

template <class T>
void batch_norm_adjoint(const device& exec, bool training, matrix_view<const T> x, matrix_view<const T> gain,
                        std::span<const T> mean, std::span<const T> inverse_deviation, matrix_view<const T> gradient,
                        matrix_view<T> x_gradient) {
  // Moments that are constants have no slopes of their own.
  const device_array<T> mean_slope(exec, x.cols());
  const device_array<T> mean_product(exec, x.cols());
  if (training) {
    kernels::launch_column_sums<two_sums>(
        exec, x.rows(), x.cols(),
        kernels::batch_slope_terms<T>{on_device(x), on_device(gradient), mean.data(), inverse_deviation.data()},
        kernels::write_mean_slopes<T>{mean_slope.data(), mean_product.data(), static_cast<double>(x.rows())});
  } else {
    clear_bytes(exec, mean_slope.data(), x.cols() * sizeof(T));
    clear_bytes(exec, mean_product.data(), x.cols() * sizeof(T));
  }
  const auto row = [&](const T* data) { return kernels::repeated(data, x.rows(), x.cols()); };
  kernels::launch_map<true>(exec, x_gradient, kernels::batch_adjoint_element<T>{}, x, gradient, row(gain.data()),
                            row(mean.data()), row(inverse_deviation.data()), row(mean_slope.data()),
                            row(mean_product.data()));
}

template <class T>
void norm_gain_adjoint(const device& exec, bool by_rows, matrix_view<const T> x, std::span<const T> mean,
                       std::span<const T> inverse_deviation, matrix_view<const T> gradient,
                       matrix_view<T> gain_gradient) {
  kernels::launch_column_sums<double>(
      exec, x.rows(), x.cols(),
      kernels::gain_term<T>{on_device(x), on_device(gradient), mean.data(), inverse_deviation.data(), by_rows},
      kernels::add_to_column<T>{gain_gradient.data()});
}

template <class T>
void norm_shift_adjoint(const device& exec, matrix_view<const T> gradient, matrix_view<T> shift_gradient) {
  kernels::launch_column_sums<double>(exec, gradient.rows(), gradient.cols(),
                                      kernels::element_term<double, T>{on_device(gradient)},
                                      kernels::add_to_column<T>{shift_gradient.data()});
}

#define GP_INSTANTIATE(T)                                                                                              \
  template void layer_norm(const device&, matrix_view<const T>, matrix_view<const T>, matrix_view<const T>, T,         \
                           std::span<T>, std::span<T>, matrix_view<T>);                                                \
  template void layer_norm_adjoint(const device&, matrix_view<const T>, matrix_view<const T>, std::span<const T>,      \
                                   std::span<const T>, matrix_view<const T>, matrix_view<T>);                          \
  template void batch_moments(const device&, matrix_view<const T>, T, T, std::span<T>, std::span<T>, std::span<T>,     \
                              std::span<T>);                                                                           \
  template void running_moments(const device&, std::span<const T>, std::span<const T>, T, std::span<T>, std::span<T>); \
  template void normalise_columns(const device&, matrix_view<const T>, matrix_view<const T>, matrix_view<const T>,     \
                                  std::span<const T>, std::span<const T>, matrix_view<T>);                             \
  template void batch_norm_adjoint(const device&, bool, matrix_view<const T>, matrix_view<const T>,                    \
                                   std::span<const T>, std::span<const T>, matrix_view<const T>, matrix_view<T>);      \
  template void norm_gain_adjoint(const device&, bool, matrix_view<const T>, std::span<const T>, std::span<const T>,   \
                                  matrix_view<const T>, matrix_view<T>);                                               \
  template void norm_shift_adjoint(const device&, matrix_view<const T>, matrix_view<T>);

GP_INSTANTIATE(float)
GP_INSTANTIATE(double)
#undef GP_INSTANTIATE

}  // namespace graphpatcher::backend::on_cuda
