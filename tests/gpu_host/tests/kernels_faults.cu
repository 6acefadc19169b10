// SPDX-License-Identifier: MIT
// Pairs of a kernel with a mistake and the same kernel without. The line that the report has to name is marked
// `line: <kernel>`; where two lines take part in a race and either may come last, both are marked.
#define KERNEL extern "C" __global__ void

template <bool right>
__device__ void missing_barrier_body(const float* in, float* out) {
  __shared__ float scratch[256];
  const int t = threadIdx.x;
  scratch[t] = in[t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half)
      scratch[t] += scratch[t + half];  // line: missing_barrier
    if (right)
      __syncthreads();
  }
  if (t == 0)
    *out = scratch[0];
}
KERNEL missing_barrier(const float* in, float* out) {
  missing_barrier_body<false>(in, out);
}
KERNEL missing_barrier_right(const float* in, float* out) {
  missing_barrier_body<true>(in, out);
}

template <bool right>
__device__ void missing_syncwarp_body(const int* in, int* out) {
  __shared__ int scratch[32];
  const int t = threadIdx.x;
  scratch[t] = in[t];  // line: missing_syncwarp
  if (right)
    __syncwarp();
  out[t] = scratch[t ^ 1];  // line: missing_syncwarp
}
KERNEL missing_syncwarp(const int* in, int* out) {
  missing_syncwarp_body<false>(in, out);
}
KERNEL missing_syncwarp_right(const int* in, int* out) {
  missing_syncwarp_body<true>(in, out);
}

// A shuffle between write and read exchanges registers but doesn't order memory.
KERNEL shuffle_is_no_syncwarp(const int* in, int* out) {
  __shared__ int scratch[32];
  const int t = threadIdx.x;
  scratch[t] = in[t];
  const int other = __shfl_xor_sync(~0u, t, 1);
  out[t] = scratch[other];  // line: shuffle_is_no_syncwarp
}

// __syncwarp of half the warp orders that half only.
template <bool right>
__device__ void half_warp_body(const int* in, int* out) {
  __shared__ int scratch[32];
  const int t = threadIdx.x;
  scratch[t] = in[t];  // line: half_warp
  __syncwarp(t < 16 ? 0xffffu : 0xffff0000u);
  out[t] = scratch[right ? t ^ 15 : t ^ 16];  // line: half_warp
}
KERNEL half_warp(const int* in, int* out) {
  half_warp_body<false>(in, out);
}
KERNEL half_warp_right(const int* in, int* out) {
  half_warp_body<true>(in, out);
}

template <bool right>
__device__ void write_after_read_body(const float* in, float* out) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int step = 0; step < 3; ++step) {
    tile[t] = in[t] + step;  // line: write_after_read
    __syncthreads();
    sum += tile[63 - t];  // line: write_after_read
    if (right)
      __syncthreads();
  }
  out[t] = sum;
}
KERNEL write_after_read(const float* in, float* out) {
  write_after_read_body<false>(in, out);
}
KERNEL write_after_read_right(const float* in, float* out) {
  write_after_read_body<true>(in, out);
}

// Reads that surely come first and are overwritten nevertheless: shuffles and flags without a fence decide who runs
// when, but they don't order memory. The last reader is another lane; the writer itself; the writer, after another
// warp.
KERNEL overwritten_by_lane(int* cell, int* out) {
  const int value = threadIdx.x == 1 ? cell[0] : 0;
  out[threadIdx.x] = __shfl_xor_sync(~0u, value, 1);
  if (threadIdx.x == 0)
    cell[0] = 1;  // line: overwritten_by_lane
}
KERNEL overwritten_by_reader(int* cell, int* out) {
  int value = threadIdx.x == 0 ? 0 : cell[0];
  value = __shfl_xor_sync(~0u, value, 1);
  if (threadIdx.x == 0)
    cell[0] += 1;  // line: overwritten_by_reader
  out[threadIdx.x] = value;
}
KERNEL overwritten_by_warp(int* cell, volatile int* flag, int* out) {
  if (threadIdx.x == 32) {
    out[0] = cell[0];
    *flag = 1;
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    cell[0] += 1;  // line: overwritten_by_warp
  }
}

KERNEL missing_atomic(const int* keys, float* out) {
  out[keys[blockIdx.x * blockDim.x + threadIdx.x]] += 1.f;  // line: missing_atomic
}
KERNEL missing_atomic_right(const int* keys, float* out) {
  atomicAdd(&out[keys[blockIdx.x * blockDim.x + threadIdx.x]], 1.f);
}
// Blocks that write into each other's results.
KERNEL overlapping_blocks(int* out, int stride) {
  out[blockIdx.x * stride + threadIdx.x] = 1;  // line: overlapping_blocks
}
// Reading what other blocks have written needs a fence and an atomic ticket.
__device__ unsigned ticket;
template <bool right>
__device__ void missing_fence_body(int* partial, int* total) {
  partial[blockIdx.x] = blockIdx.x + 1;
  if (right)
    __threadfence();
  if (atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
      sum += partial[b];  // line: missing_fence
    *total = sum;
  }
}
KERNEL missing_fence(int* partial, int* total) {
  missing_fence_body<false>(partial, total);
}
KERNEL missing_fence_right(int* partial, int* total) {
  missing_fence_body<true>(partial, total);
}

