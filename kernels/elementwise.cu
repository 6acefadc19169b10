// SPDX-License-Identifier: MIT
#include "kernels/elementwise.cuh"

#include <span>

#include "graphpatcher/operands/elements.hpp"
#include "kernels/operations.hpp"
#include "kernels/prelu.cuh"
#include "kernels/reductions.cuh"

namespace graphpatcher::backend::on_cuda {

using kernels::on_device;

namespace {

template <class... Arguments>
void run_map(const Arguments&... arguments) {
  kernels::launch_map<false>(arguments...);
}
template <class... Arguments>
void run_map_add(const Arguments&... arguments) {
  kernels::launch_map<true>(arguments...);
}

}  // namespace

// clang-format off
#define GP_DEFINE(entry, name, parameters, arguments)                                            \
  template <class T>                                                                             \
  void name(const device& exec, GP_LIST parameters) {                                            \
    run_##name(exec, GP_LIST arguments);                                                         \
  }
GP_ELEMENT_OPERATIONS(GP_DEFINE)
#undef GP_DEFINE
// clang-format on

template <class T>
void add_column_sums(const device& exec, matrix_view<const T> x, T* sums) {
  kernels::launch_column_sums<T>(exec, x.rows(), x.cols(), kernels::element_term<T, T>{on_device(x)},
                                 kernels::add_to_column<T>{sums});
}

template <class T>
void sum_all(const device& exec, matrix_view<const T> x, T factor, bool accumulate, matrix_view<T> out) {
  if (!x.empty()) {
    kernels::launch_total<double>(exec, x.rows(), x.cols(), kernels::element_term<double, T>{on_device(x)},
                                  kernels::write_total<T>{out.data(), static_cast<double>(factor), accumulate});
  } else if (!accumulate) {
    clear_bytes(exec, out.data(), sizeof(T));
  }
}

template <class T>
void add_scalar(const device& exec, matrix_view<const T> g, matrix_view<T> out) {
  kernels::launch_map<true>(exec, out, kernels::from_device<T>{g.data()});
}

template <class T>
void scale_rows(const device& exec, std::span<const T> weights, matrix_view<T> x) {
  kernels::launch_scale_rows(exec, weights.data(), x);
}

template <class T>
void prelu(const device& exec, matrix_view<const T> x, matrix_view<const T> slope, matrix_view<T> y) {
  if (slope.cols() == 1) {
    kernels::launch_map<false>(exec, y, kernels::shared_prelu_element<T>{slope.data()}, x);
  } else {
    kernels::launch_map<false>(exec, y, kernels::prelu_element<T>{}, x,
                               kernels::repeated(slope.data(), x.rows(), x.cols()));
  }
}

template <class T>
void prelu_adjoint(const device& exec, matrix_view<const T> x, matrix_view<const T> slope, matrix_view<const T> g,
                   matrix_view<T> dx) {
  if (slope.cols() == 1) {
    kernels::launch_map<true>(exec, dx, kernels::shared_prelu_slope_element<T>{slope.data()}, x, g);
  } else {
    kernels::launch_map<true>(exec, dx, kernels::prelu_slope_element<T>{}, x,
                              kernels::repeated(slope.data(), x.rows(), x.cols()), g);
  }
}

template <class T>
void prelu_slope_adjoint(const device& exec, matrix_view<const T> x, matrix_view<const T> g, matrix_view<T> dslope) {
  if (x.empty()) {
    return;
  }
  if (dslope.cols() == x.cols()) {
    kernels::launch_column_sums<T>(exec, x.rows(), x.cols(), kernels::prelu_term<T, T>{on_device(x), on_device(g)},
                                   kernels::add_to_column<T>{dslope.data()});
  } else {
    kernels::launch_total<double>(exec, x.rows(), x.cols(), kernels::prelu_term<double, T>{on_device(x), on_device(g)},
                                  kernels::write_total<T>{dslope.data(), 1.0, true});
  }
}

// With the numbers of inputs that each function takes.
#define GP_IN(T) const matrix_view<const T>&
#define GP_INSTANTIATE(T)                                                                                      \
  template void map(const device&, matrix_view<T>, elements::constant<T>);                                     \
  template void map(const device&, matrix_view<T>, elements::identity<T>, GP_IN(T));                           \
  template void map(const device&, matrix_view<T>, elements::sum<T>, GP_IN(T), GP_IN(T));                      \
  template void map(const device&, matrix_view<T>, elements::difference<T>, GP_IN(T), GP_IN(T));               \
  template void map(const device&, matrix_view<T>, elements::product<T>, GP_IN(T), GP_IN(T));                  \
  template void map(const device&, matrix_view<T>, elements::multiple<T>, GP_IN(T));                           \
  template void map(const device&, matrix_view<T>, elements::relu<T>, GP_IN(T));                               \
  template void map(const device&, matrix_view<T>, elements::elu<T>, GP_IN(T));                                \
  template void map(const device&, matrix_view<T>, elements::leaky_relu<T>, GP_IN(T));                         \
  template void map_add(const device&, matrix_view<T>, elements::identity<T>, GP_IN(T));                       \
  template void map_add(const device&, matrix_view<T>, elements::product<T>, GP_IN(T), GP_IN(T));              \
  template void map_add(const device&, matrix_view<T>, elements::multiple<T>, GP_IN(T));                       \
  template void map_add(const device&, matrix_view<T>, elements::relu_slope<T>, GP_IN(T), GP_IN(T));           \
  template void map_add(const device&, matrix_view<T>, elements::elu_slope<T>, GP_IN(T), GP_IN(T), GP_IN(T));  \
  template void map_add(const device&, matrix_view<T>, elements::leaky_relu_slope<T>, GP_IN(T), GP_IN(T));     \
  template void add_column_sums(const device&, matrix_view<const T>, T*);                                      \
  template void sum_all(const device&, matrix_view<const T>, T, bool, matrix_view<T>);                         \
  template void add_scalar(const device&, matrix_view<const T>, matrix_view<T>);                               \
  template void scale_rows(const device&, std::span<const T>, matrix_view<T>);                                 \
  template void prelu(const device&, matrix_view<const T>, matrix_view<const T>, matrix_view<T>);              \
  template void prelu_adjoint(const device&, matrix_view<const T>, matrix_view<const T>, matrix_view<const T>, \
                              matrix_view<T>);                                                                 \
  template void prelu_slope_adjoint(const device&, matrix_view<const T>, matrix_view<const T>, matrix_view<T>);

GP_INSTANTIATE(float)
GP_INSTANTIATE(double)
#undef GP_INSTANTIATE
#undef GP_IN

}  // namespace graphpatcher::backend::on_cuda
