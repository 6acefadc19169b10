// SPDX-License-Identifier: MIT
#include <cassert>

#include "test_kernels.hpp"

namespace {

__constant__ float factor = 2.f;
__device__ int counter = 0;

__global__ void scale(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] *= factor;
  }
}

__global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    sum[i] = a[i] + b[i];
  }
}

__global__ void reverse(float* x, int n) {
  extern __shared__ float tile[];
  const int i = threadIdx.x;
  tile[i] = x[i];
  __syncthreads();
  x[i] = tile[n - 1 - i];
}

__global__ void count() {
  atomicAdd(&counter, 1);
}

__global__ void __launch_bounds__(128) bounded() {}

__global__ void write_beyond(float* x, int n) {
  x[n] = 1.f;
}

__global__ void expect_zero(const int* x) {
  assert(*x == 0);
}

constexpr int block = 64;

int blocks_for(int n) {
  return (n + block - 1) / block;
}

}  // namespace

cudaError_t launch_scale(float* x, int n, cudaStream_t stream) {
  scale<<<blocks_for(n), block, 0, stream>>>(x, n);
  return cudaGetLastError();
}

cudaError_t launch_add(const float* a, const float* b, float* sum, int n, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks_for(n));
  config.blockDim = dim3(block);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, add, a, b, sum, n);
}

cudaError_t launch_reverse(float* x, int n, cudaStream_t stream, size_t shared_bytes) {
  if (shared_bytes == 0) {
    shared_bytes = n * sizeof(float);
  }
  reverse<<<1, n, shared_bytes, stream>>>(x, n);
  return cudaGetLastError();
}

cudaError_t launch_count(cudaStream_t stream) {
  count<<<1, 1, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t launch_bounded(int threads) {
  bounded<<<1, threads>>>();
  return cudaGetLastError();
}

cudaError_t launch_write_beyond(float* x, int n, cudaStream_t stream) {
  write_beyond<<<1, 1, 0, stream>>>(x, n);
  return cudaGetLastError();
}

cudaError_t launch_expect_zero(const int* x, cudaStream_t stream) {
  expect_zero<<<1, 1, 0, stream>>>(x);
  return cudaGetLastError();
}

const void* reverse_kernel() {
  return reinterpret_cast<const void*>(&reverse);
}

const void* bounded_kernel() {
  return reinterpret_cast<const void*>(&bounded);
}

cudaError_t set_factor(float value) {
  return cudaMemcpyToSymbol(factor, &value, sizeof value);
}

cudaError_t read_counter(int* value) {
  return cudaMemcpyFromSymbol(value, counter, sizeof *value);
}
