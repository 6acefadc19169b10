// SPDX-License-Identifier: MIT
#include "kernels/segment_reduce.cuh"

#include "kernels/operations.hpp"
#include "kernels/row_sum.cuh"

namespace graphpatcher::backend::on_cuda {
namespace {

using kernels::segment_policy;

/// Calls body(N, lanes, grid) for units of one row or run each, in the widest
/// packs that all `views` allow, 16 bytes or single numbers.
template <class T, class Body, class... Views>
void launch_over_rows(std::size_t units, std::size_t cols, int fewest_lanes, Body&& body, const Views&... views) {
  const auto launch = [&](auto width) {
    constexpr int n = decltype(width)::value;
    const int lanes = kernels::lanes_for(cols / n, fewest_lanes);
    const auto group = static_cast<std::size_t>(lanes);
    body(width, lanes,
         dim3(kernels::grid_for(units, segment_policy::threads / group), kernels::tiles_for(cols, group * n)));
  };
  constexpr int widest = kernels::full_pack<T>;
  if ((kernels::fits_pack(widest, views.data(), views.stride(), cols) && ...)) {
    launch(std::integral_constant<int, widest>{});
  } else {
    launch(std::integral_constant<int, 1>{});
  }
}

std::int64_t signed_count(std::size_t count) {
  return static_cast<std::int64_t>(count);
}

}  // namespace

template <class T, graph_index I>
void segment_sum(const device& exec, std::span<const I> offsets, bool mean, matrix_view<const T> x,
                 matrix_view<T> out) {
  kernels::row_sum(exec, kernels::row_sum_problem<T, T, I>{.rows = out.rows(),
                                                           .cols = out.cols(),
                                                           .entries = x.rows(),
                                                           .offsets = offsets.data(),
                                                           .x = x,
                                                           .mean = mean,
                                                           .out = out});
}

template <class T, graph_index I>
void segment_sum_adjoint(const device& exec, std::span<const I> offsets, bool mean, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient) {
  if (x_gradient.empty()) {
    return;
  }
  const std::size_t runs = kernels::ceil_div(x_gradient.rows(), std::size_t{segment_policy::run});
  const auto launch = [&](auto width, int lanes, dim3 grid) {
    kernels::spread_segments<decltype(width)::value, T, I><<<grid, segment_policy::threads, 0, stream_of(exec)>>>(
        lanes, offsets.data(), signed_count(gradient.rows()), mean, gradient, signed_count(x_gradient.rows()),
        signed_count(x_gradient.cols()), x_gradient);
    check_launch("spread_segments", grid, segment_policy::threads);
  };
  launch_over_rows<T>(runs, x_gradient.cols(), 1, launch, gradient, x_gradient);
}

template <class T, graph_index I>
void segment_max(const device& exec, std::span<const I> offsets, std::span<const I> sources, matrix_view<const T> x,
                 std::span<I> winners, matrix_view<T> out) {
  if (out.empty()) {
    return;
  }
  const matrix_view<I> winner_rows(winners.data(), out.rows(), out.cols());
  const auto launch = [&](auto width, int lanes, dim3 grid) {
    kernels::largest_entries<decltype(width)::value, T, I><<<grid, segment_policy::threads, 0, stream_of(exec)>>>(
        lanes, offsets.data(), sources.data(), signed_count(out.rows()), signed_count(out.cols()), x, winner_rows, out);
    check_launch("largest_entries", grid, segment_policy::threads);
  };
  launch_over_rows<T>(out.rows(), out.cols(), kernels::entries_in_flight, launch, x, out, winner_rows);
}

template <class T, graph_index I>
void segment_max_adjoint(const device& exec, const edge_view<I>& edges, std::span<const I> winners,
                         matrix_view<const T> gradient, matrix_view<T> x_gradient) {
  if (edges.source_rows == 0 || gradient.empty()) {
    return;
  }
  const matrix_view<const I> winner_rows(winners.data(), gradient.rows(), gradient.cols());
  const auto launch = [&](auto width, int lanes, dim3 grid) {
    kernels::collect_wins<decltype(width)::value, T, I><<<grid, segment_policy::threads, 0, stream_of(exec)>>>(
        lanes, edges.reverse_offsets.data(), edges.receivers.data(), edges.reverse_edges.data(),
        signed_count(edges.source_rows), static_cast<I>(edges.rows()), signed_count(gradient.cols()), winner_rows,
        gradient, x_gradient);
    check_launch("collect_wins", grid, segment_policy::threads);
  };
  launch_over_rows<T>(edges.source_rows, gradient.cols(), kernels::entries_in_flight, launch, gradient, x_gradient,
                      winner_rows);
}

template <class T, graph_index I>
void segment_max_adjoint(const device& exec, std::span<const I> winners, matrix_view<const T> gradient,
                         matrix_view<T> x_gradient) {
  if (gradient.empty()) {
    return;
  }
  const int lanes = kernels::lanes_for(gradient.cols(), 1);
  const auto group = static_cast<std::size_t>(lanes);
  const dim3 grid(kernels::grid_for(gradient.rows(), segment_policy::threads / group),
                  kernels::tiles_for(gradient.cols(), group));
  kernels::scatter_wins<T, I><<<grid, segment_policy::threads, 0, stream_of(exec)>>>(
      lanes, winners.data(), signed_count(gradient.rows()), signed_count(gradient.cols()), gradient, x_gradient);
  check_launch("scatter_wins", grid, segment_policy::threads);
}

#define GP_INSTANTIATE(T, I)                                                                                           \
  template void segment_sum(const device&, std::span<const I>, bool, matrix_view<const T>, matrix_view<T>);            \
  template void segment_sum_adjoint(const device&, std::span<const I>, bool, matrix_view<const T>, matrix_view<T>);    \
  template void segment_max(const device&, std::span<const I>, std::span<const I>, matrix_view<const T>, std::span<I>, \
                            matrix_view<T>);                                                                           \
  template void segment_max_adjoint(const device&, const edge_view<I>&, std::span<const I>, matrix_view<const T>,      \
                                    matrix_view<T>);                                                                   \
  template void segment_max_adjoint(const device&, std::span<const I>, matrix_view<const T>, matrix_view<T>);
GP_INSTANTIATE(float, std::int32_t)
GP_INSTANTIATE(float, std::int64_t)
GP_INSTANTIATE(double, std::int32_t)
GP_INSTANTIATE(double, std::int64_t)
#undef GP_INSTANTIATE

}  // namespace graphpatcher::backend::on_cuda
