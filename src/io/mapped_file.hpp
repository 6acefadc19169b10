// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/file_descriptor.hpp"

namespace graphpatcher {

/// The bytes of a regular file, mapped into memory: nothing is copied, and the
/// system may drop pages that were read. For text of any size. `hint` ends the
/// message when the file is not there.
///
/// A file must not be cut short while it is mapped: no program can turn that
/// into an exception. A file that is replaced by a rename, as careful writers
/// do it, is safe.
class mapped_file {
public:
  explicit mapped_file(const std::filesystem::path& path, const std::string& hint = {}) : path_(path.string()) {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    const file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const std::string remedy = hint.empty() ? hint : "; " + hint;
    if (file.get() < 0) {
      throw file_error(path_, errno == ENOENT || errno == ENOTDIR
                                  ? "no such file" + remedy
                                  : "can't be opened for reading; check its permissions");
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
      throw file_error(path_, "not a regular file" + remedy);
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0) {  // no bytes can't be mapped
      void* const address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
      if (address == MAP_FAILED) {
        throw_file_error(path, text("can't map ", size_, " bytes"), errno);
      }
      data_ = static_cast<const char*>(address);
      ::madvise(address, size_, MADV_SEQUENTIAL);
    }
  }
  mapped_file(mapped_file&& other) noexcept
      : path_(std::move(other.path_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  mapped_file& operator=(mapped_file&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~mapped_file() {
    if (data_ != nullptr) {
      ::munmap(const_cast<char*>(data_), size_);
    }
  }

  const std::string& path() const noexcept { return path_; }
  std::size_t size() const noexcept { return size_; }
  std::string_view characters() const noexcept { return {data_, size_}; }
  std::span<const std::uint8_t> bytes() const noexcept { return {reinterpret_cast<const std::uint8_t*>(data_), size_}; }

private:
  std::string path_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace graphpatcher
