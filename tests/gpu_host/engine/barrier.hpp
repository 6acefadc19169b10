// SPDX-License-Identifier: MIT
// The sixteen barriers of a block; __syncthreads is number 0.
#pragma once

#include <array>
#include <vector>

#include "engine/state.hpp"

namespace gpu_host {

class block_barriers {
public:
  void begin_block() { arrived_.fill(0); }
  /// The running thread arrives at a barrier that so many threads have to reach.
  void arrive(unsigned number, unsigned threads);
  /// No thread can run: lets those go on who wait at the barrier of the whole block, or says why they can't.
  void release_waiting();

private:
  void release(unsigned number);

  std::array<unsigned, 16> arrived_{};
};

extern block_barriers barriers;

}  // namespace gpu_host
