// SPDX-License-Identifier: MIT
#pragma once

// Read once for all tests: Catch2, and the dense product, whose kernels take
// seconds to compile. They are made in kernels.cpp and only declared elsewhere.
#include <catch2/catch.hpp>

#include "graphpatcher/cpu/gemm.hpp"

#define GP_DENSE_KERNEL(T)                                                  \
  template void graphpatcher::backend::gemm<T>(                         \
      const graphpatcher::cpu&, graphpatcher::gemm_operand<T>, \
      graphpatcher::gemm_operand<T>, graphpatcher::matrix_view<T>, bool);

extern GP_DENSE_KERNEL(float) extern GP_DENSE_KERNEL(double)
