// SPDX-License-Identifier: MIT
// Kernels whose barriers and bounds can be mutated. The line of a mutant is
// marked `line: <name>`.
#define KERNEL extern "C" __global__ void

// out[i] = 2 in[i] for i < n
template <class T>
__device__ void doubled_body(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)  // line: guard
    out[i] = 2 * in[i];
}
KERNEL doubled_ints(const int* in, int* out, int n) {
  doubled_body(in, out, n);
}
KERNEL doubled_floats(const float* in, float* out, int n) {
  doubled_body(in, out, n);
}

// The same, by a return.
KERNEL doubled_or_return(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {  // line: return
    return;
  }
  out[i] = 2 * in[i];
}

// *out = the sum of 256 numbers; one block of 256 threads.
KERNEL block_total(const int* in, int* out) {
  __shared__ int sums[256];
  const unsigned t = threadIdx.x;
  sums[t] = in[t];
  for (unsigned half = 128; half > 0; half /= 2) {  // line: halves
    __syncthreads();                                // line: barrier
    if (t < half)
      sums[t] += sums[t + half];
  }
  if (t == 0)
    *out = sums[0];
}

// Neighbours of a warp swap.
KERNEL swapped(const int* in, int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = in[threadIdx.x];
  __syncwarp();  // line: warp barrier
  out[threadIdx.x] = values[threadIdx.x ^ 1];
}

// out[i] = how many of the first n values are in [low, high] and above the
// limit; two bounds of one statement, and comparisons that are none: of floats,
// and for equality.
KERNEL counted(const int* in, int* out, int n, int low, int high, float limit) {
  int count = 0;
  for (int i = 0; i != n; ++i)
    if (static_cast<float>(in[i]) > limit && in[i] >= low && in[i] <= high)  // line: range
      ++count;
  out[threadIdx.x] = count;
}
