// SPDX-License-Identifier: MIT
//
// cuSPARSE: A = 1 0 2, dense factors row-major unless said otherwise.
//               0 3 0
#include <cusparse.h>

#include <string>

#include "support.hpp"

#define GP_SPARSE(call) REQUIRE((call) == CUSPARSE_STATUS_SUCCESS)

namespace {

struct sparse_device : lazy_device {
  sparse_device() {
    GP_SPARSE(cusparseCreate(&handle));
    GP_SPARSE(cusparseSetStream(handle, stream));
    GP_SPARSE(cusparseCreateCsr(&a, 2, 3, 3, offsets.data(), columns.data(), values.data(), CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  }
  ~sparse_device() {
    cusparseDestroySpMat(a);
    cusparseDestroy(handle);
  }

  // C = alpha op(A) op(B) + beta C
  cusparseStatus_t multiply(cusparseOperation_t op_a, cusparseOperation_t op_b, float alpha, cusparseDnMatDescr_t b,
                            float beta, cusparseDnMatDescr_t c) const {
    std::size_t bytes = 0;
    const cusparseStatus_t status = cusparseSpMM_bufferSize(handle, op_a, op_b, &alpha, a, b, &beta, c, CUDA_R_32F,
                                                            CUSPARSE_SPMM_ALG_DEFAULT, &bytes);
    if (status != CUSPARSE_STATUS_SUCCESS) {
      return status;
    }
    const device_array<char> buffer(bytes);
    const cusparseStatus_t result =
        cusparseSpMM(handle, op_a, op_b, &alpha, a, b, &beta, c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer.data());
    cudaStreamSynchronize(stream);
    return result;
  }

  test_stream stream;
  device_array<int> offsets{std::vector<int>{0, 2, 3}}, columns{std::vector<int>{0, 2, 1}};
  device_array<float> values{floats{1, 2, 3}};
  cusparseHandle_t handle = nullptr;
  cusparseSpMatDescr_t a = nullptr;
};

struct dense_view {
  dense_view(const device_array<float>& data, std::int64_t rows, std::int64_t cols, bool row_major = true) {
    GP_SPARSE(cusparseCreateDnMat(&handle, rows, cols, row_major ? cols : rows, data.data(), CUDA_R_32F,
                                  row_major ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
  }
  dense_view(const dense_view&) = delete;
  dense_view& operator=(const dense_view&) = delete;
  ~dense_view() { cusparseDestroyDnMat(handle); }
  cusparseDnMatDescr_t handle = nullptr;
};

constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE, transposed = CUSPARSE_OPERATION_TRANSPOSE;

}  // namespace

TEST_CASE("SpMM in all transpositions", "[runtime]") {
  const sparse_device sparse;
  SECTION("A B") {
    const device_array<float> b(floats{1, 2, 3, 4, 5, 6}), c(4);
    const dense_view b_view(b, 3, 2), c_view(c, 2, 2);
    GP_SPARSE(sparse.multiply(plain, plain, 1, b_view.handle, 0, c_view.handle));
    REQUIRE(c.read() == floats{11, 14, 9, 12});
  }
  SECTION("A B in column order") {
    const device_array<float> b(floats{1, 3, 5, 2, 4, 6}), c(4);
    const dense_view b_view(b, 3, 2, false), c_view(c, 2, 2, false);
    GP_SPARSE(sparse.multiply(plain, plain, 1, b_view.handle, 0, c_view.handle));
    REQUIRE(c.read() == floats{11, 9, 14, 12});
  }
  SECTION("A' B") {
    const device_array<float> b(floats{1, 2, 3, 4}), c(6);
    const dense_view b_view(b, 2, 2), c_view(c, 3, 2);
    GP_SPARSE(sparse.multiply(transposed, plain, 1, b_view.handle, 0, c_view.handle));
    REQUIRE(c.read() == floats{1, 2, 9, 12, 2, 4});
  }
  SECTION("A B'") {
    const device_array<float> b(floats{1, 3, 5, 2, 4, 6}), c(4);
    const dense_view b_view(b, 2, 3), c_view(c, 2, 2);
    GP_SPARSE(sparse.multiply(plain, transposed, 1, b_view.handle, 0, c_view.handle));
    REQUIRE(c.read() == floats{11, 14, 9, 12});
  }
  SECTION("2 A' B' - C") {
    const device_array<float> b(floats{1, 3, 2, 4}), c(floats{1, 1, 1, 1, 1, 1});
    const dense_view b_view(b, 2, 2), c_view(c, 3, 2);
    GP_SPARSE(sparse.multiply(transposed, transposed, 2, b_view.handle, -1, c_view.handle));
    REQUIRE(c.read() == floats{1, 3, 17, 23, 3, 7});
  }
}

TEST_CASE("SpMM with long indices, in double, counted from one", "[runtime]") {
  const sparse_device sparse;
  const device_array<std::int64_t> offsets(std::vector<std::int64_t>{1, 3, 4}),
      columns(std::vector<std::int64_t>{1, 3, 2});
  const device_array<double> values(std::vector<double>{1, 2, 3}), b(std::vector<double>{1, 2, 3}), c(2);
  const device_array<char> buffer(64);
  cusparseSpMatDescr_t a;
  cusparseDnMatDescr_t b_view, c_view;
  GP_SPARSE(cusparseCreateCsr(&a, 2, 3, 3, offsets.data(), columns.data(), values.data(), CUSPARSE_INDEX_64I,
                              CUSPARSE_INDEX_64I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F));
  GP_SPARSE(cusparseCreateDnMat(&b_view, 3, 1, 1, b.data(), CUDA_R_64F, CUSPARSE_ORDER_ROW));
  GP_SPARSE(cusparseCreateDnMat(&c_view, 2, 1, 1, c.data(), CUDA_R_64F, CUSPARSE_ORDER_ROW));
  REQUIRE(gpu_host::live_library_objects() == 5);  // with the handle and the matrix of sparse_device
  const double one = 1, zero = 0;
  GP_SPARSE(cusparseSpMM(sparse.handle, plain, plain, &one, a, b_view, &zero, c_view, CUDA_R_64F,
                         CUSPARSE_SPMM_ALG_DEFAULT, buffer.data()));
  REQUIRE(gpu_host::pending_operations() == 1);
  GP_OK(cudaStreamSynchronize(sparse.stream));
  REQUIRE(c.read() == std::vector<double>{7, 6});
  GP_SPARSE(cusparseDestroySpMat(a));
  GP_SPARSE(cusparseDestroyDnMat(b_view));
  GP_SPARSE(cusparseDestroyDnMat(c_view));
}

TEST_CASE("SpMM refuses shapes that don't fit and finds bad indices", "[runtime]") {
  const sparse_device sparse;
  const device_array<float> b(floats{1, 2, 3}), c(floats{0, 0});
  const dense_view b_view(b, 3, 1), c_view(c, 2, 1);
  SECTION("shape") {
    REQUIRE(sparse.multiply(transposed, plain, 1, b_view.handle, 0, c_view.handle) == CUSPARSE_STATUS_INVALID_VALUE);
  }
  SECTION("column") {
    const int outside = 3;
    GP_OK(cudaMemcpy(sparse.columns.data(), &outside, sizeof outside, cudaMemcpyHostToDevice));
    GP_SPARSE(sparse.multiply(plain, plain, 1, b_view.handle, 0, c_view.handle));
    REQUIRE(cudaGetLastError() == cudaErrorIllegalAddress);
    REQUIRE_THAT(gpu_host::last_fault(), Catch::Contains("column 3 of a matrix with 3 columns"));
  }
  SECTION("no buffer") {
    const float one = 1, zero = 0;
    GP_SPARSE(cusparseSpMM(sparse.handle, plain, plain, &one, sparse.a, b_view.handle, &zero, c_view.handle, CUDA_R_32F,
                           CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
    REQUIRE(cudaStreamSynchronize(sparse.stream) == cudaErrorIllegalAddress);
    REQUIRE_THAT(gpu_host::last_fault(), Catch::Contains("external buffer"));
  }
  SECTION("injected") {
    gpu_host::fail_call("cusparseSpMM", 1, CUSPARSE_STATUS_INSUFFICIENT_RESOURCES);
    REQUIRE(sparse.multiply(plain, plain, 1, b_view.handle, 0, c_view.handle) ==
            CUSPARSE_STATUS_INSUFFICIENT_RESOURCES);
    REQUIRE(cusparseGetErrorString(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES) == std::string("insufficient resources"));
  }
}
