// SPDX-License-Identifier: MIT
// Natural kernels without a fault: arithmetic, memory and cooperation inside warps and blocks.
#include <cassert>
#include <cstdint>
#include <cstdio>

#define KERNEL extern "C" __global__ void

KERNEL add_vectors(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sum[i] = a[i] + b[i];
}

template <class T>
__device__ void reduce_block(T* scratch, const T* in, T* out, int n) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  scratch[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half)
      scratch[t] += scratch[t + half];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = scratch[0];
}
KERNEL reduce_static(const int* in, int* out, int n) {
  __shared__ int scratch[256];
  reduce_block(scratch, in, out, n);
}
KERNEL reduce_dynamic(const float* in, float* out, int n) {
  extern __shared__ float dynamic_scratch[];
  reduce_block(dynamic_scratch, in, out, n);
}

KERNEL warp_votes(const int* in, int* sums, unsigned* ballots, int* flags) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
  int sum = value;
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(~0u, sum, step);
  const unsigned odd = __ballot_sync(~0u, value & 1);
  const int any = __any_sync(~0u, value > 90), all = __all_sync(~0u, value < 100);
  if (threadIdx.x % 32 == 0) {
    sums[i / 32] = sum;
    ballots[i / 32] = odd;
    flags[i / 32] = any * 2 + all;
  }
}
KERNEL warp_matches(const int* in, unsigned* same, int* total, int* lowest, int* rotated, int* scanned) {
  const int i = threadIdx.x, value = in[i];
  same[i] = __match_any_sync(~0u, value);
  total[i] = __reduce_add_sync(~0u, value);
  lowest[i] = __reduce_min_sync(~0u, value);
  rotated[i] = __shfl_sync(~0u, value, (i + 1) % 8, 8);  // groups of eight
  int sum = value;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(~0u, sum, step);
    sum += i % 32 >= step ? other : 0;
  }
  scanned[i] = sum + 0 * __shfl_xor_sync(~0u, sum, 1);
}

KERNEL histogram(const int* keys, float* weights_by_key, int* counts, int n) {
  __shared__ int local_counts[16];
  if (threadIdx.x < 16)
    local_counts[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&weights_by_key[keys[i]], 0.5f);
    atomicAdd(&local_counts[keys[i]], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&counts[threadIdx.x], local_counts[threadIdx.x]);
}
KERNEL atomics(const int* in, unsigned long long* wide, double* sum, int* extremes, unsigned* wrapped, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicAdd(wide, 1ull << 33);
  atomicAdd(sum, in[i] * 0.25);
  atomicMin(extremes, in[i]);
  atomicMax(extremes + 1, in[i]);
  atomicXor(extremes + 2, in[i]);
  atomicInc(wrapped, 9);
  atomicExch(extremes + 3, 5);
}

// Y = A X for CSR A, a warp per row; lanes load 32 entries together and pass them round.
template <int width>
__device__ void multiply_rows(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                              int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float sums[width / 32] = {};
  for (int first = offsets[row]; first < offsets[row + 1]; first += 32) {
    const int count = min(32, offsets[row + 1] - first);
    const int column = lane < count ? columns[first + lane] : 0;
    const float value = lane < count ? values[first + lane] : 0.f;
    for (int k = 0; k < count; ++k) {
      const int c = __shfl_sync(~0u, column, k);
      const float v = __shfl_sync(~0u, value, k);
      for (int j = 0; j < width / 32; ++j)
        sums[j] = fmaf(v, x[c * width + j * 32 + lane], sums[j]);
    }
  }
  for (int j = 0; j < width / 32; ++j)
    y[row * width + j * 32 + lane] = sums[j];
}
KERNEL __launch_bounds__(256)
    multiply_sparse(const int* offsets, const int* columns, const float* values, const float* x, float* y, int rows) {
  multiply_rows<64>(offsets, columns, values, x, y, rows);
}

struct transform {
  const int* in;
  int* out;
  int n;
  float factor;
  int table[6];
};
KERNEL struct_parameter(transform t, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < t.n)
    t.out[i] = int(t.in[i] * t.factor) + t.table[(i + shift) % 6];
}

__constant__ int fibonacci[8] = {1, 2, 3, 5, 8, 13, 21, 34};
__device__ float table[4] = {0.5f, -1.f, 2.f, 4.f};
__device__ float* second_entry = &table[1];
__device__ short shorts[3] = {7, -8, 9};
__device__ unsigned launches;
KERNEL variables(float* out) {
  const int i = threadIdx.x;
  out[i] = float(fibonacci[i % 8]) + table[i % 4] * 100.f + *second_entry * 1000.f + shorts[i % 3];
  if (i == 0)
    ++launches;
}

KERNEL local_array(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int window[16];
  for (int j = 0; j < 16; ++j)
    window[j] = in[(i + j) % n];
  int sum = 0;
  for (int j = 0; j < 8; ++j) {
    sum = sum * 3 + window[(in[i % n] + j) & 15];
    window[sum & 15] += j;
  }
  out[i] = sum;
}

struct point {
  float x;
  double y;
};
__device__ __noinline__ point make_point(float x) {
  return {x, x * 2.0};
}
__device__ __noinline__ float through_shared(const point& p, float value, int* calls) {
  __shared__ float mirror[32];
  mirror[threadIdx.x] = value;
  __syncthreads();
  atomicAdd(calls, 1);
  return mirror[31 - threadIdx.x] * p.x + float(p.y);
}
KERNEL calls(float* out, int* calls, float x) {
  const point p = make_point(x);
  out[threadIdx.x] = through_shared(p, threadIdx.x, calls);
}

KERNEL checked_division(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  assert(in[i] >= 0);  // line: checked_division
  out[i] = in[i] / 7 + in[i] % 13;
}

// The last block to finish adds up what the others have left behind.
__device__ unsigned blocks_done;
KERNEL last_block_sums(const int* in, int* partial, int* total, int n) {
  __shared__ bool is_last;
  __shared__ int scratch[128];
  reduce_block(scratch, in, partial, n);
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
      sum += partial[b];
    *total = sum;
  }
}

// A flag passed from one warp to another inside a block.
KERNEL wait_for_flag(volatile int* flag, int* data, int* out) {
  if (threadIdx.x == 32) {
    *data = 41;
    __threadfence();
    *flag = 1;
  } else if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    __threadfence();
    *out = *data + 1;
  }
}

KERNEL block_votes(const int* in, int* out) {
  const int t = threadIdx.x, positive = in[t] > 0;
  const int count = __syncthreads_count(positive), all = __syncthreads_and(positive), any = __syncthreads_or(positive);
  out[t] = count * 4 + all * 2 + any;
}
KERNEL grid_of_three_dimensions(int* out) {
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}
KERNEL print_thread(int number) {
  printf("%s %d of %.2f%%\n", "thread", threadIdx.x + number, 12.5);
}
