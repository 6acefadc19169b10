// SPDX-License-Identifier: MIT
//
// cuSPARSE: handles, descriptors, status names. The product is in sparse_product.cpp.
#include "sparse.hpp"

namespace gpu_host::runtime {

template <>
cusparseStatus_t status_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return CUSPARSE_STATUS_SUCCESS;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      return CUSPARSE_STATUS_NOT_INITIALIZED;
    case cudaErrorMemoryAllocation:
      return CUSPARSE_STATUS_ALLOC_FAILED;
    case cudaErrorInvalidValue:
      return CUSPARSE_STATUS_INVALID_VALUE;
    default:
      return CUSPARSE_STATUS_EXECUTION_FAILED;
  }
}

sparse_handle& find_sparse(cusparseHandle_t handle) {
  require(is_library_object(handle), CUSPARSE_STATUS_NOT_INITIALIZED);
  return *reinterpret_cast<sparse_handle*>(handle);
}

const csr_matrix& find_csr(cusparseConstSpMatDescr_t descriptor) {
  require(is_library_object(descriptor), CUSPARSE_STATUS_INVALID_VALUE);
  return *reinterpret_cast<const csr_matrix*>(descriptor);
}

const dense_matrix& find_dense(cusparseConstDnMatDescr_t descriptor) {
  require(is_library_object(descriptor), CUSPARSE_STATUS_INVALID_VALUE);
  return *reinterpret_cast<const dense_matrix*>(descriptor);
}

namespace {

csr_matrix* make_csr(std::int64_t rows, std::int64_t cols, std::int64_t entries, const void* offsets,
                     const void* columns, const void* values, cusparseIndexType_t offset_type,
                     cusparseIndexType_t column_type, cusparseIndexBase_t base, cudaDataType type) {
  require(rows >= 0 && cols >= 0 && entries >= 0, CUSPARSE_STATUS_INVALID_VALUE);
  require(offsets != nullptr && (entries == 0 || (columns != nullptr && values != nullptr)),
          CUSPARSE_STATUS_INVALID_VALUE);
  for (const cusparseIndexType_t index : {offset_type, column_type}) {
    require(index == CUSPARSE_INDEX_32I || index == CUSPARSE_INDEX_64I, CUSPARSE_STATUS_NOT_SUPPORTED);
  }
  return make_library_object<csr_matrix>(rows, cols, entries, offsets, columns, values, offset_type, column_type, base,
                                         type);
}

dense_matrix* make_dense(std::int64_t rows, std::int64_t cols, std::int64_t ld, const void* values, cudaDataType type,
                         cusparseOrder_t order) {
  require(rows >= 0 && cols >= 0, CUSPARSE_STATUS_INVALID_VALUE);
  require(ld >= (order == CUSPARSE_ORDER_ROW ? cols : rows), CUSPARSE_STATUS_INVALID_VALUE);
  require(values != nullptr || rows * cols == 0, CUSPARSE_STATUS_INVALID_VALUE);
  return make_library_object<dense_matrix>(rows, cols, ld, values, type, order == CUSPARSE_ORDER_ROW);
}

}  // namespace
}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  return sparse_call("cusparseCreate", [&] {
    require(handle != nullptr, CUSPARSE_STATUS_INVALID_VALUE);
    check_context(needs::device);
    *handle = reinterpret_cast<cusparseHandle_t>(make_library_object<sparse_handle>());
  });
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  return sparse_call("cusparseDestroy", [&] { destroy_library_object(&find_sparse(handle)); });
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  return sparse_call("cusparseSetStream", [&] {
    look_up_stream(stream);
    find_sparse(handle).stream = stream;
  });
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
  return sparse_call("cusparseGetStream", [&] {
    require(stream != nullptr, CUSPARSE_STATUS_INVALID_VALUE);
    *stream = find_sparse(handle).stream;
  });
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  return sparse_call("cusparseSetPointerMode", [&] { find_sparse(handle).pointer_mode = mode; });
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  return sparse_call("cusparseGetPointerMode", [&] {
    require(mode != nullptr, CUSPARSE_STATUS_INVALID_VALUE);
    *mode = find_sparse(handle).pointer_mode;
  });
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* descriptor, int64_t rows, int64_t cols, int64_t entries,
                                   void* offsets, void* columns, void* values, cusparseIndexType_t offset_type,
                                   cusparseIndexType_t column_type, cusparseIndexBase_t base, cudaDataType type) {
  return sparse_call("cusparseCreateCsr", [&] {
    require(descriptor != nullptr, CUSPARSE_STATUS_INVALID_VALUE);
    *descriptor = reinterpret_cast<cusparseSpMatDescr_t>(
        make_csr(rows, cols, entries, offsets, columns, values, offset_type, column_type, base, type));
  });
}

cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t* descriptor, int64_t rows, int64_t cols,
                                        int64_t entries, const void* offsets, const void* columns, const void* values,
                                        cusparseIndexType_t offset_type, cusparseIndexType_t column_type,
                                        cusparseIndexBase_t base, cudaDataType type) {
  return sparse_call("cusparseCreateConstCsr", [&] {
    require(descriptor != nullptr, CUSPARSE_STATUS_INVALID_VALUE);
    *descriptor = reinterpret_cast<cusparseConstSpMatDescr_t>(
        make_csr(rows, cols, entries, offsets, columns, values, offset_type, column_type, base, type));
  });
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t descriptor) {
  return sparse_call("cusparseDestroySpMat", [&] { destroy_library_object(&find_csr(descriptor)); });
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* descriptor, int64_t rows, int64_t cols, int64_t ld,
                                     void* values, cudaDataType type, cusparseOrder_t order) {
  return sparse_call("cusparseCreateDnMat", [&] {
    require(descriptor != nullptr, CUSPARSE_STATUS_INVALID_VALUE);
    *descriptor = reinterpret_cast<cusparseDnMatDescr_t>(make_dense(rows, cols, ld, values, type, order));
  });
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* descriptor, int64_t rows, int64_t cols, int64_t ld,
                                          const void* values, cudaDataType type, cusparseOrder_t order) {
  return sparse_call("cusparseCreateConstDnMat", [&] {
    require(descriptor != nullptr, CUSPARSE_STATUS_INVALID_VALUE);
    *descriptor = reinterpret_cast<cusparseConstDnMatDescr_t>(make_dense(rows, cols, ld, values, type, order));
  });
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descriptor) {
  return sparse_call("cusparseDestroyDnMat", [&] { destroy_library_object(&find_dense(descriptor)); });
}
}
