// SPDX-License-Identifier: MIT
//
// cuSPARSE: names and texts of its status codes, in the library's own words.
#include <cusparse.h>

namespace {

struct status_text {
  const char *name, *text;
};

status_text text_of(cusparseStatus_t status) {
  switch (status) {
#define GP_STATUS(code, text) \
  case code:                  \
    return {#code, text}
    GP_STATUS(CUSPARSE_STATUS_SUCCESS, "success");
    GP_STATUS(CUSPARSE_STATUS_NOT_INITIALIZED, "initialization error");
    GP_STATUS(CUSPARSE_STATUS_ALLOC_FAILED, "out of memory");
    GP_STATUS(CUSPARSE_STATUS_INVALID_VALUE, "invalid value");
    GP_STATUS(CUSPARSE_STATUS_ARCH_MISMATCH, "architecture mismatch");
    GP_STATUS(CUSPARSE_STATUS_MAPPING_ERROR, "texture memory mapping error");
    GP_STATUS(CUSPARSE_STATUS_EXECUTION_FAILED, "kernel launch failure");
    GP_STATUS(CUSPARSE_STATUS_INTERNAL_ERROR, "internal error");
    GP_STATUS(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "matrix type not supported");
    GP_STATUS(CUSPARSE_STATUS_ZERO_PIVOT, "zero pivot");
    GP_STATUS(CUSPARSE_STATUS_NOT_SUPPORTED, "operation not supported");
    GP_STATUS(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, "insufficient resources");
#undef GP_STATUS
  }
  return {"unrecognized error code", "unrecognized error code"};
}

}  // namespace

extern "C" {

const char* cusparseGetErrorName(cusparseStatus_t status) {
  return text_of(status).name;
}

const char* cusparseGetErrorString(cusparseStatus_t status) {
  return text_of(status).text;
}
}