KERNEL static_overflow(int* out, int shift) {
  __shared__ int small[64];
  __shared__ int neighbour[64];
  neighbour[threadIdx.x] = 0;
  small[threadIdx.x + shift] = threadIdx.x;  // line: static_overflow
  __syncthreads();
  out[threadIdx.x] = small[63 - threadIdx.x] + neighbour[threadIdx.x];
}
KERNEL dynamic_overflow(int* out) {
  extern __shared__ int dynamic_memory[];
  dynamic_memory[threadIdx.x] = threadIdx.x;  // line: dynamic_overflow
  __syncthreads();
  out[threadIdx.x] = dynamic_memory[blockDim.x - 1 - threadIdx.x];
}
KERNEL global_overflow(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)            // one too many
    out[i] = in[i % n];  // line: global_overflow
}
KERNEL null_pointer(int* out) {
  *out = 1;  // line: null_pointer
}
KERNEL copy_elements(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // line: copy_elements
}
template <bool right>
__device__ void uninitialised_shared_body(int* out) {
  __shared__ int values[33];
  values[threadIdx.x] = threadIdx.x;
  if (right && threadIdx.x == 0)
    values[32] = 32;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x + 1];  // line: uninitialised_shared
}
KERNEL uninitialised_shared(int* out) {
  uninitialised_shared_body<false>(out);
}
KERNEL uninitialised_shared_right(int* out) {
  uninitialised_shared_body<true>(out);
}
KERNEL read_bytes(const unsigned char* in, unsigned char* out) {
  out[threadIdx.x] = in[threadIdx.x];  // line: read_bytes
}

KERNEL branch_barrier(int* out) {
  if (threadIdx.x < 16)
    __syncthreads();  // line: branch_barrier
  out[threadIdx.x] = 1;
}
KERNEL two_barriers(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = 1;
    __syncthreads();  // line: two_barriers
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();  // line: two_barriers
  }
}
KERNEL mask_without_caller(int* out) {
  out[threadIdx.x] = __shfl_sync(0x0000ffffu, int(threadIdx.x), 0);  // line: mask_without_caller
}
KERNEL masks_disagree(int* out) {
  const unsigned mask = threadIdx.x < 16 ? 0xffffffffu : 0xffff8000u;
  out[threadIdx.x] = __shfl_sync(mask, int(threadIdx.x), 20);  // line: masks_disagree
}
KERNEL absent_lanes(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16)
    value = __shfl_down_sync(0xffffffffu, value, 1);  // line: absent_lanes
  __syncthreads();
  out[threadIdx.x] = value;
}
KERNEL absent_lanes_right(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16)
    value = __shfl_down_sync(0x0000ffffu, value, 1, 16);
  __syncthreads();
  out[threadIdx.x] = value;
}
KERNEL different_operations(int* out) {
  int value = 0;
  if (threadIdx.x < 16)
    value = __any_sync(0xffffffffu, threadIdx.x > 3);  // line: different_operations
  else
    value = __popc(__ballot_sync(0xffffffffu, threadIdx.x > 3));  // line: different_operations
  out[threadIdx.x] = value;
}
KERNEL misaligned_vector(const float* in, float* out, int shift) {
  const float2 pair = *reinterpret_cast<const float2*>(in + shift + 2 * threadIdx.x);  // line: misaligned_vector
  out[threadIdx.x] = pair.x + pair.y;
}
KERNEL misaligned_shared(float* out) {
  __shared__ float values[64];
  values[threadIdx.x] = 1.f, values[threadIdx.x + 32] = 2.f;
  __syncthreads();
  if (threadIdx.x < 16) {
    const float4 four = *reinterpret_cast<float4*>(values + 4 * threadIdx.x);  // line: misaligned_shared
    out[threadIdx.x] = four.x + four.y + four.z + four.w;
  }
}
KERNEL wait_for_ever(volatile int* flag, int* out) {
  while (*flag == 0) {  // line: wait_for_ever
  }
  *out = 1;
}
KERNEL traps(int* out) {
  if (threadIdx.x == 5)
    __trap();  // line: traps
  out[threadIdx.x] = 0;
}
KERNEL __launch_bounds__(128) at_most_128(int* out) {
  out[threadIdx.x] = 1;
}
