// SPDX-License-Identifier: MIT
#pragma once

#include <cusparse.h>

#include "library.hpp"

namespace gpu_host::runtime {

struct sparse_handle {
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};

struct csr_matrix {
  std::int64_t rows, cols, entries;
  const void *offsets, *columns, *values;
  cusparseIndexType_t offset_type, column_type;
  cusparseIndexBase_t base;
  cudaDataType type;
};

struct dense_matrix {
  std::int64_t rows, cols, ld;
  const void* values;
  cudaDataType type;
  bool row_major;
};

sparse_handle& find_sparse(cusparseHandle_t);  // throws CUSPARSE_STATUS_NOT_INITIALIZED
const csr_matrix& find_csr(cusparseConstSpMatDescr_t);
const dense_matrix& find_dense(cusparseConstDnMatDescr_t);

template <class Body>
cusparseStatus_t sparse_call(const char* name, Body&& body) {
  return library_call<cusparseStatus_t>(name, std::forward<Body>(body));
}

}  // namespace gpu_host::runtime
