// SPDX-License-Identifier: MIT
// A program that links the compiled kernels: a product, at the level that was chosen.
#include <cstdio>
#include <graphpatcher/graphpatcher.hpp>
#include <string>

namespace gp = graphpatcher;

int main() {
#if !GRAPHPATCHER_COMPILED
#error "linking graphpatcher::compiled is said to define GRAPHPATCHER_COMPILED"
#endif
  const gp::matrix<float> a{{1, 2}, {3, 4}};
  gp::matrix<float> squared(2, 2);
  gp::gemm<float>(gp::cpu{}, a, a, squared);
  if (squared(1, 1) != 22) {
    return 1;
  }
  std::printf("level %s\ngraphpatcher %s works\n", std::string(gp::level_in_use()).c_str(), gp::version);
}
