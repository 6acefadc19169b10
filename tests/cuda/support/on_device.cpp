// SPDX-License-Identifier: MIT
// The tests of the CUDA backend, run on a GPU; skipped with the reason where there is none.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>

#include "cuda/support/schedules.hpp"
#include "graphpatcher/core/cuda.hpp"

namespace graphpatcher::test {

int schedules() {
  return 1;
}
void use_schedule(int) {}

}  // namespace graphpatcher::test

int main(int argc, char** argv) {
  constexpr int skipped = 77;  // SKIP_RETURN_CODE of the test
  if (!graphpatcher::cuda_available()) {
    std::printf("skipped: %s\n", graphpatcher::cuda_unavailable_reason().c_str());
    return skipped;
  }
  return Catch::Session().run(argc, argv);
}
