// SPDX-License-Identifier: MIT
//
// cuBLASLt: handles and descriptors.
#include "blas_lt_objects.hpp"

using namespace gpu_host::runtime;

namespace {

template <class Object, class Handle>
void destroy(Handle handle) {
  destroy_library_object(&find_lt<Object>(handle));
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return blas_call("cublasLtCreate", [&] {
    require(handle != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    check_context(needs::device);
    *handle = reinterpret_cast<cublasLtHandle_t>(make_library_object<lt_handle>(current_device()));
  });
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return blas_call("cublasLtDestroy", [&] { destroy<lt_handle>(handle); });
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* descriptor, cublasComputeType_t arithmetic,
                                        cudaDataType_t scale) {
  return blas_call("cublasLtMatmulDescCreate", [&] {
    require(descriptor != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    auto* made = make_library_object<lt_matmul>();
    made->declare<std::int32_t>(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, arithmetic);
    made->declare<std::int32_t>(CUBLASLT_MATMUL_DESC_SCALE_TYPE, scale);
    made->declare<std::int32_t>(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_HOST);
    made->declare<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N);
    made->declare<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
    made->declare<std::int32_t>(CUBLASLT_MATMUL_DESC_TRANSC, CUBLAS_OP_N);
    made->declare<std::uint32_t>(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
    made->declare<const void*>(CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr);
    made->declare<std::int32_t>(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, scale);
    *descriptor = reinterpret_cast<cublasLtMatmulDesc_t>(made);
  });
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor) {
  return blas_call("cublasLtMatmulDescDestroy", [&] { destroy<lt_matmul>(descriptor); });
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t descriptor, cublasLtMatmulDescAttributes_t name,
                                              const void* value, size_t bytes) {
  return blas_call("cublasLtMatmulDescSetAttribute", [&] { find_lt<lt_matmul>(descriptor).set(name, value, bytes); });
}

cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t descriptor, cublasLtMatmulDescAttributes_t name,
                                              void* value, size_t bytes, size_t* written) {
  return blas_call("cublasLtMatmulDescGetAttribute",
                   [&] { find_lt<lt_matmul>(descriptor).copy_out(name, value, bytes, written); });
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t ld) {
  return blas_call("cublasLtMatrixLayoutCreate", [&] {
    require(layout != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    auto* made = make_library_object<lt_layout>();
    made->declare<std::uint32_t>(CUBLASLT_MATRIX_LAYOUT_TYPE, type);
    made->declare<std::int32_t>(CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_ORDER_COL);
    made->declare<std::uint64_t>(CUBLASLT_MATRIX_LAYOUT_ROWS, rows);
    made->declare<std::uint64_t>(CUBLASLT_MATRIX_LAYOUT_COLS, cols);
    made->declare<std::int64_t>(CUBLASLT_MATRIX_LAYOUT_LD, ld);
    made->declare<std::int32_t>(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 1);
    made->declare<std::int64_t>(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 0);
    *layout = reinterpret_cast<cublasLtMatrixLayout_t>(made);
  });
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return blas_call("cublasLtMatrixLayoutDestroy", [&] { destroy<lt_layout>(layout); });
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t name,
                                                const void* value, size_t bytes) {
  return blas_call("cublasLtMatrixLayoutSetAttribute", [&] { find_lt<lt_layout>(layout).set(name, value, bytes); });
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t name,
                                                void* value, size_t bytes, size_t* written) {
  return blas_call("cublasLtMatrixLayoutGetAttribute",
                   [&] { find_lt<lt_layout>(layout).copy_out(name, value, bytes, written); });
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return blas_call("cublasLtMatmulPreferenceCreate", [&] {
    require(preference != nullptr, CUBLAS_STATUS_INVALID_VALUE);
    auto* made = make_library_object<lt_preference>();
    made->declare<std::uint32_t>(CUBLASLT_MATMUL_PREF_SEARCH_MODE, CUBLASLT_SEARCH_BEST_FIT);
    made->declare<std::uint64_t>(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 0);
    made->declare<std::uint32_t>(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, CUBLASLT_REDUCTION_SCHEME_MASK);
    for (const auto operand :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      made->declare<std::uint32_t>(operand, 256);
    }
    *preference = reinterpret_cast<cublasLtMatmulPreference_t>(made);
  });
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return blas_call("cublasLtMatmulPreferenceDestroy", [&] { destroy<lt_preference>(preference); });
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t name, const void* value,
                                                    size_t bytes) {
  return blas_call("cublasLtMatmulPreferenceSetAttribute",
                   [&] { find_lt<lt_preference>(preference).set(name, value, bytes); });
}

cublasStatus_t cublasLtMatmulPreferenceGetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t name, void* value,
                                                    size_t bytes, size_t* written) {
  return blas_call("cublasLtMatmulPreferenceGetAttribute",
                   [&] { find_lt<lt_preference>(preference).copy_out(name, value, bytes, written); });
}
}
