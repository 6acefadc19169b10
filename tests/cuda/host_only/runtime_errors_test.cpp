// SPDX-License-Identifier: MIT
// What is said about a call of CUDA, cuBLAS or cuSPARSE that fails, call by call.
#include <cublas_v2.h>
#include <cusparse.h>
#include <catch2/catch.hpp>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cuda/host_only/fresh_device.hpp"
#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/cuda/cusparse.hpp"
#include "graphpatcher/cuda/graph_capture.hpp"
#include "graphpatcher/ops/elementwise.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "support/random_matrix.hpp"

namespace gp = graphpatcher;
using Catch::Contains;
using gp::backend::device_array;
using gp::test::fresh_device;
using gp::test::live_objects;

namespace {

/// A short program that uses all there is: pinned and pageable memory, kernels, graphs, both libraries.
void program() {
  const gp::cuda exec;
  const auto host = support::random_matrix<float>(6, 6, 1);
  const auto a = host.copy_on(exec);
  gp::matrix<float> c(exec, 6, 6);
  gp::captured_work work;
  for (int i = 0; i < 3; ++i) {
    work.run(exec, [&] {
      const device_array<float> sent(exec, host.values());
      gp::add(exec, a, gp::matrix_view<const float>(sent.data(), 6, 6), c.view());
      if (i == 2) {
        gp::accumulate(exec, a, c.view());  // another graph
      }
    });
  }
  gp::gemm(exec, a, a, c.view());
  gp::backend::gemm_bias<float>(exec, {a.view(), false}, {a.view(), true}, a.view().middle_rows(0, 1), true, c.view());
  const std::vector<int> offsets{0, 1, 1, 3, 3, 3, 3};
  const std::vector<int> sources{2, 0, 5};
  const device_array<int> offsets_there(exec, offsets);
  const device_array<int> sources_there(exec, sources);
  gp::backend::cusparse_spmm<float, int>(exec, {offsets_there, sources_there, 6}, {a.data(), 3}, a, c.view());
  gp::sum(exec, c.view());
}

/// The message of the error of this library that program() ends with; empty if it doesn't.
std::string failure_of_program() {
  try {
    program();
  } catch (const gp::error& error) {
    return error.what();
  }
  return {};
}

/// The same after the next call of `function` has failed with `status`.
std::string failure_with(const std::string& function, int status) {
  const fresh_device device;
  gpu_host::fail_call(function, 1, status);
  return failure_of_program();
}

}  // namespace

TEST_CASE("errors: the call, the error and what to do", "[cuda]") {
  CHECK(failure_with("none", 0).empty());
  CHECK_THAT(failure_with("cudaMemcpyAsync", cudaErrorIllegalAddress),
             Contains("cudaMemcpyAsync: cudaErrorIllegalAddress") && Contains("compute-sanitizer"));
  CHECK_THAT(failure_with("cudaMemsetAsync", cudaErrorUnknown), Contains("cudaMemsetAsync: cudaErrorUnknown"));
  CHECK_THAT(failure_with("cudaGraphInstantiate", cudaErrorInvalidValue), Contains("cudaGraphInstantiate"));
  CHECK_THAT(failure_with("cudaStreamBeginCapture", cudaErrorStreamCaptureUnsupported),
             Contains("read results back after captured_work::run"));
  CHECK_THAT(failure_with("cudaStreamSynchronize", cudaErrorAssert), Contains("cudaErrorAssert"));
  CHECK_THAT(failure_with("cudaMemcpyAsync", cudaErrorInvalidResourceHandle), Contains("cudaSetDevice"));
}

TEST_CASE("errors: a launch that fails names kernel, grid and block", "[cuda]") {
  CHECK_THAT(
      failure_with("cudaLaunchKernel", cudaErrorNoKernelImageForDevice),
      Contains("launch of kernel map, grid 1 x 1 x 1, block 256 x 1 x 1") && Contains("CMAKE_CUDA_ARCHITECTURES"));
}

