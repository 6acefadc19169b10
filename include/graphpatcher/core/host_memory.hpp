// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include "graphpatcher/core/executor.hpp"

/// Memory of a `cpu` executor, by the same names as a GPU's (device_memory.hpp).
namespace graphpatcher {

/// Storage starts on a cache line, so that no two threads share the first one
/// and vector loads of whole rows are aligned when the width allows.
inline constexpr std::size_t storage_alignment = 64;

namespace backend {

inline void* allocate(const cpu&, std::size_t bytes) {
  return ::operator new (bytes, std::align_val_t{storage_alignment});
}
inline void release(const cpu&, void* memory, std::size_t) noexcept {
  ::operator delete (memory, std::align_val_t{storage_alignment});
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
