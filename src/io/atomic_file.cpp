// SPDX-License-Identifier: MIT
#include "graphpatcher/io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/io/file_descriptor.hpp"

namespace graphpatcher {

namespace {

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

/// Waits until no other writer holds the file. File systems without locks say
/// so, and are written without.
bool lock_file(int file) {
  int failed = 0;
  do {
    failed = ::flock(file, LOCK_EX);
  } while (failed != 0 && errno == EINTR);
  return failed == 0 || errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP;
}

/// Opens the file that new content goes to, empty and ours alone. What a killed
/// writer left under this name is used again, so there is never more than one.
file_descriptor open_temporary(const std::filesystem::path& path, const std::filesystem::path& temporary) {
  for (;;) {
    file_descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (file.get() < 0) {
      throw_file_error(path, "can't make the file " + temporary.string(), errno);
    }
    struct stat opened {};
    struct stat named {};
    if (!lock_file(file.get()) || ::fstat(file.get(), &opened) != 0) {
      throw_file_error(path, "can't lock the file " + temporary.string(), errno);
    }
    if (!S_ISREG(opened.st_mode)) {
      throw file_error(path.string(),
                       "can't write: " + temporary.string() + " is in the way and not a file; remove it");
    }
    // Another writer that we waited for has given the file its final name: make a new one.
    if (::lstat(temporary.c_str(), &named) != 0 || named.st_ino != opened.st_ino || named.st_dev != opened.st_dev) {
      continue;
    }
    if (::ftruncate(file.get(), 0) != 0) {
      throw_file_error(path, "can't empty the file " + temporary.string(), errno);
    }
    return file;
  }
}

void write_all(int file, std::string_view content, const std::filesystem::path& path) {
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

/// Opens a device or a pipe. A pipe waits until somebody reads it, and for a request to stop meanwhile.
file_descriptor open_in_place(const std::filesystem::path& path) {
  for (;;) {
    file_descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() >= 0) {
      ::fcntl(file.get(), F_SETFL, O_WRONLY);
      return file;
    }
    if (errno != ENXIO || !std::filesystem::is_fifo(path)) {
      throw_file_error(path, "can't open for writing", errno);
    }
    throw_if_interrupted("writing " + path.string());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// A device or a pipe can't be replaced: it is written as it is.
void write_in_place(const std::filesystem::path& path, std::string_view content) {
  const file_descriptor file = open_in_place(path);
  write_all(file.get(), content, path);
}

void ensure_parent(const std::filesystem::path& path, const std::filesystem::path& parent, bool make) {
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

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view content, atomic_write_options options) {
  expects(!path.empty(), "write_file_atomically: expected a path, got an empty one");
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (std::filesystem::is_directory(status)) {
    throw file_error(path.string(), "can't write: this is a directory; name a file in it");
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    write_in_place(path, content);
    return;
  }
  const auto target = std::filesystem::exists(status) ? std::filesystem::canonical(path, failure) : path;
  if (failure && std::filesystem::exists(status)) {
    throw_file_error(path, "can't find", failure.value());
  }
  const auto parent = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  ensure_parent(path, parent, options.make_parents);

  const auto temporary_path = parent / ("." + target.filename().string() + ".tmp");
  const file_descriptor file = open_temporary(path, temporary_path);
  temporary_file temporary{temporary_path};
  if (std::filesystem::exists(status) && ::fchmod(file.get(), static_cast<mode_t>(status.permissions())) != 0) {
    throw_file_error(path, "can't set its permissions", errno);
  }
  write_all(file.get(), content, path);
  if (::fsync(file.get()) != 0) {
    throw_file_error(path, "can't force it to disk", errno);
  }
  if (std::rename(temporary_path.c_str(), target.c_str()) != 0) {
    throw_file_error(path, "can't take its name", errno);
  }
  temporary.kept = true;
  // The name itself must reach the disk too; file systems that can't do that say EINVAL.
  const file_descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0 && ::fsync(directory.get()) != 0 && errno != EINVAL) {
    throw_file_error(path, "can't force its directory to disk", errno);
  }
}

}  // namespace graphpatcher
