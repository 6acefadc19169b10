// SPDX-License-Identifier: MIT
// Compiled twice, for different processors, into functions of different names.
#include "graphpatcher/ops/gemm.hpp"

namespace gp = graphpatcher;

float PRODUCT(std::size_t size) {
  gp::matrix<float> a(size, size), b(size, size), c(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      a(i, j) = static_cast<float>(i % 3);
      b(i, j) = static_cast<float>(j % 5);
    }
  }
  gp::gemm<float>(gp::cpu{1}, a, b, c);
  float sum = 0;
  for (const float value : c.values()) {
    sum += value;
  }
  return sum;
}
