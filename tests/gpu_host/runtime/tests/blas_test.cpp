// SPDX-License-Identifier: MIT
//
// cuBLAS. The products are worked out by hand: A is 2 x 3, B is 3 x 2, A B is 2 x 2.
//   A = 1 2 3   B = 1 0   A B = 10  9
//       4 5 6       3 3         25 21
//                   1 1
#include <cublas_v2.h>

#include "support.hpp"

#define GP_BLAS(call) REQUIRE((call) == CUBLAS_STATUS_SUCCESS)

namespace {

const floats a_columns{1, 4, 2, 5, 3, 6}, a_rows{1, 2, 3, 4, 5, 6};
const floats b_columns{1, 3, 1, 0, 3, 1}, b_rows{1, 0, 3, 3, 1, 1};
const floats product_columns{10, 25, 9, 21};

struct blas_device : lazy_device {
  blas_device() {
    GP_BLAS(cublasCreate(&handle));
    GP_BLAS(cublasSetStream(handle, stream));
  }
  ~blas_device() { cublasDestroy(handle); }
  test_stream stream;
  cublasHandle_t handle = nullptr;
};

}  // namespace

TEST_CASE("gemm in all transpositions", "[runtime]") {
  const blas_device blas;
  const float one = 1, zero = 0;
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      CAPTURE(transpose_a, transpose_b);
      const device_array<float> a(transpose_a ? a_rows : a_columns), b(transpose_b ? b_rows : b_columns), c(4);
      GP_BLAS(cublasSgemm(blas.handle, transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                          2, 2, 3, &one, a.data(), transpose_a ? 3 : 2, b.data(), transpose_b ? 2 : 3, &zero, c.data(),
                          2));
      REQUIRE(gpu_host::pending_operations() == 1);  // in the stream, like a kernel
      GP_OK(cudaStreamSynchronize(blas.stream));
      REQUIRE(c.read() == product_columns);
    }
  }
}

TEST_CASE("gemm scales, adds and steps over gaps", "[runtime]") {
  const blas_device blas;
  const device_array<double> a(std::vector<double>{1, 4, 99, 2, 5, 99, 3, 6, 99});  // ld 3
  const device_array<double> b(std::vector<double>{1, 3, 1, 0, 3, 1});
  const device_array<double> c(std::vector<double>{1, 1, 77, 1, 1, 77});
  const double two = 2, minus_one = -1;
  GP_BLAS(cublasDgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &two, a.data(), 3, b.data(), 3, &minus_one,
                      c.data(), 3));
  GP_OK(cudaStreamSynchronize(blas.stream));
  REQUIRE(c.read() == std::vector<double>{19, 49, 77, 17, 41, 77});
}

TEST_CASE("scalars on the device are read when the product runs", "[runtime]") {
  const blas_device blas;
  const device_array<float> a(floats{3}), b(floats{5}), c(1), alpha(floats{1}), beta(floats{0});
  GP_BLAS(cublasSetPointerMode(blas.handle, CUBLAS_POINTER_MODE_DEVICE));
  GP_OK(launch_scale(alpha.data(), 1, blas.stream));
  GP_BLAS(cublasSgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, alpha.data(), a.data(), 1, b.data(), 1,
                      beta.data(), c.data(), 1));
  GP_OK(cudaStreamSynchronize(blas.stream));
  REQUIRE(c.read() == floats{30});
}

