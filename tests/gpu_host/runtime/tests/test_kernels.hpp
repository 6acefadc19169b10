// SPDX-License-Identifier: MIT
//
// Kernels for these tests, behind host functions: what plain C++ sees of a .cu file.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

cudaError_t launch_scale(float* x, int n, cudaStream_t);  // x *= factor(), 2 unless set
cudaError_t launch_add(const float* a, const float* b, float* sum, int n, cudaStream_t);
cudaError_t launch_reverse(float* x, int n, cudaStream_t, size_t shared_bytes = 0);  // in one block, through shared
cudaError_t launch_count(cudaStream_t);                                              // counter += 1
cudaError_t launch_bounded(int threads);                         // a kernel with __launch_bounds__(128)
cudaError_t launch_write_beyond(float* x, int n, cudaStream_t);  // writes x[n]
cudaError_t launch_expect_zero(const int* x, cudaStream_t);      // assert(*x == 0)

const void* reverse_kernel();
const void* bounded_kernel();
cudaError_t set_factor(float);
cudaError_t read_counter(int*);

// Two streams, events, pinned and pageable copies, pool memory, a graph: 3 x + 1 for every x, twice over.
std::vector<float> ordinary_program(const std::vector<float>& x);
