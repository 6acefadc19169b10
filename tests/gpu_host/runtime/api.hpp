// SPDX-License-Identifier: MIT
//
// The frame of every function that the stand-in offers. A function is a lambda that throws `api_error`:
//   return api("cudaMalloc", needs::device, [&] { ... });
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>
#include <new>

namespace gpu_host::runtime {

struct api_error {
  cudaError_t code;
};

inline void require(bool condition, cudaError_t otherwise) {
  if (!condition) {
    throw api_error{otherwise};
  }
}

// What must be there before a function can do anything.
enum class needs { nothing, driver, device };

std::recursive_mutex& mutex();  // one caller at a time is inside the stand-in

// Counts the call. Returns what a test has asked this call to fail with; `status` 0 means nothing.
struct injection {
  int status = 0;
  bool by_name = true;  // false: any call was meant, and the status is a cudaError_t
};
injection count_call(const char* name);

// Throws if what the call needs isn't there, if the context is broken, or inside a host function of a stream.
void check_context(needs);

void set_last_error(cudaError_t);

template <class Body>
cudaError_t protect(Body&& body) {
  try {
    body();
    return cudaSuccess;
  } catch (const api_error& e) {
    return e.code;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
}

inline void require_no_injection(const injection& injected) {
  require(injected.status == 0, static_cast<cudaError_t>(injected.status));
}

template <class Body>
cudaError_t api(const char* name, needs need, Body&& body) {
  const std::scoped_lock lock(mutex());
  const cudaError_t result = protect([&] {
    require_no_injection(count_call(name));
    check_context(need);
    body();
  });
  if (result != cudaSuccess) {
    set_last_error(result);
  }
  return result;
}

}  // namespace gpu_host::runtime
