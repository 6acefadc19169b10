// SPDX-License-Identifier: MIT
#include "io/system_calls.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace graphpatcher {

system_calls& calls() noexcept {
  static constinit system_calls table{
      .open = [](const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); },
      .close = ::close,
      .status_of = [](int file, struct stat* status) { return ::fstat(file, status); },
      .status = [](const char* path, struct stat* status) { return ::stat(path, status); },
      .link_status = [](const char* path, struct stat* status) { return ::lstat(path, status); },
      .read_link = ::readlink,
      .read = ::read,
      .map = [](int file, std::size_t count) { return ::mmap(nullptr, count, PROT_READ, MAP_PRIVATE, file, 0); },
      .unmap = ::munmap,
      .write = ::write,
      .sync = ::fsync,
      .lock = ::flock,
      .set_mode = ::fchmod,
      .set_flags = [](int file, int flags) { return ::fcntl(file, F_SETFL, flags); },
      .rename = std::rename,
      .remove = ::unlink,
      .make_directory = ::mkdir,
  };
  return table;
}

}  // namespace graphpatcher
