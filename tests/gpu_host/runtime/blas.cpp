// SPDX-License-Identifier: MIT
//
// cuBLAS: handles, their settings, status names.
#include "blas.hpp"

#include "../engine.hpp"

namespace gpu_host::runtime {

template <>
cublasStatus_t status_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return CUBLAS_STATUS_SUCCESS;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      return CUBLAS_STATUS_NOT_INITIALIZED;
    case cudaErrorMemoryAllocation:
      return CUBLAS_STATUS_ALLOC_FAILED;
    case cudaErrorInvalidValue:
      return CUBLAS_STATUS_INVALID_VALUE;
    default:
      return CUBLAS_STATUS_EXECUTION_FAILED;
  }
}

blas_handle& find_blas(cublasHandle_t handle) {
  require(is_library_object(handle), CUBLAS_STATUS_NOT_INITIALIZED);
  return *reinterpret_cast<blas_handle*>(handle);
}

}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  return blas_call("cublasCreate", [&] {
    require(handle != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    check_context(needs::device);
    forbid_unsafe_call();
    *handle = reinterpret_cast<cublasHandle_t>(make_library_object<blas_handle>(current_device()));
  });
}

// Frees the library's workspace, and so waits for the device.
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  return blas_call("cublasDestroy", [&] {
    blas_handle& blas = find_blas(handle);
    destroy_library_object(&blas);
    check_context(needs::device);
    forbid_unsafe_call();
    wait_for_everything();
  });
}

cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
  return blas_call("cublasGetVersion", [&] {
    require(version != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    *version = CUBLAS_VERSION;
  });
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return blas_call("cublasSetStream", [&] {
    look_up_stream(stream);
    find_blas(handle).stream = stream;
  });
}

cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return blas_call("cublasGetStream", [&] {
    require(stream != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    *stream = find_blas(handle).stream;
  });
}

// The products here need none; what the library would use must be there.
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, size_t bytes) {
  return blas_call("cublasSetWorkspace", [&] {
    find_blas(handle);
    const bool aligned = reinterpret_cast<std::uintptr_t>(workspace) % 256 == 0;
    require(bytes == 0 || (aligned && gpu_host::device_heap::owns(workspace, bytes)), CUBLAS_STATUS_INVALID_VALUE);
  });
}

cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  return blas_call("cublasSetPointerMode", [&] { find_blas(handle).pointer_mode = mode; });
}

cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return blas_call("cublasGetPointerMode", [&] {
    require(mode != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    *mode = find_blas(handle).pointer_mode;
  });
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return blas_call("cublasSetMathMode", [&] { find_blas(handle).math_mode = mode; });
}

cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return blas_call("cublasGetMathMode", [&] {
    require(mode != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    *mode = find_blas(handle).math_mode;
  });
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  return blas_call("cublasSetAtomicsMode", [&] { find_blas(handle).atomics_mode = mode; });
}

cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  return blas_call("cublasGetAtomicsMode", [&] {
    require(mode != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    *mode = find_blas(handle).atomics_mode;
  });
}

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define GP_STATUS(code) \
  case code:            \
    return #code
    GP_STATUS(CUBLAS_STATUS_SUCCESS);
    GP_STATUS(CUBLAS_STATUS_NOT_INITIALIZED);
    GP_STATUS(CUBLAS_STATUS_ALLOC_FAILED);
    GP_STATUS(CUBLAS_STATUS_INVALID_VALUE);
    GP_STATUS(CUBLAS_STATUS_ARCH_MISMATCH);
    GP_STATUS(CUBLAS_STATUS_MAPPING_ERROR);
    GP_STATUS(CUBLAS_STATUS_EXECUTION_FAILED);
    GP_STATUS(CUBLAS_STATUS_INTERNAL_ERROR);
    GP_STATUS(CUBLAS_STATUS_NOT_SUPPORTED);
    GP_STATUS(CUBLAS_STATUS_LICENSE_ERROR);
#undef GP_STATUS
  }
  return "unrecognized status";
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed to the function";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "the function requires an architectural feature absent from the device";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "an access to GPU memory space failed";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the function failed to launch on the GPU";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "an internal operation failed";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the requested functionality is not supported";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "the license check failed";
  }
  return "unrecognized status";
}
}
