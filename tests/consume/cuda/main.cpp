// SPDX-License-Identifier: MIT
// Multiplies two matrices on a GPU; where there is none, shows the error that says so.
#include <cstdio>
#include <string>
#include <vector>

#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "graphpatcher/version.hpp"

namespace gp = graphpatcher;

int main() {
  try {
    const gp::cuda gpu;
    const auto a = gp::matrix<float>{{1, 2}, {3, 4}}.copy_on(gpu);
    gp::matrix<float> product(gpu, 2, 2);
    gp::gemm(gpu, a, a, product.view());
    const std::vector<int> offsets{0, 2, 3};
    const std::vector<int> sources{0, 1, 0};
    gp::matrix<float> sums(gpu, 2, 2);
    gp::spmm(gpu, std::span<const int>(offsets), std::span<const int>(sources), {}, product, sums.view());
    const auto result = sums.copy_on(gp::cpu{});
    if (result(0, 0) != 22 || result(1, 1) != 10) {  // {{7, 10}, {15, 22}}, rows 0 + 1 and row 0
      std::printf("wrong numbers: %g %g\n", static_cast<double>(result(0, 0)), static_cast<double>(result(1, 1)));
      return 1;
    }
  } catch (const gp::backend_error& error) {
    if (gp::cuda_available()) {
      std::printf("failed: %s\n", error.what());
      return 1;
    }
    std::printf("no GPU: %s\n", error.what());
    if (std::string(error.what()).find("built without") != std::string::npos) {
      return 1;  // the library is linked, but nobody asked the linker for it
    }
  }
  std::printf("graphpatcher %s works\n", gp::version);
}
