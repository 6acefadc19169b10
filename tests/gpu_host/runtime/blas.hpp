// SPDX-License-Identifier: MIT
#pragma once

#include <cublas_v2.h>

#include "library.hpp"

namespace gpu_host::runtime {

struct blas_handle {
  int device;
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
};

blas_handle& find_blas(cublasHandle_t);  // throws CUBLAS_STATUS_NOT_INITIALIZED

template <class Body>
cublasStatus_t blas_call(const char* name, Body&& body) {
  return library_call<cublasStatus_t>(name, std::forward<Body>(body));
}

}  // namespace gpu_host::runtime
