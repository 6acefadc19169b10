// SPDX-License-Identifier: MIT
// Kernels whose results hang on the exact meaning of single instructions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#define KERNEL extern "C" __global__ void

KERNEL half_and_bfloat(const __half* a, const __nv_bfloat16* b, float* sum, __half* half, __nv_bfloat16* bfloat,
                       int n) {
  const int i = threadIdx.x;
  if (i < n) {
    sum[i] = __half2float(a[i]) + __bfloat162float(b[i]);
    half[i] = __float2half(sum[i]);
    bfloat[i] = __float2bfloat16(sum[i]);
  }
}
KERNEL half_pairs(const __half2* a, const __half2* b, __half2* fused, __half2* larger, const __nv_bfloat162* c,
                  __nv_bfloat162* squared, float2* floats) {
  const int i = threadIdx.x;
  fused[i] = __hfma2(a[i], b[i], a[i]);
  larger[i] = __hmax2(a[i], b[i]);
  squared[i] = __hmul2(c[i], c[i]);
  floats[i] = __half22float2(__floats2half2_rn(floats[i].x, floats[i].y));
}
KERNEL functions(const float* x, float* out, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    float* row = out + 10 * i;
    row[0] = expf(x[i]);
    row[1] = logf(x[i]);
    row[2] = tanhf(x[i]);
    row[3] = sinf(x[i]);
    row[4] = powf(x[i], 1.5f);
    row[5] = erff(x[i]);
    row[6] = rsqrtf(x[i]);
    row[7] = sqrtf(x[i]);
    row[8] = x[i] / 3.f;
    row[9] = __expf(x[i]);
  }
}
KERNEL doubles(const double* x, double* out, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    double* row = out + 5 * i;
    row[0] = exp(x[i]);
    row[1] = log(x[i]);
    row[2] = sqrt(x[i]);
    row[3] = x[i] / 3;
    row[4] = __dadd_rz(x[i], 1e-30);
  }
}
KERNEL bit_tricks(const unsigned* in, unsigned* out, int n) {
  const int i = threadIdx.x;
  if (i >= n)
    return;
  const unsigned x = in[i];
  unsigned* row = out + 12 * i;
  row[0] = __popc(x);
  row[1] = __clz(x);
  row[2] = __ffs(x);
  row[3] = __brev(x);
  row[4] = __byte_perm(x, 0x01020304u, 0x7162);
  row[5] = __funnelshift_l(x, ~x, 7);
  row[6] = __umulhi(x, 0x9e3779b9u);
  row[7] = __usad(x, 1000u, 3u);
  row[8] = __umul24(x, 77u);
  row[9] = __dp4a(int(x), 0x01ff02fe, 5);
  row[10] = (x & ~0xff00u) ^ (x >> 3 | 1u);
  row[11] = unsigned(__mul64hi((long long)x << 30, 0x123456789ll));
}
KERNEL conversions(const float* in, int* to_int, unsigned char* to_byte, float* rounded, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    to_int[5 * i] = int(in[i]);
    to_int[5 * i + 1] = __float2int_rn(in[i]);
    to_int[5 * i + 2] = __float2int_rd(in[i]);
    to_int[5 * i + 3] = __float2int_ru(in[i]);
    to_int[5 * i + 4] = int(__float2uint_rz(in[i]));
    to_byte[i] = (unsigned char)int(in[i]);
    rounded[3 * i] = __saturatef(in[i]);
    rounded[3 * i + 1] = rintf(in[i]);
    rounded[3 * i + 2] = __int2float_rz(0x7fffffff - i);
  }
}
__device__ int pick(int kind, int a) {
  switch (kind) {
    case 0:
      return a + 17;
    case 1:
      return a * a;
    case 2:
      return -a;
    case 3:
      return a % 5;
    case 4:
      return a << 3;
    case 5:
      return a ^ 0x55;
    case 6:
      return a / 3;
    default:
      return 0;
  }
}
KERNEL switches(const int* in, int* out) {
  out[threadIdx.x] = pick(in[threadIdx.x] % 9, in[threadIdx.x]);
}

// Ten rounds of Philox 4x32, the counter-based generator.
KERNEL philox(unsigned key0, unsigned key1, uint4* out) {
  uint4 c = {threadIdx.x, 0, 0, 0};
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
    const unsigned high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
    c = {high1 ^ c.y ^ key0, low1, high0 ^ c.w ^ key1, low0};
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
  out[threadIdx.x] = c;
}
