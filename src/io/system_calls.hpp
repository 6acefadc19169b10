// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <utility>

namespace graphpatcher {

/// Every call of the system by which this library touches a file. They fail as the system's do: by what they return,
/// with the reason in errno. A test puts calls of its own in their place and makes any of them fail.
struct system_calls {
  int (*open)(const char* path, int flags, mode_t mode);
  int (*close)(int file);
  int (*status_of)(int file, struct stat* status);
  int (*status)(const char* path, struct stat* status);
  int (*link_status)(const char* path, struct stat* status);
  ssize_t (*read_link)(const char* path, char* target, std::size_t most);
  ssize_t (*read)(int file, void* bytes, std::size_t count);
  void* (*map)(int file, std::size_t count);
  int (*unmap)(void* bytes, std::size_t count);
  ssize_t (*write)(int file, const void* bytes, std::size_t count);
  int (*sync)(int file);
  int (*lock)(int file, int how);
  int (*set_mode)(int file, mode_t mode);
  int (*set_flags)(int file, int flags);
  int (*rename)(const char* from, const char* to);
  int (*remove)(const char* path);
  int (*make_directory)(const char* path, mode_t mode);
};

/// The calls in use: the system's.
system_calls& calls() noexcept;

/// An open file that is closed on every way out.
class open_file {
public:
  explicit open_file(int number) noexcept : number_(number) {}
  open_file(open_file&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  open_file& operator=(open_file&&) = delete;
  ~open_file() { close(); }

  int get() const noexcept { return number_; }

  /// 0, or -1 with errno: content that was taken could not be kept.
  int close() noexcept {
    const int number = std::exchange(number_, -1);
    return number >= 0 ? calls().close(number) : 0;
  }

private:
  int number_;
};

}  // namespace graphpatcher
