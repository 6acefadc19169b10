// SPDX-License-Identifier: MIT
#include "graphpatcher/io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/io/file_descriptor.hpp"
#include "io/system_calls.hpp"

namespace graphpatcher {

namespace {

using call_status = struct stat;

/// What is there under a name, without an error if nothing is. `look` follows links or doesn't.
std::optional<call_status> look_at(const std::filesystem::path& path, int (*look)(const char*, call_status*),
                                   const std::filesystem::path& about) {
  call_status status{};
  if (look(path.c_str(), &status) == 0) {
    return status;
  }
  if (errno != ENOENT && errno != ENOTDIR) {
    throw_file_error(about, "can't look at " + path.string(), errno);
  }
  return std::nullopt;
}

bool is_same(const call_status& a, const call_status& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/// Whether `path` is the name of the open file, and not that of another one by now.
bool is_name_of(const std::filesystem::path& path, const open_file& file, const std::filesystem::path& about) {
  call_status opened{};
  if (calls().status_of(file.get(), &opened) != 0) {
    throw_file_error(about, "can't look at " + path.string(), errno);
  }
  const auto named = look_at(path, calls().link_status, about);
  return named && is_same(*named, opened);
}

/// Waits until no other writer holds the file (LOCK_EX), or doesn't wait (with LOCK_NB). File systems without locks say
/// so, and are written without.
bool lock_file(const open_file& file, int how) {
  int failed = 0;
  do {
    failed = calls().lock(file.get(), how);
  } while (failed != 0 && errno == EINTR);
  return failed == 0 || errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP;
}

/// Takes away what a killed writer left, and waits for one that is alive. Whoever has the lock of a file and finds it
/// under this name may remove it or rename it; nobody else does. Other users are not waited for: they could keep us for
/// ever.
void remove_left_over(const std::filesystem::path& path, const std::filesystem::path& temporary) {
  const open_file left(calls().open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
  if (left.get() < 0 && errno == ENOENT) {
    return;  // its writer has just renamed it
  }
  const auto in_the_way = "can't write: " + temporary.string() + " is in the way";
  if (left.get() < 0) {
    throw_file_error(path, in_the_way + "; remove it", errno);
  }
  call_status status{};
  if (calls().status_of(left.get(), &status) != 0) {
    throw_file_error(path, in_the_way, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    throw file_error(path.string(), in_the_way + " and not a file; remove it");
  }
  const bool is_own = status.st_uid == ::geteuid();
  if (!lock_file(left, is_own ? LOCK_EX : LOCK_EX | LOCK_NB)) {
    throw_file_error(path, in_the_way + (is_own ? "" : ", and another user's program holds it"), errno);
  }
  if (is_name_of(temporary, left, path) && calls().remove(temporary.c_str()) != 0) {
    throw_file_error(path, in_the_way + " and can't be removed", errno);
  }
}

/// The file that new content goes to: made by us, empty, and locked. Removed on every way out, unless it has taken its
/// final name.
class temporary_file {
public:
  temporary_file(const std::filesystem::path& path, std::filesystem::path name, mode_t mode)
      : name_(std::move(name)), file_(make(path, mode)) {}
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    if (!kept_) {
      calls().remove(name_.c_str());
    }
  }

  int get() const noexcept { return file_.get(); }

  void rename_to(const std::filesystem::path& target, const std::filesystem::path& path) {
    if (calls().rename(name_.c_str(), target.c_str()) != 0) {
      throw_file_error(path, "can't take its name", errno);
    }
    kept_ = true;
  }

private:
  open_file make(const std::filesystem::path& path, mode_t mode) const {
    for (;;) {
      open_file file(
          calls().open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode));
      if (file.get() < 0 && errno == EEXIST) {
        remove_left_over(path, name_);
        continue;
      }
      if (file.get() < 0) {
        throw_file_error(path, "can't make the file " + name_.string(), errno);
      }
      try {
        if (!lock_file(file, LOCK_EX)) {
          throw_file_error(path, "can't lock the file " + name_.string(), errno);
        }
        if (is_name_of(name_, file, path)) {
          return file;
        }  // another writer, who came before our lock, took it for left over: once more
      } catch (...) {
        calls().remove(name_.c_str());
        throw;
      }
    }
  }

  std::filesystem::path name_;
  open_file file_;
  bool kept_ = false;
};

void write_all(int file, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = calls().write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      throw_file_error(path, "can't write", written < 0 ? errno : ENOSPC);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Opens a device or a pipe. A pipe waits until somebody reads it, and for a request to stop meanwhile.
open_file open_in_place(const std::filesystem::path& path, bool is_pipe) {
  for (;;) {
    open_file file(calls().open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0));
    if (file.get() < 0 && is_pipe && errno == ENXIO) {
      throw_if_interrupted("writing " + path.string());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    if (file.get() < 0 || calls().set_flags(file.get(), O_WRONLY) != 0) {
      throw_file_error(path, "can't open for writing", errno);
    }
    return file;
  }
}

/// A device or a pipe can't be replaced: it is written as it is.
void write_in_place(const std::filesystem::path& path, bool is_pipe, std::string_view content) {
  open_file file = open_in_place(path, is_pipe);
  write_all(file.get(), content, path);
  if (file.close() != 0 && errno != EINTR) {
    throw_file_error(path, "can't write", errno);
  }
}

/// Where the links of this name lead to in the end; a file need not be there.
std::filesystem::path follow_links(const std::filesystem::path& path) {
  std::filesystem::path target = path;
  for (int links = 0; links < 40; ++links) {  // as many as the system follows
    const auto status = look_at(target, calls().link_status, path);
    if (!status || !S_ISLNK(status->st_mode)) {
      return target;
    }
    std::array<char, PATH_MAX> there;
    const ssize_t length = calls().read_link(target.c_str(), there.data(), there.size());
    if (length < 0 || static_cast<std::size_t>(length) == there.size()) {
      throw_file_error(path, "can't follow the link " + target.string(), length < 0 ? errno : ENAMETOOLONG);
    }
    target = target.parent_path() / std::string_view(there.data(), static_cast<std::size_t>(length));
  }
  throw_file_error(path, "can't follow its links", ELOOP);
}

void make_directories(const std::filesystem::path& path, const std::filesystem::path& about) {
  const auto is_directory = [&] {
    const auto found = look_at(path, calls().status, about);
    if (found && !S_ISDIR(found->st_mode)) {
      throw file_error(about.string(), "can't make the directory " + path.string() + ": it is not a directory");
    }
    return found.has_value();
  };
  if (is_directory()) {
    return;
  }
  if (const auto parent = path.parent_path(); !parent.empty() && parent != path) {
    make_directories(parent, about);
  }
  const int failed = calls().make_directory(path.c_str(), 0777);
  const int reason = errno;
  if (failed != 0 && (reason != EEXIST || !is_directory())) {  // somebody else may have made it
    throw_file_error(about, "can't make the directory " + path.string(), reason);
  }
}

void expect_parent(const std::filesystem::path& path, const std::filesystem::path& parent) {
  const auto found = look_at(parent, calls().status, path);
  if (!found || !S_ISDIR(found->st_mode)) {
    throw file_error(path.string(),
                     found ? "can't write: " + parent.string() + " is not a directory"
                           : "can't write: the directory " + parent.string() + " does not exist; make it first");
  }
}

}  // namespace

bool file_exists(const std::filesystem::path& path) {
  return look_at(path, calls().status, path).has_value();
}

void make_directories(const std::filesystem::path& path) {
  expects(!path.empty(), "make_directories: expected a path, got an empty one");
  make_directories(path, path);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content, atomic_write_options options) {
  expects(!path.empty(), "write_file_atomically: expected a path, got an empty one");
  const auto before = look_at(path, calls().status, path);
  if (before && S_ISDIR(before->st_mode)) {
    throw file_error(path.string(), "can't write: this is a directory; name a file in it");
  }
  if (before && (S_ISCHR(before->st_mode) || S_ISFIFO(before->st_mode))) {
    write_in_place(path, S_ISFIFO(before->st_mode), content);
    return;
  }
  if (before && !S_ISREG(before->st_mode)) {
    throw file_error(path.string(), "can't write: this is neither a file nor a pipe");
  }
  const auto target = follow_links(path);
  if (before) {  // a link of /proc may name a file that is there no more
    const auto found = look_at(target, calls().link_status, path);
    if (!found || !is_same(*found, *before)) {
      throw file_error(path.string(), "can't write: it leads to a file that has lost its name");
    }
  }
  const auto parent = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  if (options.make_parents) {
    make_directories(parent, path);
  }
  expect_parent(path, parent);

  // Nobody may open it for reading who may not read what it replaces.
  const mode_t mode = before ? before->st_mode & 07777 : 0666;
  temporary_file temporary(path, parent / ("." + target.filename().string() + ".tmp"), mode & 0777);
  if (before && calls().set_mode(temporary.get(), mode) != 0) {
    throw_file_error(path, "can't set its permissions", errno);
  }
  write_all(temporary.get(), content, path);
  if (calls().sync(temporary.get()) != 0) {
    throw_file_error(path, "can't force it to disk", errno);
  }
  temporary.rename_to(target, path);
  // The name itself must reach the disk too; file systems that can't do that say EINVAL.
  const open_file directory(calls().open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (directory.get() >= 0 && calls().sync(directory.get()) != 0 && errno != EINVAL) {
    throw_file_error(path, "can't force its directory to disk", errno);
  }
}

}  // namespace graphpatcher
