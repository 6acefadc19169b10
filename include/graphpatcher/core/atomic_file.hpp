// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

struct atomic_write_options {
  bool make_parents = false;  ///< make missing directories on the way
};

namespace detail {

[[noreturn]] inline void throw_file_error(const std::filesystem::path& path, const std::string& action, int code) {
  throw file_error(path.string(), action + ": " + std::generic_category().message(code));
}

/// An open file that is closed on every way out.
class file_descriptor {
public:
  explicit file_descriptor(int value) noexcept : value_(value) {}
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() { close(); }

  int get() const noexcept { return value_; }
  bool close() noexcept { return value_ < 0 || ::close(std::exchange(value_, -1)) == 0; }

private:
  int value_;
};

/// A file that is removed on every way out, unless it was kept.
struct temporary_file {
  std::filesystem::path path;
  bool kept = false;

  ~temporary_file() {
    if (!kept) {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  }
};

inline void write_all(int file, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      throw_file_error(path, "can't write", errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// A device or a pipe can't be replaced: it is written as it is.
inline void write_in_place(const std::filesystem::path& path, std::string_view content) {
  file_descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) {
    throw_file_error(path, "can't open for writing", errno);
  }
  write_all(file.get(), content, path);
}

inline void ensure_parent(const std::filesystem::path& path, const std::filesystem::path& parent, bool make) {
  std::error_code failure;
  if (make) {
    std::filesystem::create_directories(parent, failure);
    if (failure) {
      throw_file_error(path, "can't make the directory " + parent.string(), failure.value());
    }
  }
  const auto status = std::filesystem::status(parent, failure);
  if (status.type() == std::filesystem::file_type::none) {
    throw_file_error(path, "can't look into " + parent.string(), failure.value());
  }
  if (!std::filesystem::is_directory(status)) {
    throw file_error(path.string(),
                     std::filesystem::exists(status)
                         ? "can't write: " + parent.string() + " is not a directory"
                         : "can't write: the directory " + parent.string() + " does not exist; make it first");
  }
}

}  // namespace detail

/// Writes a whole file, or nothing: the content goes to a new file beside it,
/// is forced to disk and then takes the name in one step. Whoever reads `path`
/// sees the old content or the new, never a part, also after a crash or a full
/// disk. A link is followed; a file keeps its permissions. Throws file_error.
inline void write_file_atomically(const std::filesystem::path& path, std::string_view content,
                                  atomic_write_options options = {}) {
  expects(!path.empty(), "write_file_atomically: expected a path, got an empty one");
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (std::filesystem::is_directory(status)) {
    throw file_error(path.string(), "can't write: this is a directory; name a file in it");
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    detail::write_in_place(path, content);
    return;
  }
  const auto target = std::filesystem::exists(status) ? std::filesystem::canonical(path, failure) : path;
  if (failure && std::filesystem::exists(status)) {
    detail::throw_file_error(path, "can't find", failure.value());
  }
  const auto parent = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  detail::ensure_parent(path, parent, options.make_parents);

  static std::atomic<unsigned> counter{0};
  const auto temporary_path =
      parent / text(".", target.filename().string(), ".", ::getpid(), ".", counter.fetch_add(1), ".tmp");
  detail::file_descriptor file(::open(temporary_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) {
    detail::throw_file_error(path, "can't make a file in " + parent.string(), errno);
  }
  detail::temporary_file temporary{temporary_path};
  if (std::filesystem::exists(status) && ::fchmod(file.get(), static_cast<mode_t>(status.permissions())) != 0) {
    detail::throw_file_error(path, "can't set its permissions", errno);
  }
  detail::write_all(file.get(), content, path);
  if (::fsync(file.get()) != 0 || !file.close()) {
    detail::throw_file_error(path, "can't write", errno);
  }
  if (std::rename(temporary_path.c_str(), target.c_str()) != 0) {
    detail::throw_file_error(path, "can't take its name", errno);
  }
  temporary.kept = true;
  // The name itself must reach the disk too; file systems that can't do that say EINVAL.
  detail::file_descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0 && ::fsync(directory.get()) != 0 && errno != EINVAL) {
    detail::throw_file_error(path, "can't force its directory to disk", errno);
  }
}

}  // namespace graphpatcher
