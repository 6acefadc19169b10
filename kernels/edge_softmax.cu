// SPDX-License-Identifier: MIT
#include "kernels/edge_softmax.cuh"

#include <array>

#include "kernels/head_dot.cuh"
#include "kernels/operations.hpp"
#include "kernels/row_sum.cuh"

namespace graphpatcher::backend::on_cuda {

template <class T>
void head_dot(const device& exec, matrix_view<const T> z, matrix_view<const T> l, matrix_view<T> out) {
  kernels::head_dot(exec, z, l, out);
}

template <class T>
void head_dot_adjoint_z(const device& exec, matrix_view<const T> l, matrix_view<const T> gradient,
                        matrix_view<T> z_gradient) {
  kernels::head_dot_adjoint_z(exec, l, gradient, z_gradient);
}

/// l_gradient(0, c) += Σ_i gradient(i, head of c) · z(i, c): one row of a sparse
/// product, with an entry for every row of z.
template <class T>
void head_dot_adjoint_l(const device& exec, matrix_view<const T> z, matrix_view<const T> gradient,
                        matrix_view<T> l_gradient) {
  if (z.empty()) {
    return;
  }
  const std::array<std::int64_t, 2> ends{0, static_cast<std::int64_t>(z.rows())};
  const device_array<std::int64_t> offsets(exec, ends);
  kernels::row_sum(exec, kernels::row_sum_problem<T, T, std::int64_t>{.rows = 1,
                                                                      .cols = z.cols(),
                                                                      .entries = z.rows(),
                                                                      .longest_row = z.rows(),
                                                                      .offsets = offsets.data(),
                                                                      .x = z,
                                                                      .weights = gradient,
                                                                      .heads = gradient.cols(),
                                                                      .accumulate = true,
                                                                      .out = l_gradient});
}

template <class T, graph_index I>
void edge_scores(const device& exec, const edge_view<I>& edges, matrix_view<const T> el, matrix_view<const T> er,
                 T slope, matrix_view<T> out) {
  kernels::launch_team_rows<T>(exec, "edge_scores", edges.offsets.data(), edges.rows(), edges.edges(), out.cols(),
                               kernels::edge_scores_work<T, I>{edges.sources.data(), el, er, slope, out});
}

template <class T, graph_index I>
void edge_scores_adjoint_rows(const device& exec, const edge_view<I>& edges, matrix_view<const T> scores, T slope,
                              matrix_view<const T> gradient, matrix_view<T> er_gradient) {
  const auto limit = static_cast<std::int64_t>(edges.edges());
  kernels::launch_team_rows<T>(
      exec, "edge_scores_adjoint_rows", edges.offsets.data(), edges.rows(), edges.edges(), scores.cols(),
      kernels::edge_scores_adjoint_work<T, I>{nullptr, limit, scores, slope, gradient, er_gradient});
}

template <class T, graph_index I>
void edge_scores_adjoint_sources(const device& exec, const edge_view<I>& edges, matrix_view<const T> scores, T slope,
                                 matrix_view<const T> gradient, matrix_view<T> el_gradient) {
  const auto limit = static_cast<std::int64_t>(edges.edges());
  kernels::launch_team_rows<T>(
      exec, "edge_scores_adjoint_sources", edges.reverse_offsets.data(), edges.source_rows, edges.receivers.size(),
      scores.cols(),
      kernels::edge_scores_adjoint_work<T, I>{edges.reverse_edges.data(), limit, scores, slope, gradient, el_gradient});
}

template <class T, graph_index I>
void edge_softmax(const device& exec, std::span<const I> offsets, matrix_view<const T> scores, matrix_view<T> out) {
  kernels::launch_team_rows<T>(exec, "edge_softmax", offsets.data(), offsets.size() - 1, scores.rows(), scores.cols(),
                               kernels::edge_softmax_work<T>{scores, out});
}

template <class T, graph_index I>
void edge_softmax_adjoint(const device& exec, std::span<const I> offsets, matrix_view<const T> alpha,
                          matrix_view<const T> gradient, matrix_view<T> scores_gradient) {
  kernels::launch_team_rows<T>(exec, "edge_softmax_adjoint", offsets.data(), offsets.size() - 1, alpha.rows(),
                               alpha.cols(), kernels::edge_softmax_adjoint_work<T>{alpha, gradient, scores_gradient});
}

#define GP_INSTANTIATE(T)                                                                                      \
  template void head_dot(const device&, matrix_view<const T>, matrix_view<const T>, matrix_view<T>);           \
  template void head_dot_adjoint_z(const device&, matrix_view<const T>, matrix_view<const T>, matrix_view<T>); \
  template void head_dot_adjoint_l(const device&, matrix_view<const T>, matrix_view<const T>, matrix_view<T>);
GP_INSTANTIATE(float)
GP_INSTANTIATE(double)
#undef GP_INSTANTIATE

#define GP_INSTANTIATE(T, I)                                                                                        \
  template void edge_scores(const device&, const edge_view<I>&, matrix_view<const T>, matrix_view<const T>, T,      \
                            matrix_view<T>);                                                                        \
  template void edge_scores_adjoint_rows(const device&, const edge_view<I>&, matrix_view<const T>, T,               \
                                         matrix_view<const T>, matrix_view<T>);                                     \
  template void edge_scores_adjoint_sources(const device&, const edge_view<I>&, matrix_view<const T>, T,            \
                                            matrix_view<const T>, matrix_view<T>);                                  \
  template void edge_softmax(const device&, std::span<const I>, matrix_view<const T>, matrix_view<T>);              \
  template void edge_softmax_adjoint(const device&, std::span<const I>, matrix_view<const T>, matrix_view<const T>, \
                                     matrix_view<T>);
GP_INSTANTIATE(float, std::int32_t)
GP_INSTANTIATE(float, std::int64_t)
GP_INSTANTIATE(double, std::int32_t)
GP_INSTANTIATE(double, std::int64_t)
#undef GP_INSTANTIATE

}  // namespace graphpatcher::backend::on_cuda
