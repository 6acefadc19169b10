// SPDX-License-Identifier: MIT
//
// cuBLASLt, with the matrices of blas_test.cpp.
#include <cublasLt.h>

#include "support.hpp"

#define GP_BLAS(call) REQUIRE((call) == CUBLAS_STATUS_SUCCESS)

namespace {

struct layout {
  layout(std::uint64_t rows, std::uint64_t cols, bool row_major, cudaDataType type = CUDA_R_32F) {
    const std::int32_t order = row_major ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    GP_BLAS(cublasLtMatrixLayoutCreate(&handle, type, rows, cols, row_major ? cols : rows));
    GP_BLAS(cublasLtMatrixLayoutSetAttribute(handle, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
  }
  layout(const layout&) = delete;
  layout& operator=(const layout&) = delete;
  ~layout() { cublasLtMatrixLayoutDestroy(handle); }
  cublasLtMatrixLayout_t handle = nullptr;
};

struct lt_device : lazy_device {
  lt_device() {
    GP_BLAS(cublasLtCreate(&handle));
    GP_BLAS(cublasLtMatmulDescCreate(&how, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    GP_BLAS(cublasLtMatmulPreferenceCreate(&preference));
  }
  ~lt_device() {
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(how);
    cublasLtDestroy(handle);
  }
  template <class T>
  cublasStatus_t set(cublasLtMatmulDescAttributes_t name, T value) const {
    return cublasLtMatmulDescSetAttribute(how, name, &value, sizeof value);
  }
  test_stream stream;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t how = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
};

}  // namespace

TEST_CASE("matmul in both orders", "[runtime]") {
  const lt_device lt;
  const float one = 1, zero = 0;
  const device_array<float> rows_a(floats{1, 2, 3, 4, 5, 6}), columns_b(floats{1, 3, 1, 0, 3, 1}), d(4);
  const layout a(2, 3, true), b(3, 2, false);
  for (const bool row_major : {false, true}) {
    const layout result(2, 2, row_major);
    GP_BLAS(cublasLtMatmul(lt.handle, lt.how, &one, rows_a.data(), a.handle, columns_b.data(), b.handle, &zero,
                           d.data(), result.handle, d.data(), result.handle, nullptr, nullptr, 0, lt.stream));
    GP_OK(cudaStreamSynchronize(lt.stream));
    REQUIRE(d.read() == (row_major ? floats{10, 9, 25, 21} : floats{10, 25, 9, 21}));
  }
}

TEST_CASE("matmul with transposed operands, bias and ReLU", "[runtime]") {
  const lt_device lt;
  const float one = 1, minus_one = -1, zero = 0;
  // Column-major A' (3 x 2) and B' (2 x 3); the bias has one value for each row of D.
  const device_array<float> a_data(floats{1, 2, 3, 4, 5, 6}), b_data(floats{1, 0, 3, 3, 1, 1}), c(floats{0, 0, 0, 50}),
      d(4), bias(floats{-9, -30});
  const layout a(3, 2, false), b(2, 3, false), result(2, 2, false);
  GP_BLAS(lt.set<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T));
  GP_BLAS(lt.set<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_T));
  const auto multiply = [&](const float& beta) {
    GP_BLAS(cublasLtMatmul(lt.handle, lt.how, &one, a_data.data(), a.handle, b_data.data(), b.handle, &beta, c.data(),
                           result.handle, d.data(), result.handle, nullptr, nullptr, 0, lt.stream));
    GP_OK(cudaStreamSynchronize(lt.stream));
    return d.read();
  };
  REQUIRE(multiply(minus_one) == floats{10, 25, 9, -29});
  GP_BLAS(lt.set<std::uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS));
  GP_BLAS(lt.set<const void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.data()));
  REQUIRE(multiply(zero) == floats{1, -5, 0, -9});
  GP_BLAS(lt.set<std::uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_RELU_BIAS));
  REQUIRE(multiply(zero) == floats{1, 0, 0, 0});
  REQUIRE(c.read() == floats{0, 0, 0, 50});
}

TEST_CASE("the heuristic offers one algorithm, within the workspace it was allowed", "[runtime]") {
  const lt_device lt;
  const layout a(2, 3, false), b(3, 2, false), result(2, 2, false);
  cublasLtMatmulHeuristicResult_t choice[2];
  int found = -1;
  const auto ask = [&](cublasLtMatrixLayout_t of_b) {
    return cublasLtMatmulAlgoGetHeuristic(lt.handle, lt.how, a.handle, of_b, result.handle, result.handle,
                                          lt.preference, 2, choice, &found);
  };
  GP_BLAS(ask(b.handle));
  REQUIRE(found == 1);
  REQUIRE(choice[0].workspaceSize == 0);
  const std::uint64_t allowed = 1 << 20;
  GP_BLAS(cublasLtMatmulPreferenceSetAttribute(lt.preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &allowed,
                                               sizeof allowed));
  GP_BLAS(ask(b.handle));
  REQUIRE(choice[0].workspaceSize > 0);
  REQUIRE(choice[0].workspaceSize <= allowed);

  const float one = 1, zero = 0;
  const device_array<float> a_data(floats{1, 4, 2, 5, 3, 6}), b_data(floats{1, 3, 1, 0, 3, 1}), d(4);
  const device_array<float> workspace(choice[0].workspaceSize / sizeof(float));
  const auto multiply = [&](std::size_t bytes) {
    return cublasLtMatmul(lt.handle, lt.how, &one, a_data.data(), a.handle, b_data.data(), b.handle, &zero, d.data(),
                          result.handle, d.data(), result.handle, &choice[0].algo, workspace.data(), bytes, lt.stream);
  };
  REQUIRE(multiply(choice[0].workspaceSize - 1) == CUBLAS_STATUS_INVALID_VALUE);
  GP_BLAS(multiply(choice[0].workspaceSize));
  GP_OK(cudaStreamSynchronize(lt.stream));
  REQUIRE(d.read() == floats{10, 25, 9, 21});

  const layout wrong_shape(2, 2, false), wrong_type(3, 2, false, CUDA_R_64F);
  REQUIRE(ask(wrong_shape.handle) == CUBLAS_STATUS_INVALID_VALUE);
  REQUIRE(ask(wrong_type.handle) == CUBLAS_STATUS_NOT_SUPPORTED);
  REQUIRE(found == 0);
  GP_BLAS(lt.set<std::uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_GELU));
  REQUIRE(ask(b.handle) == CUBLAS_STATUS_NOT_SUPPORTED);
}