TEST_CASE("batches and gemmEx", "[runtime]") {
  const blas_device blas;
  const float one = 1, zero = 0;
  const device_array<float> a(floats{2, 3}), b(floats{5, 7}), c(2);
  GP_BLAS(cublasSgemmStridedBatched(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.data(), 1, 1, b.data(), 1,
                                    1, &zero, c.data(), 1, 1, 2));
  GP_OK(cudaStreamSynchronize(blas.stream));
  REQUIRE(c.read() == floats{10, 21});
  GP_BLAS(cublasGemmEx(blas.handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 1, 1, &one, a.data(), CUDA_R_32F, 2, b.data(),
                       CUDA_R_32F, 1, &zero, c.data(), CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  GP_OK(cudaStreamSynchronize(blas.stream));
  REQUIRE(c.read() == floats{10, 15});
  REQUIRE(cublasGemmEx(blas.handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 1, 1, &one, a.data(), CUDA_R_16F, 2, b.data(),
                       CUDA_R_16F, 1, &zero, c.data(), CUDA_R_16F, 2, CUBLAS_COMPUTE_16F,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_CASE("geam adds and transposes", "[runtime]") {
  const blas_device blas;
  const float one = 1, two = 2, zero = 0;
  const device_array<float> a(a_columns), b(b_columns), c(6);
  GP_BLAS(cublasSgeam(blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 2, &one, a.data(), 2, &two, b.data(), 3, c.data(), 3));
  GP_OK(cudaStreamSynchronize(blas.stream));
  REQUIRE(c.read() == floats{3, 8, 5, 4, 11, 8});  // A' + 2 B, by columns
  GP_BLAS(cublasSgeam(blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 2, &one, a.data(), 2, &zero, nullptr, 3, c.data(), 3));
  GP_OK(cudaStreamSynchronize(blas.stream));
  REQUIRE(c.read() == floats{1, 2, 3, 4, 5, 6});
  REQUIRE(cublasSgeam(blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 2, &one, a.data(), 2, &zero, b.data(), 3, a.data(),
                      3) == CUBLAS_STATUS_INVALID_VALUE);
}

TEST_CASE("arguments that can't be are refused, memory that isn't there is a fault", "[runtime]") {
  const blas_device blas;
  const float one = 1, zero = 0;
  const device_array<float> a(a_columns), b(b_columns), c(4), short_c(3), unwritten(6);
  const auto gemm = [&](const float* from, int lda, float* to) {
    return cublasSgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, from, lda, b.data(), 3, &zero, to, 2);
  };
  SECTION("leading dimension") {
    REQUIRE(gemm(a.data(), 1, c.data()) == CUBLAS_STATUS_INVALID_VALUE);
  }
  SECTION("result too small") {
    GP_BLAS(gemm(a.data(), 2, short_c.data()));
    REQUIRE(cudaStreamSynchronize(blas.stream) == cudaErrorIllegalAddress);
    REQUIRE_THAT(gpu_host::last_fault(), Catch::Contains("cublasSgemm: C"));
    REQUIRE(gemm(a.data(), 2, c.data()) == CUBLAS_STATUS_EXECUTION_FAILED);  // the context is broken
  }
  SECTION("operand too small for its leading dimension") {
    GP_BLAS(gemm(a.data(), 3, c.data()));
    REQUIRE(cudaStreamSynchronize(blas.stream) == cudaErrorIllegalAddress);
  }
  SECTION("operand never written") {
    GP_BLAS(gemm(unwritten.data(), 2, c.data()));
    REQUIRE(cudaStreamSynchronize(blas.stream) == cudaErrorLaunchFailure);
  }
  SECTION("injected") {
    gpu_host::fail_call("cublasSgemm", 1, CUBLAS_STATUS_INTERNAL_ERROR);
    REQUIRE(gemm(a.data(), 2, c.data()) == CUBLAS_STATUS_INTERNAL_ERROR);
    gpu_host::fail_call("*", 1, cudaErrorMemoryAllocation);
    REQUIRE(gemm(a.data(), 2, c.data()) == CUBLAS_STATUS_ALLOC_FAILED);
  }
  REQUIRE(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 0, 0, 0, &one, nullptr, 1, nullptr, 1, &zero, nullptr, 1) ==
          CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_CASE("products can be captured", "[runtime]") {
  const blas_device blas;
  const float one = 1, zero = 0;
  const device_array<float> a(a_columns), b(b_columns), c(floats{0, 0, 0, 0});
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  GP_OK(cudaStreamBeginCapture(blas.stream, cudaStreamCaptureModeGlobal));
  GP_BLAS(
      cublasSgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, a.data(), 2, b.data(), 3, &zero, c.data(), 2));
  GP_OK(cudaStreamEndCapture(blas.stream, &graph));
  GP_OK(cudaGraphInstantiate(&executable, graph, 0));
  REQUIRE(c.read() == floats{0, 0, 0, 0});
  GP_OK(cudaGraphLaunch(executable, blas.stream));
  GP_OK(cudaStreamSynchronize(blas.stream));
  REQUIRE(c.read() == product_columns);
}

TEST_CASE("library handles are counted", "[runtime]") {
  const lazy_device device;
  cublasHandle_t handle;
  GP_BLAS(cublasCreate(&handle));
  REQUIRE(gpu_host::live_library_objects() == 1);
  GP_BLAS(cublasDestroy(handle));
  REQUIRE(gpu_host::live_library_objects() == 0);
  REQUIRE(cublasDestroy(handle) == CUBLAS_STATUS_NOT_INITIALIZED);
  REQUIRE(cublasGetStatusName(CUBLAS_STATUS_ALLOC_FAILED) == std::string("CUBLAS_STATUS_ALLOC_FAILED"));
}
