// SPDX-License-Identifier: MIT
// Device arrays and launches for the tests of the engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine.hpp"

namespace gpu_host_tests {

namespace heap = gpu_host::device_heap;

/// Owned device memory. Copies in mark it as written, unless it was made by uninitialised().
template <class T>
class device_array {
public:
  explicit device_array(const std::vector<T>& values) : device_array(values.size(), nullptr) {
    std::copy(values.begin(), values.end(), heap::host_array(data_, size_));
    heap::mark_written(data_, size_ * sizeof(T));
  }
  static device_array uninitialised(std::size_t size) { return device_array(size, nullptr); }
  ~device_array() { heap::release(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;

  T* get() const { return data_; }
  std::vector<T> values() const {
    const T* first = heap::host_array(data_, size_);
    return {first, first + size_};
  }

private:
  device_array(std::size_t size, std::nullptr_t)
      : size_(size), data_(static_cast<T*>(heap::allocate(size * sizeof(T)))) {}
  std::size_t size_;
  T* data_;
};

template <class T>
struct kernel_argument {
  static const T& of(const T& value) { return value; }
};
template <class T>
struct kernel_argument<device_array<T>> {
  static T* of(const device_array<T>& array) { return array.get(); }
};

/// Launches a kernel by name; arguments are checked against its parameters.
template <class... Arguments>
void run(const std::string& name, gpu_host::launch_options shape, const Arguments&... arguments) {
  const gpu_host::kernel* what = gpu_host::find_kernel(name);
  if (!what)
    throw std::logic_error("no kernel " + name);
  if (what->parameters.size() != sizeof...(Arguments))
    throw std::logic_error("wrong number of arguments for " + name);
  alignas(16) std::byte buffer[512] = {};
  std::size_t index = 0;
  const auto add = [&](const auto& value) {
    const auto slot = what->parameters[index++];
    if (slot.size != sizeof(value))
      throw std::logic_error("wrong type of argument for " + name);
    std::memcpy(buffer + slot.offset, &value, sizeof(value));
  };
  (add(kernel_argument<Arguments>::of(arguments)), ...);
  gpu_host::launch(*what, shape, buffer);
}
inline gpu_host::launch_options grid(unsigned blocks, unsigned threads, std::size_t shared_bytes = 0) {
  return {{blocks, 1, 1}, {threads, 1, 1}, shared_bytes};
}

/// The fault of a launch, if there is one.
template <class Launch>
std::optional<gpu_host::fault> fault_of(Launch launch) {
  try {
    launch();
  } catch (const gpu_host::fault& caught) {
    return caught;
  }
  return std::nullopt;
}

/// The lines of a source file that are marked `line: <name>`.
inline std::vector<int> marked_lines(const std::string& file, const std::string& name) {
  std::ifstream source(file);
  std::vector<int> lines;
  std::string text;
  for (int number = 1; std::getline(source, text); ++number)
    if (const auto at = text.find("// line: " + name); at != std::string::npos && at + 9 + name.size() == text.size())
      lines.push_back(number);
  if (lines.empty())
    throw std::logic_error("no line of " + file + " is marked " + name);
  return lines;
}

/// Every kernel is right in whatever order blocks and threads run.
inline gpu_host::settings seeded(std::uint64_t seed) {
  gpu_host::settings made;
  made.seed = seed;
  made.preemptions_per_mille = seed % 2 ? 100 : 0;
  return made;
}

/// Settings for the time of a test.
class with_settings {
public:
  explicit with_settings(gpu_host::settings changed) : before_(gpu_host::current_settings()) {
    gpu_host::current_settings() = changed;
  }
  ~with_settings() { gpu_host::current_settings() = before_; }
  with_settings(const with_settings&) = delete;
  with_settings& operator=(const with_settings&) = delete;

private:
  gpu_host::settings before_;
};

/// n values from 0 to below `bound`, the same every time.
inline std::vector<int> numbers(std::size_t n, unsigned bound, unsigned seed = 1) {
  std::vector<int> made(n);
  for (int& each : made) {
    seed = seed * 1664525u + 1013904223u;
    each = int((seed >> 8) % bound);
  }
  return made;
}
template <class To>
std::vector<To> converted(const std::vector<int>& from) {
  return {from.begin(), from.end()};
}

}  // namespace gpu_host_tests
