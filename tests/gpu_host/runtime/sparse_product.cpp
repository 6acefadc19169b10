// SPDX-License-Identifier: MIT
//
// cuSPARSE: C = alpha op(A) op(B) + beta C with A in CSR.
#include <utility>

#include "device_matrix.hpp"
#include "sparse.hpp"

namespace gpu_host::runtime {
namespace {

struct spmm_problem {
  csr_matrix a;
  device_matrix b, c;
  bool transpose_a, transpose_b;
  cudaDataType type;
  std::size_t buffer_bytes;
};

device_matrix matrix_of(const dense_matrix& m, const char* name) {
  return {m.values, m.rows, m.cols, m.ld, m.row_major, std::string("cusparseSpMM: ") + name};
}

spmm_problem describe(cusparseOperation_t op_a, cusparseOperation_t op_b, cusparseConstSpMatDescr_t a_descriptor,
                      cusparseConstDnMatDescr_t b_descriptor, cusparseConstDnMatDescr_t c_descriptor,
                      cudaDataType type) {
  const csr_matrix& a = find_csr(a_descriptor);
  const dense_matrix &b = find_dense(b_descriptor), &c = find_dense(c_descriptor);
  require(type == CUDA_R_32F || type == CUDA_R_64F, CUSPARSE_STATUS_NOT_SUPPORTED);
  require(a.type == type && b.type == type && c.type == type, CUSPARSE_STATUS_NOT_SUPPORTED);
  const bool transpose_a = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const bool transpose_b = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
  const std::int64_t rows = transpose_a ? a.cols : a.rows, depth = transpose_a ? a.rows : a.cols;
  const std::int64_t cols = transpose_b ? b.rows : b.cols, depth_b = transpose_b ? b.cols : b.rows;
  require(depth == depth_b && c.rows == rows && c.cols == cols, CUSPARSE_STATUS_INVALID_VALUE);
  // A size that is never zero: programs that don't ask for it are found.
  const std::size_t buffer_bytes = (static_cast<std::size_t>(rows) + 1) * sizeof(std::int32_t);
  return {a, matrix_of(b, "B"), matrix_of(c, "C"), transpose_a, transpose_b, type, buffer_bytes};
}

std::vector<std::int64_t> load_indices(const void* data, std::int64_t count, cusparseIndexType_t type,
                                       const std::string& name) {
  const device_matrix m{data, count, 1, count, false, name};
  if (type == CUSPARSE_INDEX_32I) {
    const auto indices = load<std::int32_t>(m).values;
    return {indices.begin(), indices.end()};
  }
  return load<std::int64_t>(m).values;
}

[[noreturn]] void bad_index(const std::string& message) {
  throw fault(fault_kind::out_of_bounds, "cusparseSpMM: " + message);
}

// Calls visit(row, column, value) for every entry of A.
template <class T, class Visit>
void for_each_entry(const csr_matrix& a, Visit visit) {
  const auto offsets = load_indices(a.offsets, a.rows + 1, a.offset_type, "cusparseSpMM: row offsets");
  const auto columns = load_indices(a.columns, a.entries, a.column_type, "cusparseSpMM: column indices");
  const dense<T> values = load<T>({a.values, a.entries, 1, a.entries, false, "cusparseSpMM: values"});
  const std::int64_t base = a.base == CUSPARSE_INDEX_BASE_ONE ? 1 : 0;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const std::int64_t begin = offsets[row] - base, end = offsets[row + 1] - base;
    if (begin < 0 || begin > end || end > a.entries) {
      bad_index("row " + std::to_string(row) + " has the offsets " + std::to_string(begin) + " and " +
                std::to_string(end) + "; they must be ascending and within the " + std::to_string(a.entries) +
                " entries");
    }
    for (std::int64_t entry = begin; entry < end; ++entry) {
      const std::int64_t col = columns[entry] - base;
      if (col < 0 || col >= a.cols) {
        bad_index("entry " + std::to_string(entry) + " is in column " + std::to_string(col) + " of a matrix with " +
                  std::to_string(a.cols) + " columns");
      }
      visit(row, col, values(entry, 0));
    }
  }
}

template <class T>
void multiply(const spmm_problem& p, T alpha, T beta) {
  dense<T> result(p.c.rows, p.c.cols);
  if (alpha != T(0)) {
    const dense<T> b = load<T>(p.b, p.transpose_b);
    for_each_entry<T>(p.a, [&](std::int64_t row, std::int64_t col, T value) {
      const auto [to, from] = p.transpose_a ? std::pair(col, row) : std::pair(row, col);
      for (std::int64_t f = 0; f < result.cols; ++f) {
        result(to, f) += alpha * (value * b(from, f));
      }
    });
  }
  add_scaled(result, beta, p.c);
  store<T>(p.c, result);
}

template <class T>
void submit_product(const spmm_problem& p, const sparse_handle& handle, const void* alpha_from, const void* beta_from,
                    void* buffer) {
  const bool on_device = handle.pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
  const scalar<T> alpha(alpha_from, on_device), beta(beta_from, on_device);
  submit(find_stream(handle.stream), {cudaGraphNodeTypeKernel, [=] {
                                        writable(buffer, p.buffer_bytes, "cusparseSpMM: external buffer");
                                        multiply<T>(p, alpha.read("cusparseSpMM: alpha"),
                                                    beta.read("cusparseSpMM: beta"));
                                      }});
}

}  // namespace
}  // namespace gpu_host::runtime

using namespace gpu_host::runtime;

extern "C" {

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void*, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void*, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t,
                                         size_t* bytes) {
  return sparse_call("cusparseSpMM_bufferSize", [&] {
    find_sparse(handle);
    require(bytes != nullptr, CUSPARSE_STATUS_INVALID_VALUE);
    *bytes = describe(op_a, op_b, a, b, c, type).buffer_bytes;
  });
}

cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void*, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void*, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t,
                                         void* buffer) {
  return sparse_call("cusparseSpMM_preprocess", [&] {
    const sparse_handle& sparse = find_sparse(handle);
    check_context(needs::device);
    const std::size_t bytes = describe(op_a, op_b, a, b, c, type).buffer_bytes;
    submit(find_stream(sparse.stream),
           {cudaGraphNodeTypeKernel, [=] { writable(buffer, bytes, "cusparseSpMM_preprocess: external buffer"); }});
  });
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t,
                              void* buffer) {
  return sparse_call("cusparseSpMM", [&] {
    const sparse_handle& sparse = find_sparse(handle);
    check_context(needs::device);
    require(alpha != nullptr && beta != nullptr, CUSPARSE_STATUS_INVALID_VALUE);
    const spmm_problem p = describe(op_a, op_b, a, b, c, type);
    if (type == CUDA_R_64F) {
      submit_product<double>(p, sparse, alpha, beta, buffer);
    } else {
      submit_product<float>(p, sparse, alpha, beta, buffer);
    }
  });
}
}
