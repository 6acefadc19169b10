// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdio>
#include <graphpatcher/graphpatcher.hpp>

namespace gp = graphpatcher;

int main() {
  const auto path = gp::build_graph<int>(3, {{0, 1}, {1, 2}});
  std::atomic<std::size_t> entries = 0;
  gp::parallel_for(gp::cpu{.threads = 2}, path.nodes(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      entries += path.degree(v);
    }
  });
  if (entries != 4) {
    return 1;
  }
  std::printf("graphpatcher %s works\n", gp::version);
}