TEST_CASE("errors: cuBLAS and cuSPARSE", "[cuda]") {
  CHECK_THAT(failure_with("cublasCreate", CUBLAS_STATUS_NOT_INITIALIZED),
             Contains("cublasCreate: CUBLAS_STATUS_NOT_INITIALIZED") && Contains("nvidia-smi"));
  CHECK_THAT(failure_with("cublasSgemm", CUBLAS_STATUS_ARCH_MISMATCH), Contains("cublasSgemm") && Contains("CUDA 13"));
  CHECK_THAT(failure_with("cublasLtMatmul", CUBLAS_STATUS_EXECUTION_FAILED),
             Contains("cublasLtMatmul: CUBLAS_STATUS_EXECUTION_FAILED"));
  CHECK_THAT(failure_with("cusparseCreate", CUSPARSE_STATUS_NOT_INITIALIZED), Contains("cuSPARSE could not start"));
  CHECK_THAT(failure_with("cusparseSpMM", CUSPARSE_STATUS_INTERNAL_ERROR), Contains("cusparseSpMM: CUSPARSE_STATUS_"));
}

TEST_CASE("errors: a library without memory is out of memory", "[cuda]") {
  const fresh_device device;
  for (const auto& [function, status] :
       std::vector<std::pair<std::string, int>>{{"cublasSgemm", CUBLAS_STATUS_ALLOC_FAILED},
                                                {"cusparseSpMM", CUSPARSE_STATUS_INSUFFICIENT_RESOURCES},
                                                {"cudaMallocHost", cudaErrorMemoryAllocation}}) {
    gpu_host::reset_device();
    gpu_host::fail_call(function, 1, status);
    INFO(function);
    CHECK_THROWS_AS(program(), gp::out_of_memory_error);
  }
}

TEST_CASE("errors: what cublasLt can't do is done without it", "[cuda]") {
  const fresh_device device;
  gpu_host::fail_call("cublasLtMatmulAlgoGetHeuristic", 1, CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK_NOTHROW(program());
  CHECK(gpu_host::failures_waiting() == 0);
}

TEST_CASE("errors: a kernel's fault is reported when it is waited for, and by every call after", "[cuda]") {
  const fresh_device device;
  gpu_host::set_schedule({.seed = 1, .early = 0});
  const gp::cuda exec;
  const device_array<float> little(exec, 4);
  gp::matrix<float> x(exec, 64, 64);
  const gp::matrix_view<const float> beyond(little.data(), 64, 64);
  CHECK_NOTHROW(gp::copy(exec, beyond, x.view()));
  CHECK_THROWS_WITH(exec.synchronize(), Contains("an earlier kernel failed") && Contains("start it again"));
  CHECK_THAT(gpu_host::last_fault(), Contains("map_kernel"));
  CHECK_THROWS_AS(x.copy_on(gp::cpu{}), gp::cuda_error);
}

TEST_CASE("errors: every call that fails is reported or harmless, and nothing leaks", "[cuda]") {
  std::set<std::string> functions;
  {
    const fresh_device device;
    program();
    for (const auto& [name, count] : gpu_host::call_counts()) {
      functions.insert(name);
    }
    functions.erase("cudaGetLastError");  // it tells of failures, and has none
  }
  REQUIRE(functions.size() > 30);
  // Failures of these have nobody to go to: they are called to clean up.
  const auto silent = [](const std::string& name) {
    return name.find("Destroy") != std::string::npos || name.find("Free") != std::string::npos;
  };
  for (const std::string& name : functions) {
    const fresh_device device;
    const bool blas = name.rfind("cublas", 0) == 0;
    const bool sparse = name.rfind("cusparse", 0) == 0;
    const int status = blas     ? static_cast<int>(CUBLAS_STATUS_INTERNAL_ERROR)
                       : sparse ? static_cast<int>(CUSPARSE_STATUS_INTERNAL_ERROR)
                                : static_cast<int>(cudaErrorUnknown);
    gpu_host::fail_call(name, 1, status);
    const std::string message = failure_of_program();
    INFO(name << ": " << message);
    CHECK(gpu_host::failures_waiting() == 0);
    CHECK((silent(name) || !message.empty()));
    // An object whose destruction failed is still there; nothing else is.
    CHECK((silent(name) || live_objects() == 0));
  }
}
