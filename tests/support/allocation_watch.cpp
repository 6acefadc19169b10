// SPDX-License-Identifier: MIT
#include "support/allocation_watch.hpp"

#include <malloc.h>

#include <cstdlib>
#include <new>

std::atomic<std::size_t> gp_test::largest_request{0};
std::atomic<std::size_t> gp_test::live_bytes{0};
std::atomic<std::size_t> gp_test::peak_bytes{0};
std::atomic<long> gp_test::requests_before_failure{-1};
std::atomic<std::size_t> gp_test::refused_requests{0};
std::atomic<bool> gp_test::only_one_fails{false};

namespace {

void raise_to(std::atomic<std::size_t>& highest, std::size_t value) {
  std::size_t seen = highest.load();
  while (value > seen && !highest.compare_exchange_weak(seen, value)) {
  }
}

/// Whether the next request must fail.
bool is_failing() {
  long left = gp_test::requests_before_failure.load();
  while (left > 0 && !gp_test::requests_before_failure.compare_exchange_weak(left, left - 1)) {
  }
  // -1 from now on: nobody else fails
  return left == 0 && (!gp_test::only_one_fails || gp_test::requests_before_failure.compare_exchange_strong(left, -1));
}

void* request(std::size_t size, std::size_t alignment) noexcept {
  if (is_failing()) {
    ++gp_test::refused_requests;
    return nullptr;
  }
  raise_to(gp_test::largest_request, size);
  size = size == 0 ? 1 : size;
  void* const block = alignment == 0 ? std::malloc(size)
                                     : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (block != nullptr) {
    const std::size_t usable = malloc_usable_size(block);
    raise_to(gp_test::peak_bytes, gp_test::live_bytes.fetch_add(usable) + usable);
  }
  return block;
}

void* require(std::size_t size, std::size_t alignment) {
  if (void* const block = request(size, alignment)) {
    return block;
  }
  throw std::bad_alloc();
}

void give_back(void* block) noexcept {
  if (block != nullptr) {
    gp_test::live_bytes -= malloc_usable_size(block);
    std::free(block);
  }
}

}  // namespace

void* operator new(std::size_t size) {
  return require(size, 0);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return request(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return require(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept {
  give_back(block);
}
void operator delete(void* block, std::size_t) noexcept {
  give_back(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  give_back(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  give_back(block);
}
