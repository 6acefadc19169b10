// SPDX-License-Identifier: MIT
//
// The descriptors of cuBLASLt: bags of attributes, each with a size of its own.
#pragma once

#include <cublasLt.h>

#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "blas.hpp"

namespace gpu_host::runtime {

class attributes {
public:
  template <class T>
  void declare(int name, T initial) {
    values_[name].resize(sizeof(T));
    std::memcpy(values_[name].data(), &initial, sizeof(T));
  }

  template <class T>
  T get(int name) const {
    T value;
    std::memcpy(&value, values_.at(name).data(), sizeof(T));
    return value;
  }

  void set(int name, const void* from, std::size_t bytes) {
    const auto found = values_.find(name);
    require(found != values_.end(), CUBLAS_STATUS_NOT_SUPPORTED);
    require(from != nullptr && bytes == found->second.size(), CUBLAS_STATUS_INVALID_VALUE);
    std::memcpy(found->second.data(), from, bytes);
  }

  // Zero bytes ask for the size.
  void copy_out(int name, void* to, std::size_t bytes, std::size_t* written) const {
    const auto found = values_.find(name);
    require(found != values_.end(), CUBLAS_STATUS_NOT_SUPPORTED);
    require(bytes == 0 ? written != nullptr : to != nullptr && bytes == found->second.size(),
            CUBLAS_STATUS_INVALID_VALUE);
    if (bytes > 0) {
      std::memcpy(to, found->second.data(), bytes);
    }
    if (written != nullptr) {
      *written = found->second.size();
    }
  }

private:
  std::map<int, std::vector<std::byte>> values_;
};

struct lt_handle {
  int device;
};
struct lt_matmul : attributes {};
struct lt_layout : attributes {};
struct lt_preference : attributes {};

template <class Object>
Object& find_lt(const void* handle) {
  require(is_library_object(handle), CUBLAS_STATUS_INVALID_VALUE);
  return *static_cast<Object*>(const_cast<void*>(handle));
}

}  // namespace gpu_host::runtime
