// SPDX-License-Identifier: MIT
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include "graphpatcher/cuda/spmm.hpp"
#include "kernels/spmm.cuh"

/// Sparse products that read float16 or bfloat16 and add in float.
namespace graphpatcher::kernels {

/// The type of the device that has the bits of float16 or bfloat16.
template <class S>
using native_float = std::conditional_t<std::is_same_v<std::remove_const_t<S>, float16>, __half, __nv_bfloat16>;

/// Stored numbers as kernels read and write them.
template <class S>
auto native_rows(matrix_view<S> view) {
  using native = std::conditional_t<std::is_const_v<S>, const native_float<S>, native_float<S>>;
  return device_rows<native>(reinterpret_cast<native*>(view.data()), view.stride());
}

struct narrow_policy {
  static constexpr int threads = 256;
};

inline __device__ __half narrowed(float value, __half) {
  return __float2half_rn(value);
}
inline __device__ __nv_bfloat16 narrowed(float value, __nv_bfloat16) {
  return __float2bfloat16_rn(value);
}

/// out = x, rounded to the nearest, ties to even. A group of lanes owns a tile of
/// columns of one row, a lane one number; 6 bytes a number.
template <class Stored>
static __global__ void __launch_bounds__(narrow_policy::threads)
    narrow(int lanes, device_rows<const float> x, std::int64_t rows, std::int64_t cols, device_rows<Stored> out) {
  const lane_group group(lanes);
  for (std::int64_t col = blockIdx.y * lanes + group.lane; col < cols; col += gridDim.y * lanes) {
#pragma unroll 1
    for (std::int64_t row = group.number(); row < rows; row += group.count()) {
      *out.at(row, col) = narrowed(*x.at(row, col), Stored{});
    }
  }
}

template <class S>
void launch_narrow(const cuda& exec, matrix_view<const float> x, matrix_view<S> out) {
  if (out.empty()) {
    return;
  }
  constexpr std::size_t threads = narrow_policy::threads;
  const int lanes = lanes_for(out.cols(), 1);
  const auto group = static_cast<std::size_t>(lanes);
  const dim3 grid(grid_for(out.rows(), threads / group), tiles_for(out.cols(), group));
  narrow<<<grid, threads, 0, stream_of(exec)>>>(lanes, x, static_cast<std::int64_t>(out.rows()),
                                                static_cast<std::int64_t>(out.cols()), native_rows(out));
  check_launch("narrow", grid, threads);
}

}  // namespace graphpatcher::kernels

namespace graphpatcher::backend {

template <graph_index I>
void spmm(const cuda& exec, const edge_view<I>& edges, const spmm_scales<float>& scales, std::span<const I> gather,
          matrix_view<const float16> x, matrix_view<float> out, spmm_balance balance) {
  const auto numbers = kernels::native_rows(x);
  kernels::row_sum(exec, kernels::spmm_problem<float, __half, I>(edges, scales, gather, numbers, out), balance);
}

template <graph_index I>
void spmm(const cuda& exec, const edge_view<I>& edges, const spmm_scales<float>& scales, std::span<const I> gather,
          matrix_view<const bfloat16> x, matrix_view<float> out, spmm_balance balance) {
  const auto numbers = kernels::native_rows(x);
  kernels::row_sum(exec, kernels::spmm_problem<float, __nv_bfloat16, I>(edges, scales, gather, numbers, out), balance);
}

void narrow(const cuda& exec, matrix_view<const float> x, matrix_view<float16> out) {
  kernels::launch_narrow(exec, x, out);
}

void narrow(const cuda& exec, matrix_view<const float> x, matrix_view<bfloat16> out) {
  kernels::launch_narrow(exec, x, out);
}

template void spmm(const cuda&, const edge_view<std::int32_t>&, const spmm_scales<float>&,
                   std::span<const std::int32_t>, matrix_view<const float16>, matrix_view<float>, spmm_balance);
template void spmm(const cuda&, const edge_view<std::int32_t>&, const spmm_scales<float>&,
                   std::span<const std::int32_t>, matrix_view<const bfloat16>, matrix_view<float>, spmm_balance);

}  // namespace graphpatcher::backend
