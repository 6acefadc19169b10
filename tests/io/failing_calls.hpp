// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

#include "io/system_calls.hpp"

namespace gp_test {

/// The kinds of calls of the system that can be made to fail, as system_calls has them.
enum class call {
  open,
  status_of,
  status,
  link_status,
  read_link,
  read,
  map,
  write,
  sync,
  lock,
  set_mode,
  set_flags,
  rename,
  remove,
  make_directory,
  none
};

inline constexpr std::array<std::pair<call, std::string_view>, 15> failing_kinds{{
    {call::open, "open"},
    {call::status_of, "status_of"},
    {call::status, "status"},
    {call::link_status, "link_status"},
    {call::read_link, "read_link"},
    {call::read, "read"},
    {call::map, "map"},
    {call::write, "write"},
    {call::sync, "sync"},
    {call::lock, "lock"},
    {call::set_mode, "set_mode"},
    {call::set_flags, "set_flags"},
    {call::rename, "rename"},
    {call::remove, "remove"},
    {call::make_directory, "make_directory"},
}};

/// What the calls of this program do while a failing_calls lives.
inline struct {
  graphpatcher::system_calls system;
  call kind = call::none;
  long before = 0;         // calls of the kind that still do their work
  int reason = EIO;        // errno of the one that fails
  std::size_t failed = 0;  // calls that were made to fail
  long files = 0;          // open now
  long maps = 0;
  bool in_pieces = false;  // reads and writes take few bytes each, and are interrupted in between
  std::size_t turn = 0;
} call_plan;

/// While one lives, the call after the next `before` of a kind fails, and all others do their work; open files and maps
/// are counted.
class failing_calls {
public:
  explicit failing_calls(call kind, long before = 0, int reason = EIO) {
    auto& table = graphpatcher::calls();
    call_plan = {.system = table, .kind = kind, .before = before, .reason = reason};
    table = {
        .open =
            [](const char* path, int flags, mode_t mode) {
              const int file = fails(call::open) ? -1 : call_plan.system.open(path, flags, mode);
              call_plan.files += file >= 0;
              return file;
            },
        .close =
            [](int file) {
              --call_plan.files;
              return call_plan.system.close(file);
            },
        .status_of = [](int file,
                        struct stat* s) { return fails(call::status_of) ? -1 : call_plan.system.status_of(file, s); },
        .status = [](const char* path,
                     struct stat* s) { return fails(call::status) ? -1 : call_plan.system.status(path, s); },
        .link_status =
            [](const char* path, struct stat* s) {
              return fails(call::link_status) ? -1 : call_plan.system.link_status(path, s);
            },
        .read_link =
            [](const char* path, char* to, std::size_t most) {
              return fails(call::read_link) ? ssize_t{-1} : call_plan.system.read_link(path, to, most);
            },
        .read =
            [](int file, void* bytes, std::size_t size) {
              return fails(call::read) || interrupted() ? ssize_t{-1} : call_plan.system.read(file, bytes, piece(size));
            },
        .map =
            [](int file, std::size_t size) {
              void* const bytes = fails(call::map) ? MAP_FAILED : call_plan.system.map(file, size);
              call_plan.maps += bytes != MAP_FAILED;
              return bytes;
            },
        .unmap =
            [](void* bytes, std::size_t size) {
              --call_plan.maps;
              return call_plan.system.unmap(bytes, size);
            },
        .write =
            [](int file, const void* bytes, std::size_t size) {
              return fails(call::write) || interrupted() ? ssize_t{-1}
                                                         : call_plan.system.write(file, bytes, piece(size));
            },
        .sync = [](int file) { return fails(call::sync) ? -1 : call_plan.system.sync(file); },
        .lock = [](int file,
                   int how) { return fails(call::lock) || interrupted() ? -1 : call_plan.system.lock(file, how); },
        .set_mode = [](int file,
                       mode_t mode) { return fails(call::set_mode) ? -1 : call_plan.system.set_mode(file, mode); },
        .set_flags = [](int file,
                        int flags) { return fails(call::set_flags) ? -1 : call_plan.system.set_flags(file, flags); },
        .rename = [](const char* from,
                     const char* to) { return fails(call::rename) ? -1 : call_plan.system.rename(from, to); },
        .remove = [](const char* path) { return fails(call::remove) ? -1 : call_plan.system.remove(path); },
        .make_directory =
            [](const char* path, mode_t mode) {
              return fails(call::make_directory) ? -1 : call_plan.system.make_directory(path, mode);
            },
    };
  }
  ~failing_calls() { graphpatcher::calls() = call_plan.system; }
  failing_calls(const failing_calls&) = delete;
  failing_calls& operator=(const failing_calls&) = delete;

  bool reached() const { return call_plan.failed > 0; }

private:
  static bool fails(call kind) {
    if (kind != call_plan.kind || call_plan.before-- != 0) {
      return false;
    }
    ++call_plan.failed;
    errno = call_plan.reason;
    return true;
  }
  static bool interrupted() {
    errno = EINTR;
    return call_plan.in_pieces && ++call_plan.turn % 3 == 0;
  }
  static std::size_t piece(std::size_t count) { return call_plan.in_pieces && count > 1 ? 1 + count / 3 : count; }
};

}  // namespace gp_test
