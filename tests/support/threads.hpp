// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <initializer_list>

#include "graphpatcher/core/executor.hpp"
#include "support/compare.hpp"

namespace support {

/// Calls run(exec), which returns matrices, with one thread and with several, and compares them bit by bit. Returns
/// those of one thread.
template <class Run>
auto same_for_any_threads(Run&& run, std::initializer_list<int> several = {2, 7}) {
  const auto alone = run(graphpatcher::cpu{1});
  for (const int threads : several) {
    const auto shared = run(graphpatcher::cpu{threads});
    REQUIRE(shared.size() == alone.size());
    for (std::size_t k = 0; k < alone.size(); ++k) {
      INFO("result " << k << ", " << threads << " threads");
      CHECK(same_bits(alone[k], shared[k]));
    }
  }
  return alone;
}

}  // namespace support
