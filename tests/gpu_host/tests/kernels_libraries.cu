// SPDX-License-Identifier: MIT
// Kernels on CUB, cooperative groups and the asynchronous copies of the toolkit.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/atomic>

#define KERNEL extern "C" __global__ void
namespace groups = cooperative_groups;

KERNEL cub_reduce(const float* in, float* out) {
  using reduce = cub::BlockReduce<float, 128>;
  __shared__ typename reduce::TempStorage storage;
  const float sum = reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}
KERNEL cub_scan(const int* in, int* out) {
  using scan = cub::BlockScan<int, 256>;
  __shared__ typename scan::TempStorage storage;
  int result;
  scan(storage).ExclusiveSum(in[threadIdx.x], result);
  out[threadIdx.x] = result;
}
KERNEL cub_sort(unsigned* keys) {
  using sort = cub::BlockRadixSort<unsigned, 128, 4>;
  __shared__ typename sort::TempStorage storage;
  unsigned mine[4];
  for (int j = 0; j < 4; ++j)
    mine[j] = keys[threadIdx.x * 4 + j];
  sort(storage).Sort(mine);
  for (int j = 0; j < 4; ++j)
    keys[threadIdx.x * 4 + j] = mine[j];
}

KERNEL group_tiles(const int* in, int* sums, int* reduced) {
  const auto tile = groups::tiled_partition<16>(groups::this_thread_block());
  int sum = in[threadIdx.x];
  for (int step = tile.size() / 2; step > 0; step /= 2)
    sum += tile.shfl_down(sum, step);
  if (tile.thread_rank() == 0)
    sums[threadIdx.x / 16] = sum;
  reduced[threadIdx.x] = groups::reduce(tile, in[threadIdx.x], groups::greater<int>());
}
KERNEL compact_odd(const int* in, int* out, int* count) {
  if (in[threadIdx.x] % 2 == 0)
    return;
  const auto active = groups::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0)
    base = atomicAdd(count, int(active.size()));
  out[active.shfl(base, 0) + active.thread_rank()] = in[threadIdx.x];
}
KERNEL copy_asynchronously(const float4* in, float4* out) {
  __shared__ float4 buffer[64];
  __pipeline_memcpy_async(&buffer[threadIdx.x], &in[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  groups::this_thread_block().sync();
  out[threadIdx.x] = buffer[63 - threadIdx.x];
}
KERNEL copy_first_half(const float4* in, float4* out) {
  __shared__ float4 buffer[32];
  __pipeline_memcpy_async(&buffer[threadIdx.x], &in[threadIdx.x], sizeof(float4), 8);  // zeros for the last 8 bytes
  __pipeline_commit();
  __pipeline_commit();  // an empty group
  __pipeline_wait_prior(1);
  out[threadIdx.x] = buffer[threadIdx.x];
}
KERNEL release_and_acquire(int* flag, int* data, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (threadIdx.x == 0) {
    *data = 7;
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0)
      __nanosleep(20);
    out[threadIdx.x] = *data;
  }
}
