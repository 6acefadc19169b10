// SPDX-License-Identifier: MIT
#include "kernels/gather.cuh"

#include "kernels/group_by.hpp"
#include "kernels/operations.hpp"
#include "kernels/row_sum.cuh"

namespace graphpatcher::backend::on_cuda {

template <class T, graph_index I>
void gather_rows(const device& exec, matrix_view<const T> x, std::span<const I> ids, matrix_view<T> out) {
  kernels::gather_rows<T, I>(exec, x, ids, out);
}

template <class T, graph_index I>
void scatter_add_rows(const device& exec, matrix_view<const T> x, std::span<const I> ids, T factor,
                      matrix_view<T> out) {
  const kernels::grouping<I> groups = kernels::group_by(ids, out.rows());
  const device_array<I> targets(exec, groups.keys);
  const device_array<I> offsets(exec, groups.offsets);
  const device_array<I> members(exec, groups.members);
  kernels::row_sum(exec, kernels::row_sum_problem<T, T, I>{.rows = groups.keys.size(),
                                                           .cols = out.cols(),
                                                           .entries = ids.size(),
                                                           .longest_row = groups.longest,
                                                           .offsets = offsets.data(),
                                                           .sources = members.data(),
                                                           .x = x,
                                                           .scale = factor,
                                                           .targets = targets.data(),
                                                           .accumulate = true,
                                                           .out = out});
}

#define GP_INSTANTIATE(T, I)                                                                          \
  template void gather_rows(const device&, matrix_view<const T>, std::span<const I>, matrix_view<T>); \
  template void scatter_add_rows(const device&, matrix_view<const T>, std::span<const I>, T, matrix_view<T>);
GP_INSTANTIATE(float, std::int32_t)
GP_INSTANTIATE(float, std::int64_t)
GP_INSTANTIATE(double, std::int32_t)
GP_INSTANTIATE(double, std::int64_t)
#undef GP_INSTANTIATE

}  // namespace graphpatcher::backend::on_cuda
