// SPDX-License-Identifier: MIT
// What libFuzzer calls. GP_FUZZ_TARGET is the target of this program.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets/targets.hpp"
#include "graphpatcher/core/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    gp_fuzz::GP_FUZZ_TARGET({data, size});
  } catch (const graphpatcher::error&) {
    // Refused, as bad input should be. Anything else that is thrown ends the program, and libFuzzer keeps the input.
  }
  return 0;
}
