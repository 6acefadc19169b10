// SPDX-License-Identifier: MIT
#include "kernels/loss.cuh"

#include <cstdint>
#include <span>

#include "graphpatcher/core/device_memory.hpp"
#include "kernels/add_slopes.cuh"
#include "kernels/elementwise.cuh"
#include "kernels/operations.hpp"

namespace graphpatcher::backend::on_cuda {
using kernels::on_device;

template <class T>
void softmax(const device& exec, matrix_view<const T> x, matrix_view<T> out) {
  kernels::launch_row_groups(exec, "softmax", x.rows(), x.cols(),
                             kernels::softmax_work<false, T>{on_device(x), on_device(out)});
}

template <class T>
void softmax_adjoint(const device& exec, matrix_view<const T> p, matrix_view<const T> gradient,
                     matrix_view<T> x_gradient) {
  kernels::launch_row_groups(
      exec, "softmax_adjoint", p.rows(), p.cols(),
      kernels::softmax_adjoint_work<T>{on_device(p), on_device(gradient), on_device(x_gradient)});
}

template <class T>
void log_softmax(const device& exec, matrix_view<const T> x, matrix_view<T> out) {
  kernels::launch_row_groups(exec, "log_softmax", x.rows(), x.cols(),
                             kernels::softmax_work<true, T>{on_device(x), on_device(out)});
}

template <class T>
void log_softmax_adjoint(const device& exec, matrix_view<const T> y, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient) {
  kernels::launch_row_groups(
      exec, "log_softmax_adjoint", y.rows(), y.cols(),
      kernels::log_softmax_adjoint_work<T>{on_device(y), on_device(gradient), on_device(x_gradient)});
}

template <class T, graph_index I>
void cross_entropy(const device& exec, matrix_view<const T> logits, std::span<const I> rows, std::span<const I> labels,
                   std::span<T> losses, matrix_view<T> slopes) {
  kernels::launch_row_groups(exec, "cross_entropy", slopes.rows(), slopes.cols(),
                             kernels::cross_entropy_work<T, I>{on_device(logits), rows.data(), labels.data(),
                                                               losses.data(), on_device(slopes)});
}

template <class T>
void kl_divergence(const device& exec, matrix_view<const T> targets, matrix_view<const T> logits, std::size_t samples,
                   T eps, std::span<T> losses, matrix_view<T> slopes) {
  if (logits.cols() == 0) {
    clear_bytes(exec, losses.data(), losses.size_bytes());
  }
  kernels::launch_row_groups(exec, "kl_divergence", logits.rows(), logits.cols(),
                             kernels::kl_divergence_work<T>{on_device(targets), on_device(logits), samples, eps,
                                                            losses.data(), on_device(slopes)});
}

template <class T>
void released_sample_loss(const device& exec, matrix_view<const T> target_logits, matrix_view<const T> logits,
                          std::size_t samples, std::span<T> losses, matrix_view<T> slopes) {
  if (logits.cols() == 0) {
    clear_bytes(exec, losses.data(), losses.size_bytes());
  }
  kernels::launch_row_groups(
      exec, "released_sample_loss", logits.rows(), logits.cols(),
      kernels::released_sample_work<T>{on_device(target_logits), on_device(logits), static_cast<unsigned>(samples),
                                       losses.data(), on_device(slopes)});
}

template <class T, graph_index I>
void add_slopes(const device& exec, matrix_view<const T> slopes, std::span<const I> rows, T weight,
                matrix_view<const T> loss_gradient, matrix_view<T> logits_gradient) {
  if (slopes.empty()) {
    return;
  }
  if (rows.empty()) {
    kernels::launch_map<true>(exec, logits_gradient, kernels::scaled_slope<T>{weight, loss_gradient.data()}, slopes);
    return;
  }
  kernels::launch_add_grouped_slopes(exec, slopes, rows, weight, loss_gradient.data(), logits_gradient);
}

#define GP_INSTANTIATE(T)                                                                                              \
  template void softmax(const device&, matrix_view<const T>, matrix_view<T>);                                          \
  template void softmax_adjoint(const device&, matrix_view<const T>, matrix_view<const T>, matrix_view<T>);            \
  template void log_softmax(const device&, matrix_view<const T>, matrix_view<T>);                                      \
  template void log_softmax_adjoint(const device&, matrix_view<const T>, matrix_view<const T>, matrix_view<T>);        \
  template void kl_divergence(const device&, matrix_view<const T>, matrix_view<const T>, std::size_t, T, std::span<T>, \
                              matrix_view<T>);                                                                         \
  template void released_sample_loss(const device&, matrix_view<const T>, matrix_view<const T>, std::size_t,           \
                                     std::span<T>, matrix_view<T>);
#define GP_INSTANTIATE_INDEX(T, I)                                                                           \
  template void cross_entropy(const device&, matrix_view<const T>, std::span<const I>, std::span<const I>,   \
                              std::span<T>, matrix_view<T>);                                                 \
  template void add_slopes(const device&, matrix_view<const T>, std::span<const I>, T, matrix_view<const T>, \
                           matrix_view<T>);

GP_INSTANTIATE(float)
GP_INSTANTIATE(double)
GP_INSTANTIATE_INDEX(float, std::int32_t)
GP_INSTANTIATE_INDEX(double, std::int32_t)
GP_INSTANTIATE_INDEX(float, std::int64_t)
GP_INSTANTIATE_INDEX(double, std::int64_t)
#undef GP_INSTANTIATE
#undef GP_INSTANTIATE_INDEX

}  // namespace graphpatcher::backend::on_cuda
