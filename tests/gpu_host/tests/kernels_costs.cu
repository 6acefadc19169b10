// SPDX-License-Identifier: MIT
// Access patterns whose costs can be counted by hand.
#define KERNEL extern "C" __global__ void

KERNEL copy_floats(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
KERNEL copy_float4s(const float4* in, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
KERNEL copy_strided(const float* in, float* out, int stride) {
  out[threadIdx.x] = in[threadIdx.x * stride];
}
// Eight lanes copy a row of 32 floats (128 bytes), 16 bytes each.
KERNEL gather_rows(const float4* in, const int* rows, float4* out) {
  const int i = threadIdx.x, row = i / 8;
  out[i] = in[rows[row] * 8 + i % 8];
}
KERNEL broadcast(const float* in, float* out) {
  out[threadIdx.x] = in[0];
}
KERNEL shared_stride(int* out, int stride) {
  extern __shared__ int memory[];
  memory[threadIdx.x * stride] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = memory[threadIdx.x * stride];
}
KERNEL shared_vectors(float4* out) {
  __shared__ float4 vectors[32];
  __shared__ float2 pairs[32];
  vectors[threadIdx.x] = {1, 2, 3, 4};
  pairs[threadIdx.x] = {5, 6};
  __syncwarp();
  const float4 v = vectors[31 - threadIdx.x];
  const float2 p = pairs[0];  // a broadcast
  out[threadIdx.x] = {v.x, v.y, p.x, p.y};
}
KERNEL half_warp_loop(const float* in, float* out, int times) {
  float sum = 0;
  if (threadIdx.x % 32 < 16)
    for (int i = 0; i < times; ++i)
      sum = sum * in[i] + 1.f;
  out[threadIdx.x] = sum;
}
// In the first round, odd lanes read a row more than the others. Then all meet.
KERNEL odd_lanes_read_more(const float* in, float* out, bool whole_block) {
  const int lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    const int rows = round == 0 && lane % 2 == 1 ? 2 : 1;
#pragma unroll 1
    for (int row = 0; row < rows; ++row)
      sum = sum * in[(round * 2 + row) * 32 + lane] + 1.f;
    if (whole_block)
      __syncthreads();
    else
      __syncwarp();
  }
  out[threadIdx.x] = sum;
}
KERNEL count_atomics(int* out) {
  atomicAdd(&out[threadIdx.x % 4], 1);
}
KERNEL busy_loop(const float* in, float* out, int times) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < times; ++k)
    sum += in[(i + k * 32) & 0xffff];
  out[i] = sum;
}
