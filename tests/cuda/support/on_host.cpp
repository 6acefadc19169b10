// SPDX-License-Identifier: MIT
// The tests of the CUDA backend, run on the processor: see tests/gpu_host.
#include "cuda/support/schedules.hpp"
#include "engine.hpp"

namespace graphpatcher::test {

int schedules() {
  return 3;
}

void use_schedule(int number) {
  gpu_host::current_settings().seed = 1 + static_cast<unsigned>(number);
}

}  // namespace graphpatcher::test
