// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace graphpatcher::test {

/// The most that an executor's pool takes from the device for `arrays` arrays
/// of `bytes` bytes together: a block has at least 512 bytes, and at most a
/// quarter more than was asked for (kernels/runtime/memory_pool.hpp).
constexpr std::size_t largest_blocks(std::size_t bytes, std::size_t arrays) {
  return bytes + bytes / 4 + 512 * arrays;
}

}  // namespace graphpatcher::test
