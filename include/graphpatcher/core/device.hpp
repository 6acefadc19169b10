// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "graphpatcher/core/error.hpp"

/// What a library gives to run operations elsewhere than on the processor: memory,
/// and tables of functions (operands/operations.hpp). docs/adding-a-backend.md has a
/// whole one.
namespace graphpatcher {

class device;

namespace backend {

/// Bytes that a device has taken for this program, and those of them that are
/// handed out.
struct memory_use {
  std::size_t bytes_held;
  std::size_t bytes_in_use;
};

/// A table of functions, as it is looked up: by its type.
struct function_table {
  const std::type_info* type;
  const void* functions;

  /// `table` must stay where it is.
  template <class Table>
  explicit function_table(const Table& table) noexcept : type(&typeid(Table)), functions(&table) {}
};

/// Work that is recorded and then submitted at once.
class work_recorder {
public:
  virtual ~work_recorder() = default;

  /// Runs what `body` submits to `exec`; body is called every time.
  template <class Body>
  void run(const device& exec, Body& body) {
    using work_type = std::remove_const_t<Body>;
    record(
        exec, [](void* work) { (*static_cast<Body*>(work))(); }, const_cast<work_type*>(&body));
  }

private:
  virtual void record(const device& exec, void (*body)(void*), void* work) = 0;
};

/// A device's memory and operations. What is submitted runs in one order, as in a
/// stream; what reads numbers back waits for it, nothing else need. Errors are
/// backend_error and what derives from it.
class accelerator {
public:
  virtual ~accelerator() = default;

  /// As errors name it: "the ... backend".
  virtual std::string_view name() const noexcept = 0;

  /// Aligned for every number, null for 0 bytes. Throws out_of_memory_error.
  virtual void* allocate(std::size_t bytes) = 0;
  /// `bytes` as they were asked for. What is submitted already may still use it.
  virtual void release(void* memory, std::size_t bytes) noexcept = 0;
  virtual memory_use use() const noexcept = 0;

  /// Host to device; `host` may change as soon as this returns.
  virtual void upload(void* to, const void* host, std::size_t bytes) = 0;
  /// Device to host; waits until the numbers are there.
  virtual void download(void* host, const void* from, std::size_t bytes) = 0;
  /// Device to device.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  /// All bytes zero.
  virtual void clear(void* memory, std::size_t bytes) = 0;
  /// Waits until everything submitted so far is done; throws what went wrong.
  virtual void synchronize() = 0;

  /// The operations it has. What is missing throws when it is called.
  virtual std::span<const function_table> tables() const noexcept = 0;

  /// Its own handle of the order that work runs in, such as a cudaStream_t.
  virtual void* stream_handle() const noexcept { return nullptr; }
  /// One that records work; null where there is nothing to gain.
  virtual std::unique_ptr<work_recorder> make_recorder() { return nullptr; }
  /// How many recordings were given up before they ran: what was uploaded in them
  /// has not arrived.
  virtual std::uint64_t dropped_recordings() const noexcept { return 0; }
};

}  // namespace backend

/// Runs operations on a device of some backend: a handle, copies share the device.
/// Operations may return before they are done. One device serves one thread of the
/// program at a time.
class device {
public:
  explicit device(std::shared_ptr<backend::accelerator> behind) : behind_(std::move(behind)) {
    expects<backend_error>(behind_ != nullptr, "device: expected an accelerator, got a null pointer");
  }
  device(const device&) = default;  // and no move, which would leave a handle of nothing
  device& operator=(const device&) = default;

  std::string_view name() const noexcept { return behind_->name(); }
  /// The backend's own handle, for CUDA the cudaStream_t; null where it has none.
  void* stream() const noexcept { return behind_->stream_handle(); }
  /// Waits until everything submitted so far is done; throws what went wrong.
  void synchronize() const { behind_->synchronize(); }

  backend::accelerator& behind() const noexcept { return *behind_; }

private:
  std::shared_ptr<backend::accelerator> behind_;
};

namespace backend {

/// The device's table of this type, null if it has none.
template <class Table>
const Table* find_table(const device& exec) noexcept {
  for (const auto& table : exec.behind().tables()) {
    if (*table.type == typeid(Table)) {
      return static_cast<const Table*>(table.functions);
    }
  }
  return nullptr;
}

/// Whether the device has an operation.
template <class Table, class Function>
bool has_operation(const device& exec, Function Table::*entry) noexcept {
  const Table* const table = find_table<Table>(exec);
  return table != nullptr && table->*entry != nullptr;
}

[[noreturn]] inline void throw_missing_operation(const device& exec, const char* name, const std::string& types) {
  throw backend_error(text("the ", exec.name(), " backend has no ", name, " for ", types,
                           "; link a version of it whose table has that entry, or use graphpatcher::cpu"));
}

/// An operation of the device. Throws backend_error where it has none.
template <class Table, class Function>
Function find_operation(const device& exec, Function Table::*entry, const char* name) {
  const Table* const table = find_table<Table>(exec);
  if (table == nullptr || table->*entry == nullptr) [[unlikely]] {
    throw_missing_operation(exec, name, Table::types());
  }
  return table->*entry;
}

}  // namespace backend
}  // namespace graphpatcher
