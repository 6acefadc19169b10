// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include "graphpatcher/core/executor.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

/// Memory of a `cpu` executor, by the same names as a device's (device_memory.hpp).
namespace graphpatcher {

/// Storage starts on a cache line, so that no two threads share the first one
/// and vector loads of whole rows are aligned when the width allows.
inline constexpr std::size_t storage_alignment = 64;

namespace backend {

/// Large storage asks for huge pages: weights and tables are walked through in
/// columns and gathered by row, where every access is on another page.
inline constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::align_val_t alignment_of(std::size_t bytes) noexcept {
  return std::align_val_t{bytes < 2 * huge_page ? storage_alignment : huge_page};
}

inline void* allocate(const cpu&, std::size_t bytes) {
  void* const memory = ::operator new(bytes, alignment_of(bytes));
#if defined(MADV_HUGEPAGE)
  if (bytes >= 2 * huge_page) {
    madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);  // a wish: it may be refused
  }
#endif
  return memory;
}
inline void release(const cpu&, void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, alignment_of(bytes));
}
inline void copy_bytes(const cpu&, void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) {
    std::memcpy(to, from, bytes);
  }
}
inline void clear_bytes(const cpu&, void* memory, std::size_t bytes) {
  if (bytes > 0) {
    std::memset(memory, 0, bytes);
  }
}
inline void upload(const cpu& exec, void* to, const void* from, std::size_t bytes) {
  copy_bytes(exec, to, from, bytes);
}
inline void download(const cpu& exec, void* to, const void* from, std::size_t bytes) {
  copy_bytes(exec, to, from, bytes);
}

}  // namespace backend
}  // namespace graphpatcher
