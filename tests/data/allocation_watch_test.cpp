// SPDX-License-Identifier: MIT
#include "data/allocation_watch.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <new>
#include <vector>

std::atomic<std::size_t> gp_test::largest_request{0};

void* operator new(std::size_t size) {
  std::size_t seen = gp_test::largest_request.load();
  while (size > seen && !gp_test::largest_request.compare_exchange_weak(seen, size)) {
  }
  if (void* block = std::malloc(size == 0 ? 1 : size)) {
    return block;
  }
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

TEST_CASE("allocation watch: sees what a vector asks for") {
  gp_test::largest_request = 0;
  const std::vector<char> block(1 << 20);
  CHECK(gp_test::largest_request >= block.size());
}
