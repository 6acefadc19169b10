// SPDX-License-Identifier: MIT
// What generated code of mutable kernels has besides device.hpp: faults that
// can be switched on, and an end to loops.
#pragma once

#include "device.hpp"

namespace gpu_host {

/// A comparison or barrier in the source of kernels: the one with this `number`
/// in the statement at `line`, `column`.
struct mutation_point {
  const char* file;
  int line, column, number;
  const char* source;  // the operator, or __syncthreads or __syncwarp
};

/// Of a point in one generated file.
struct mutation_state {
  bool on = false;       // the comparison is shifted, the barrier left out
  bool reached = false;  // since it was last asked for

  [[gnu::always_inline]] bool is_on() {
    reached = true;
    return on;
  }
};

/// Both must live as long as the program.
void add_mutation_points(std::span<const mutation_point> points, std::span<mutation_state> states);

namespace device {

extern u64 steps_left;  // basic blocks that the threads of a launch may still execute
void begin_steps();     // of a launch
[[noreturn]] void out_of_steps();

[[gnu::always_inline]] inline void step() {
  if (steps_left-- == 0)
    out_of_steps();
}

}  // namespace device
}  // namespace gpu_host
