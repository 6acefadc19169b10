// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

/// A file_error about what failed, with the reason of the errno `code`.
[[noreturn]] inline void throw_file_error(const std::filesystem::path& path, const std::string& action, int code) {
  throw file_error(path.string(), action + ": " + std::generic_category().message(code));
}

/// An open file that is closed on every way out.
class file_descriptor {
public:
  explicit file_descriptor(int value) noexcept : value_(value) {}
  file_descriptor(file_descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  file_descriptor& operator=(file_descriptor&&) = delete;
  ~file_descriptor() {
    if (value_ >= 0) {
      ::close(value_);
    }
  }

  int get() const noexcept { return value_; }

private:
  int value_;
};

}  // namespace graphpatcher
