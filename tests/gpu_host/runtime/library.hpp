// SPDX-License-Identifier: MIT
//
// What the stand-ins for cuBLAS and cuSPARSE share: the frame of a call, handles, scalars on either side. Their work is
// queued in streams like kernels, and checked like kernels when it runs.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "api.hpp"
#include "memory.hpp"

namespace gpu_host::runtime {

template <class Status>
struct status_error {
  Status code;
};

template <class Status>
void require(bool condition, Status otherwise) {
  if (!condition) {
    throw status_error<Status>{otherwise};
  }
}

template <class Status>
Status status_of(cudaError_t);  // what the library makes of an error of the runtime

template <class Status, class Body>
Status library_call(const char* name, Body&& body) {
  const std::scoped_lock lock(mutex());
  Status own{};
  const cudaError_t result = protect([&] {
    const injection injected = count_call(name);
    if (injected.status != 0 && injected.by_name) {
      own = static_cast<Status>(injected.status);
      return;
    }
    require_no_injection(injected);
    try {
      body();
    } catch (const status_error<Status>& e) {
      own = e.code;
    }
  });
  return result == cudaSuccess ? own : status_of<Status>(result);
}

// Handles and descriptors are counted, and known: a dead one is noticed. Those whose destruction was made to fail live
// until the device is reset.
template <class Object, class... Arguments>
Object* make_library_object(Arguments&&... arguments) {
  const std::shared_ptr<Object> made(new Object{std::forward<Arguments>(arguments)...});
  state().library_objects.emplace(made.get(), made);
  return made.get();
}

inline void destroy_library_object(const void* object) {
  state().library_objects.erase(object);
}

inline bool is_library_object(const void* object) {
  return state().library_objects.count(object) != 0;
}

// alpha and beta: host scalars are read by the call, device scalars when the work runs.
template <class T>
class scalar {
public:
  scalar(const void* from, bool on_device)
      : on_device_(on_device), from_(from), value_(on_device ? T{} : *static_cast<const T*>(from)) {}

  T read(const std::string& what) const {
    if (!on_device_) {
      return value_;
    }
    const auto* content = reinterpret_cast<const T*>(readable(from_, sizeof(T), what));
    require_written(from_, sizeof(T), what);
    return *content;
  }

private:
  bool on_device_;
  const void* from_;
  T value_;
};

}  // namespace gpu_host::runtime
