// SPDX-License-Identifier: MIT
#include "kernels/runtime/check.hpp"

#include <string>

#include "kernels/runtime/library_check.hpp"

namespace graphpatcher {
namespace {

const char* remedy(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      return "install a driver that supports CUDA 13, check that nvidia-smi lists a GPU, or use graphpatcher::cpu";
    case cudaErrorNoKernelImageForDevice:
      return "the library holds no code for this GPU: configure with CMAKE_CUDA_ARCHITECTURES set to its compute "
             "capability, such as 86";
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
      return "an earlier kernel failed and the device is lost to this process: run the program under "
             "compute-sanitizer to find the kernel, and start it again";
    case cudaErrorInvalidResourceHandle:
      return "the executor belongs to another device than this thread's current one: call cudaSetDevice first";
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
      return "work that is being captured can't be waited for: read results back after captured_work::run";
    default:
      return "";
  }
}

std::string sentence(const std::string& what, const std::string& name, const std::string& description,
                     const std::string& advice) {
  return what + ": " + name + " (" + description + ")" + (advice.empty() ? "" : "; " + advice);
}

std::string shape(dim3 extent) {
  return text(extent.x, " x ", extent.y, " x ", extent.z);
}

[[noreturn]] void throw_error(cudaError_t status, const std::string& what) {
  discard(status);  // it is reported now
  const std::string message = sentence(what, cudaGetErrorName(status), cudaGetErrorString(status), remedy(status));
  if (status == cudaErrorMemoryAllocation) {
    throw out_of_memory_error(message);
  }
  throw cuda_error(message);
}

}  // namespace

void throw_cuda_error(cudaError_t status, const char* call) {
  throw_error(status, call);
}

void check_launch(const char* kernel, dim3 grid, dim3 block) {
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) [[unlikely]] {
    throw_error(status, text("launch of kernel ", kernel, ", grid ", shape(grid), ", block ", shape(block)));
  }
}

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) {
    return;
  }
  const auto message = [&](const char* advice) {
    return sentence(call, cublasGetStatusName(status), cublasGetStatusString(status), advice);
  };
  switch (status) {
    case CUBLAS_STATUS_ALLOC_FAILED:
      throw out_of_memory_error(message("use smaller batches, or free memory on the device"));
    case CUBLAS_STATUS_NOT_INITIALIZED:
      throw cuda_error(message("cuBLAS could not start: check with nvidia-smi that the GPU works and has memory left"));
    case CUBLAS_STATUS_ARCH_MISMATCH:
      throw cuda_error(message("the installed cuBLAS does not support this GPU: install the one of CUDA 13"));
    default:
      throw cuda_error(message(""));
  }
}

void check(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) {
    return;
  }
  const auto message = [&](const char* advice) {
    return sentence(call, cusparseGetErrorName(status), cusparseGetErrorString(status), advice);
  };
  switch (status) {
    case CUSPARSE_STATUS_ALLOC_FAILED:
    case CUSPARSE_STATUS_INSUFFICIENT_RESOURCES:
      throw out_of_memory_error(message("use smaller batches, or free memory on the device"));
    case CUSPARSE_STATUS_NOT_INITIALIZED:
      throw cuda_error(
          message("cuSPARSE could not start: check with nvidia-smi that the GPU works and has memory left"));
    default:
      throw cuda_error(message(""));
  }
}

}  // namespace graphpatcher
