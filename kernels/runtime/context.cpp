// SPDX-License-Identifier: MIT
#include "kernels/runtime/context.hpp"

#include <cublasLt.h>

#include "kernels/runtime/check.hpp"
#include "kernels/runtime/device_info.hpp"
#include "kernels/runtime/library_check.hpp"

namespace graphpatcher {
namespace {

int current_device() {
  if (const std::string reason = why_unavailable(); !reason.empty()) {
    throw backend_error("the CUDA backend can't be used: " + reason);
  }
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

cudaStream_t checked_stream(cudaStream_t stream, int device) {
  int owner = 0;
  check(cudaStreamGetDevice(stream, &owner), "cudaStreamGetDevice");
  expects(owner == device, "cuda executor: expected a stream of the current device ", device, ", got one of device ",
          owner, "; call cudaSetDevice(", owner, ") first");
  return stream;
}

}  // namespace

cuda_context::cuda_context(cudaStream_t callers_stream)
    : device_(current_device()),
      compute_capability_(10 * attribute(cudaDevAttrComputeCapabilityMajor, device_) +
                          attribute(cudaDevAttrComputeCapabilityMinor, device_)),
      multiprocessors_(attribute(cudaDevAttrMultiProcessorCount, device_)),
      own_stream_(callers_stream == nullptr ? new_stream() : nullptr),
      stream_(own_stream_ ? own_stream_.get() : checked_stream(callers_stream, device_)),
      memory_(device_, stream_) {}

cuda_context::~cuda_context() {
  discard(cudaStreamSynchronize(stream_));  // what still runs uses what is about to go
  memory_.release(blas_workspace_, blas_workspace_bytes());
}

bool cuda_context::capturing() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream_, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

cublasHandle_t cuda_context::blas() {
  if (!blas_) {
    const device_scope current(device_);
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "cublasCreate");
    decltype(blas_) owned(handle);
    check(cublasSetStream(handle, stream_), "cublasSetStream");
    check(cublasSetWorkspace(handle, blas_workspace(), blas_workspace_bytes()), "cublasSetWorkspace");
    check(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
    blas_ = std::move(owned);
  }
  return blas_.get();
}

cublasLtHandle_t cuda_context::blas_lt() {
  if (!blas_lt_) {
    const device_scope current(device_);
    cublasLtHandle_t handle = nullptr;
    check(cublasLtCreate(&handle), "cublasLtCreate");
    blas_lt_.reset(handle);
  }
  return blas_lt_.get();
}

cusparseHandle_t cuda_context::sparse() {
  if (!sparse_) {
    const device_scope current(device_);
    cusparseHandle_t handle = nullptr;
    check(cusparseCreate(&handle), "cusparseCreate");
    decltype(sparse_) owned(handle);
    check(cusparseSetStream(handle, stream_), "cusparseSetStream");
    sparse_ = std::move(owned);
  }
  return sparse_.get();
}

void* cuda_context::blas_workspace() {
  if (blas_workspace_ == nullptr) {
    blas_workspace_ = memory_.allocate(blas_workspace_bytes());
  }
  return blas_workspace_;
}

// What NVIDIA recommends: 32 MiB from Hopper on, 4 MiB before.
std::size_t cuda_context::blas_workspace_bytes() const noexcept {
  return std::size_t{compute_capability_ >= 90 ? 32u : 4u} << 20;
}

void cuda_context::blas_deleter::operator()(cublasHandle_t handle) const noexcept {
  cublasDestroy(handle);
}
void cuda_context::blas_lt_deleter::operator()(cublasLtHandle_t handle) const noexcept {
  cublasLtDestroy(handle);
}
void cuda_context::sparse_deleter::operator()(cusparseHandle_t handle) const noexcept {
  cusparseDestroy(handle);
}

}  // namespace graphpatcher
