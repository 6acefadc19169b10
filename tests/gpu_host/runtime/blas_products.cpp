// SPDX-License-Identifier: MIT
//
// cuBLAS: dense products and transposed sums, column-major.
#include <algorithm>

#include "blas.hpp"
#include "device_matrix.hpp"

namespace gpu_host::runtime {
namespace {

bool is_operation(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

bool transposes(cublasOperation_t operation) {
  return operation != CUBLAS_OP_N;  // real numbers: the conjugate transpose is the transpose
}

// A column-major matrix whose op() is rows x cols.
device_matrix operand(const void* data, cublasOperation_t operation, std::int64_t rows, std::int64_t cols,
                      std::int64_t ld, const std::string& name) {
  if (transposes(operation)) {
    std::swap(rows, cols);
  }
  require(ld >= std::max<std::int64_t>(1, rows), CUBLAS_STATUS_INVALID_VALUE);
  return {data, rows, cols, ld, false, name};
}

template <class T>
device_matrix shifted(device_matrix m, long long elements) {
  m.data = static_cast<const T*>(m.data) + elements;
  return m;
}

struct gemm_arguments {
  cublasOperation_t transa, transb;
  int m, n, k;
  const void *alpha, *a;
  int lda;
  long long stride_a;
  const void* b;
  int ldb;
  long long stride_b;
  const void* beta;
  void* c;
  int ldc;
  long long stride_c;
  int batch;
};

template <class T>
void gemm(const std::string& name, cublasHandle_t handle, const gemm_arguments& g) {
  const blas_handle& blas = find_blas(handle);
  check_context(needs::device);
  require(is_operation(g.transa) && is_operation(g.transb), CUBLAS_STATUS_INVALID_VALUE);
  require(g.m >= 0 && g.n >= 0 && g.k >= 0 && g.batch >= 0, CUBLAS_STATUS_INVALID_VALUE);
  require(g.alpha != nullptr && g.beta != nullptr, CUBLAS_STATUS_INVALID_VALUE);
  const device_matrix a = operand(g.a, g.transa, g.m, g.k, g.lda, name + ": A");
  const device_matrix b = operand(g.b, g.transb, g.k, g.n, g.ldb, name + ": B");
  const device_matrix c = operand(g.c, CUBLAS_OP_N, g.m, g.n, g.ldc, name + ": C");
  const bool on_device = blas.pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  const scalar<T> alpha(g.alpha, on_device), beta(g.beta, on_device);
  const auto s = find_stream(blas.stream);
  if (g.m == 0 || g.n == 0 || g.batch == 0) {
    return;
  }
  submit(s, {cudaGraphNodeTypeKernel, [=] {
               const T by = alpha.read(name + ": alpha"), keep = beta.read(name + ": beta");
               for (long long i = 0; i < g.batch; ++i) {
                 const device_matrix target = shifted<T>(c, i * g.stride_c);
                 store<T>(target, product<T>(by, shifted<T>(a, i * g.stride_a), transposes(g.transa),
                                             shifted<T>(b, i * g.stride_b), transposes(g.transb), keep, target));
               }
             }});
}

// C = alpha op(A) + beta op(B)
template <class T>
void geam(const std::string& name, cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
          int n, const T* alpha_from, const T* a_data, int lda, const T* beta_from, const T* b_data, int ldb, T* c_data,
          int ldc) {
  const blas_handle& blas = find_blas(handle);
  check_context(needs::device);
  require(is_operation(transa) && is_operation(transb), CUBLAS_STATUS_INVALID_VALUE);
  require(m >= 0 && n >= 0 && alpha_from != nullptr && beta_from != nullptr, CUBLAS_STATUS_INVALID_VALUE);
  const device_matrix a = operand(a_data, transa, m, n, lda, name + ": A");
  const device_matrix b = operand(b_data, transb, m, n, ldb, name + ": B");
  const device_matrix c = operand(c_data, CUBLAS_OP_N, m, n, ldc, name + ": C");
  // In place is for operands that stay where they are.
  require(c_data != a_data || (!transposes(transa) && lda == ldc), CUBLAS_STATUS_INVALID_VALUE);
  require(c_data != b_data || (!transposes(transb) && ldb == ldc), CUBLAS_STATUS_INVALID_VALUE);
  const bool on_device = blas.pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  const scalar<T> alpha(alpha_from, on_device), beta(beta_from, on_device);
  const auto s = find_stream(blas.stream);
  submit(s, {cudaGraphNodeTypeKernel, [=] {
               dense<T> sum(m, n);
               add_scaled(sum, alpha.read(name + ": alpha"), a, transposes(transa));
               add_scaled(sum, beta.read(name + ": beta"), b, transposes(transb));
               store<T>(c, sum);
             }});
}

bool is_float_arithmetic(cublasComputeType_t type) {
  return type == CUBLAS_COMPUTE_32F || type == CUBLAS_COMPUTE_32F_PEDANTIC || type == CUBLAS_COMPUTE_32F_FAST_TF32 ||
         type == CUBLAS_COMPUTE_32F_FAST_16F || type == CUBLAS_COMPUTE_32F_FAST_16BF;
}

bool is_double_arithmetic(cublasComputeType_t type) {
  return type == CUBLAS_COMPUTE_64F || type == CUBLAS_COMPUTE_64F_PEDANTIC;
}

void gemm_of_types(const std::string& name, cublasHandle_t handle, const gemm_arguments& g, cudaDataType a,
                   cudaDataType b, cudaDataType c, cublasComputeType_t arithmetic) {
  require(a == b && b == c, CUBLAS_STATUS_NOT_SUPPORTED);
  if (a == CUDA_R_32F && is_float_arithmetic(arithmetic)) {
    gemm<float>(name, handle, g);
  } else if (a == CUDA_R_64F && is_double_arithmetic(arithmetic)) {
    gemm<double>(name, handle, g);
  } else {
    throw status_error<cublasStatus_t>{CUBLAS_STATUS_NOT_SUPPORTED};
  }
}

}  // namespace
}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                           const float* beta, float* c, int ldc) {
  return blas_call("cublasSgemm", [&] {
    gemm<float>("cublasSgemm", handle, {transa, transb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1});
  });
}

cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           int k, const double* alpha, const double* a, int lda, const double* b, int ldb,
                           const double* beta, double* c, int ldc) {
  return blas_call("cublasDgemm", [&] {
    gemm<double>("cublasDgemm", handle, {transa, transb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1});
  });
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const float* alpha, const float* a, int lda,
                                         long long stride_a, const float* b, int ldb, long long stride_b,
                                         const float* beta, float* c, int ldc, long long stride_c, int batch) {
  return blas_call("cublasSgemmStridedBatched", [&] {
    gemm<float>("cublasSgemmStridedBatched", handle,
                {transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch});
  });
}

cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const double* alpha, const double* a, int lda,
                                         long long stride_a, const double* b, int ldb, long long stride_b,
                                         const double* beta, double* c, int ldc, long long stride_c, int batch) {
  return blas_call("cublasDgemmStridedBatched", [&] {
    gemm<double>("cublasDgemmStridedBatched", handle,
                 {transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch});
  });
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                            int k, const void* alpha, const void* a, cudaDataType a_type, int lda, const void* b,
                            cudaDataType b_type, int ldb, const void* beta, void* c, cudaDataType c_type, int ldc,
                            cublasComputeType_t arithmetic, cublasGemmAlgo_t) {
  return blas_call("cublasGemmEx", [&] {
    gemm_of_types("cublasGemmEx", handle, {transa, transb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1},
                  a_type, b_type, c_type, arithmetic);
  });
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b, cudaDataType b_type, int ldb,
                                          long long stride_b, const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int batch, cublasComputeType_t arithmetic,
                                          cublasGemmAlgo_t) {
  return blas_call("cublasGemmStridedBatchedEx", [&] {
    gemm_of_types("cublasGemmStridedBatchedEx", handle,
                  {transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch},
                  a_type, b_type, c_type, arithmetic);
  });
}

cublasStatus_t cublasSgeam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           const float* alpha, const float* a, int lda, const float* beta, const float* b, int ldb,
                           float* c, int ldc) {
  return blas_call("cublasSgeam", [&] {
    geam<float>("cublasSgeam", handle, transa, transb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
  });
}

cublasStatus_t cublasDgeam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           const double* alpha, const double* a, int lda, const double* beta, const double* b, int ldb,
                           double* c, int ldc) {
  return blas_call("cublasDgeam", [&] {
    geam<double>("cublasDgeam", handle, transa, transb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);
  });
}
}
