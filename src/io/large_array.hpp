// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/parallel_for.hpp"

namespace graphpatcher::detail {

/// Asks the system for pages of 2 MB under the memory at `begin`, where it has them, and for all of them at once, by
/// several threads. An array of hundreds of megabytes is then there after some hundred page faults instead of tens of
/// thousands, and whoever writes all over it finds its addresses in the processor's tables. A wish and no more: memory
/// that the system doesn't give now comes when it is touched. To be called before it is touched.
inline void want_large_pages([[maybe_unused]] const cpu& exec, [[maybe_unused]] void* begin,
                             [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / page * page;
  if (first >= last) {
    return;
  }
  ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#if defined(MADV_POPULATE_WRITE)
  parallel_for(exec, (last - first) / page, 4, [&](std::size_t from, std::size_t to) {
    ::madvise(reinterpret_cast<void*>(first + from * page), (to - from) * page, MADV_POPULATE_WRITE);
  });
#endif
#endif
}

/// `count` zeros, on large pages if they are many.
template <class T>
std::vector<T> zeros(const cpu& exec, std::size_t count) {
  std::vector<T> result;
  result.reserve(count);
  want_large_pages(exec, result.data(), count * sizeof(T));
  result.resize(count);
  return result;
}

}  // namespace graphpatcher::detail
