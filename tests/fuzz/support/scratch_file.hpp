// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "fuzz/targets/targets.hpp"

namespace gp_fuzz {

/// A file in memory under a name, for readers that take a path and look at its
/// suffix: a link NAME in a folder of its own leads to the memory. Nothing
/// touches a disk, so a fuzzer can fill it a hundred thousand times a second.
class scratch_file {
public:
  explicit scratch_file(const std::string& name) : memory_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    folder_ = (std::filesystem::temp_directory_path() / "graphpatcher_fuzz_XXXXXX").string();
    if (memory_ < 0 || ::mkdtemp(folder_.data()) == nullptr) {
      throw std::runtime_error("expected a file in memory and a folder in " + folder_);
    }
    path_ = std::filesystem::path(folder_) / name;
    std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(memory_), path_);
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() {
    ::close(memory_);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// The file with this content.
  const std::filesystem::path& holding(bytes content) const {
    const bool empty = ::ftruncate(memory_, 0) == 0;
    if (!empty || ::pwrite(memory_, content.data(), content.size(), 0) != static_cast<ssize_t>(content.size())) {
      throw std::runtime_error("a file in memory could not be written");
    }
    return path_;
  }
  const std::filesystem::path& holding(const std::string& content) const {
    return holding(bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size()));
  }

private:
  int memory_;
  std::string folder_;
  std::filesystem::path path_;
};

}  // namespace gp_fuzz
