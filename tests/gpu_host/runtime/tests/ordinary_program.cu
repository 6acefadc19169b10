// SPDX-License-Identifier: MIT
//
// CUDA as it is written every day; nothing here knows what it runs on.
#include <stdexcept>

#include "test_kernels.hpp"

namespace {

template <class T>
__global__ void multiply(T* x, T by, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] *= by;
  }
}

template <class T>
__global__ void add_elements(T* x, const T* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] += y[i];
  }
}

void check(cudaError_t code) {
  if (code != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(code));
  }
}

}  // namespace

std::vector<float> ordinary_program(const std::vector<float>& x) {
  const int n = static_cast<int>(x.size());
  const size_t bytes = n * sizeof(float);
  cudaStream_t main_stream, side_stream;
  cudaEvent_t ones_ready;
  check(cudaStreamCreateWithFlags(&main_stream, cudaStreamNonBlocking));
  check(cudaStreamCreateWithFlags(&side_stream, cudaStreamNonBlocking));
  check(cudaEventCreateWithFlags(&ones_ready, cudaEventDisableTiming));
  float *data, *ones, *pinned;
  check(cudaMalloc(&ones, bytes));
  check(cudaMallocHost(&pinned, bytes));
  check(cudaMallocAsync(&data, bytes, main_stream));

  for (int i = 0; i < n; ++i) {
    pinned[i] = 1.f;
  }
  check(cudaMemcpyAsync(ones, pinned, bytes, cudaMemcpyHostToDevice, side_stream));
  check(cudaEventRecord(ones_ready, side_stream));
  check(cudaMemcpyAsync(data, x.data(), bytes, cudaMemcpyHostToDevice, main_stream));
  check(cudaStreamWaitEvent(main_stream, ones_ready, 0));

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  check(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
  multiply<<<2, 32, 0, main_stream>>>(data, 3.f, n);
  check(cudaGetLastError());
  add_elements<<<2, 32, 0, main_stream>>>(data, ones, n);
  check(cudaGetLastError());
  check(cudaStreamEndCapture(main_stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  check(cudaGraphLaunch(executable, main_stream));
  check(cudaGraphLaunch(executable, main_stream));

  std::vector<float> result(n);
  check(cudaMemcpyAsync(result.data(), data, bytes, cudaMemcpyDeviceToHost, main_stream));
  check(cudaFreeAsync(data, main_stream));
  check(cudaStreamSynchronize(main_stream));

  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaFree(ones));
  check(cudaFreeHost(pinned));
  check(cudaEventDestroy(ones_ready));
  check(cudaStreamDestroy(side_stream));
  check(cudaStreamDestroy(main_stream));
  return result;
}
