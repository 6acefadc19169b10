// SPDX-License-Identifier: MIT
#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/file_descriptor.hpp"
#include "io/system_calls.hpp"

namespace graphpatcher {

namespace {

struct opened_file {
  open_file file;
  std::size_t size = 0;
};

/// Opens a regular file: a pipe or a device has no size to check counts against.
opened_file open_for_reading(const std::filesystem::path& path, const std::string& hint) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  opened_file opened{open_file(calls().open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0))};
  const std::string remedy = hint.empty() ? hint : "; " + hint;
  if (opened.file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      throw file_error(path.string(), "no such file" + remedy);
    }
    throw_file_error(path, "can't be opened for reading", errno);
  }
  struct stat status {};
  if (calls().status_of(opened.file.get(), &status) != 0) {
    throw_file_error(path, "can't be looked at", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    throw file_error(path.string(), "not a regular file" + remedy);
  }
  opened.size = static_cast<std::size_t>(status.st_size);
  return opened;
}

}  // namespace

mapped_file::mapped_file(const std::filesystem::path& path, const std::string& hint) : path_(path.string()) {
  const auto opened = open_for_reading(path, hint);
  if (opened.size > 0) {  // no bytes can't be mapped
    void* const address = calls().map(opened.file.get(), opened.size);
    if (address == MAP_FAILED) {
      throw_file_error(path, text("can't map ", opened.size, " bytes"), errno);
    }
    data_ = static_cast<const char*>(address);
    size_ = opened.size;
    ::madvise(address, size_, MADV_SEQUENTIAL);
  }
}

mapped_file::mapped_file(mapped_file&& other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

mapped_file::~mapped_file() {
  if (data_ != nullptr) {
    calls().unmap(const_cast<char*>(data_), size_);
  }
}

std::vector<std::uint8_t> read_file(const std::filesystem::path& path, const std::string& hint) {
  const auto opened = open_for_reading(path, hint);
  std::vector<std::uint8_t> bytes(opened.size);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = calls().read(opened.file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno != EINTR) {
      throw_file_error(path, "can't be read", errno);
    }
    if (got == 0) {
      throw file_error(path.string(), text("expected ", bytes.size(), " bytes, could read ", done));
    }
    done += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return bytes;
}

}  // namespace graphpatcher
