// SPDX-License-Identifier: MIT
// Memory that AddressSanitizer can't know by itself. Without it these do nothing.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define GPU_HOST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GPU_HOST_ASAN 1
#endif
#endif
#ifdef GPU_HOST_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace gpu_host::asan {

/// Every access of the host to these bytes is an error from now on.
inline void forbid([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef GPU_HOST_ASAN
  __asan_poison_memory_region(begin, bytes);
#endif
}

inline void allow([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef GPU_HOST_ASAN
  __asan_unpoison_memory_region(begin, bytes);
#endif
}

}  // namespace gpu_host::asan
