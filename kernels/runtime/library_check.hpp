// SPDX-License-Identifier: MIT
#pragma once

#include <cublas_v2.h>
#include <cusparse.h>

/// check() for the libraries; apart from check.hpp because their headers are
/// long and few files need them. cublasLt reports in cuBLAS's type.
namespace graphpatcher {

void check(cublasStatus_t status, const char* call);
void check(cusparseStatus_t status, const char* call);

}  // namespace graphpatcher
