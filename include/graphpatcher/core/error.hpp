// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

#include "graphpatcher/core/text.hpp"

/// Everything the library throws. Each type names a kind of mistake, so that a
/// caller can tell a bad argument from a bad file; each message says what was
/// expected, what was got and, where that helps, what to do.
namespace graphpatcher {

/// Base of all errors of this library.
class error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// An option or argument outside the values a function takes.
class argument_error : public error {
public:
  using error::error;
};

/// Matrices or arrays whose sizes do not fit together.
class shape_error : public error {
public:
  using error::error;
};

/// A node id, label or other index outside its range.
class index_error : public error {
public:
  using error::error;
};

/// A count that does not fit the chosen index type.
class overflow_error : public error {
public:
  using error::error;
};

/// A NaN or an infinity where finite numbers are needed.
class numeric_error : public error {
public:
  using error::error;
};

/// A backend that this program was built without, that can't be used on this machine
/// or has no such operation.
class backend_error : public error {
public:
  using error::error;
};

/// A call of CUDA, cuBLAS or cuSPARSE that failed.
class cuda_error : public backend_error {
public:
  using backend_error::backend_error;
};

/// Device memory that could not be had; says how much was asked for.
class out_of_memory_error : public backend_error {
public:
  using backend_error::backend_error;
};

/// Work that was stopped on request (Ctrl-C) before it was finished.
class interrupted_error : public error {
public:
  using error::error;
};

/// A file that can't be opened, read or written.
class file_error : public error {
public:
  file_error(std::string path, const std::string& what) : error(path + ": " + what), path_(std::move(path)) {}

  const std::string& path() const noexcept { return path_; }

private:
  std::string path_;
};

/// A file whose content is not what its format promises, and where.
class format_error : public file_error {
public:
  format_error(std::string path, std::uint64_t offset, const std::string& what)
      : file_error(std::move(path), "at byte " + std::to_string(offset) + ": " + what), offset_(offset) {}

  std::uint64_t offset() const noexcept { return offset_; }

private:
  std::uint64_t offset_;
};

namespace detail {

/// Apart from the check, so that the check is short wherever it is compiled.
template <class Error>
[[noreturn, gnu::cold, gnu::noinline]] void fail(std::initializer_list<text_part> parts) {
  throw Error(joined(parts));
}

}  // namespace detail

/// Throws `Error` with the joined parts as its message unless `condition`
/// holds. Checked in every build: a precondition is part of the interface.
template <class Error = argument_error, class... Parts>
void expects(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]] {
    detail::fail<Error>({parts...});
  }
}

}  // namespace graphpatcher
