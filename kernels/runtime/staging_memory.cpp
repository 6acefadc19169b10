// SPDX-License-Identifier: MIT
#include "kernels/runtime/staging_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/runtime/check.hpp"

namespace graphpatcher {
namespace {

constexpr std::size_t first_chunk = std::size_t{1} << 16;
constexpr std::size_t alignment = 256;

}  // namespace

void staging_memory::begin_run() {
  current_ ^= 1;
  arena& space = arenas_[current_];
  if (!space.done) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    space.done.reset(event);
  }
  check(cudaEventSynchronize(space.done.get()), "cudaEventSynchronize");
  // The last chunk is the largest. Smaller ones go: runs are alike, and a chunk for all of it will come.
  if (space.chunks.size() > 1) {
    space.chunks.erase(space.chunks.begin(), space.chunks.end() - 1);
  }
  space.used = 0;
}

const void* staging_memory::keep(const void* host, std::size_t bytes) {
  arena& space = arenas_[current_];
  if (space.chunks.empty() || bytes > space.chunks.back().size - space.used) {
    const std::size_t last = space.chunks.empty() ? first_chunk / 2 : space.chunks.back().size;
    const std::size_t size = std::max(2 * last, bytes);
    void* memory = nullptr;
    check(cudaMallocHost(&memory, size), "cudaMallocHost");
    pinned_memory owned(static_cast<std::byte*>(memory));
    space.chunks.push_back({std::move(owned), size});
    space.used = 0;
  }
  std::byte* const copy = space.chunks.back().memory.get() + space.used;
  std::memcpy(copy, host, bytes);
  const std::size_t end = (space.used + bytes + alignment - 1) / alignment * alignment;
  space.used = std::min(end, space.chunks.back().size);
  return copy;
}

void staging_memory::end_run(cudaStream_t stream) {
  check(cudaEventRecord(arenas_[current_].done.get(), stream), "cudaEventRecord");
}

}  // namespace graphpatcher
