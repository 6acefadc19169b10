// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "graphpatcher/io/dataset_catalog.hpp"
#include "io/mapped_file.hpp"
#include "io/system_calls.hpp"
#include "support/temporary_folder.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// What write_file_atomically() asks fsync() for, and what it is told, in tests with one thread.
struct {
  bool recording = false;
  int failure = 0;                  // errno of the calls; 0: they do their work
  fs::path watched;                 // its content at each call
  std::vector<std::string> synced;  // "file" or "directory"
  std::vector<std::string> content;
} fsync_calls;

}  // namespace

/// Takes the place of the C library's for this program.
extern "C" int fsync(int file) {
  if (fsync_calls.recording) {
    struct stat status {};
    ::fstat(file, &status);
    fsync_calls.synced.push_back(S_ISDIR(status.st_mode) ? "directory" : "file");
    std::ifstream now(fsync_calls.watched, std::ios::binary);
    fsync_calls.content.emplace_back(std::istreambuf_iterator<char>(now), std::istreambuf_iterator<char>());
  }
  errno = fsync_calls.failure;
  return fsync_calls.failure != 0 ? -1 : static_cast<int>(::syscall(SYS_fsync, file));
}

namespace {

/// A directory of its own for one test.
struct scratch_directory {
  scratch_directory() {
    std::string name = (fs::temp_directory_path() / "graphpatcher_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    path = name;
  }
  ~scratch_directory() {
    fs::permissions(path, fs::perms::owner_all);
    fs::remove_all(path);
  }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {})); }

  fs::path path;
};

/// Root may write everywhere: while one lives, root is nobody.
struct ordinary_user {
  ordinary_user() : changed(::geteuid() == 0 && ::seteuid(65534) == 0) {}
  ~ordinary_user() {
    if (changed && ::seteuid(0) != 0) {
      std::abort();
    }
  }
  bool changed;
};

ino_t inode(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_ino;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs `work` in a process of its own, which tells by its exit code.
template <class Work>
int in_child(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(work());
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

constexpr int refused = 0;   // with the error that was expected
constexpr int accepted = 1;  // or with another error
constexpr int cannot = 2;    // be tried here

/// Whether writing fails with a file_error that says `reason`.
int refuses(const fs::path& path, const std::string& content, const std::string& reason) {
  try {
    write_file_atomically(path, content);
  } catch (const file_error& failure) {
    return std::string(failure.what()).find(reason) != std::string::npos ? refused : accepted;
  }
  return accepted;
}

}  // namespace

TEST_CASE("a file is written whole and replaced whole", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  const std::string bytes("a\0b\n", 4);
  write_file_atomically(path, bytes);
  CHECK(content_of(path) == bytes);
  const std::string large(3 << 20, 'x');
  write_file_atomically(path, large);
  CHECK(content_of(path) == large);
  write_file_atomically(path, "");
  CHECK(content_of(path).empty());
  CHECK(scratch.files() == 1);
}

TEST_CASE("a replaced file keeps its permissions, and a link its place", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  write_file_atomically(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  fs::create_symlink(path, scratch.path / "link");
  write_file_atomically(scratch.path / "link", "new");
  CHECK(content_of(path) == "new");
  CHECK(fs::is_symlink(scratch.path / "link"));
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read));
  CHECK(scratch.files() == 2);
}

TEST_CASE("a missing directory is an error, or made on request", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "out" / "demo" / "result.json";
  CHECK_THROWS_AS(write_file_atomically(path, "x"), file_error);
  CHECK_THROWS_WITH(write_file_atomically(path, "x"),
                    Contains(path.string()) && Contains("directory") && Contains("does not exist"));
  CHECK(scratch.files() == 0);
  write_file_atomically(path, "x", {.make_parents = true});
  CHECK(content_of(path) == "x");

  const auto below_file = path / "deeper.json";
  CHECK_THROWS_WITH(write_file_atomically(below_file, "x"), Contains("is not a directory"));
  CHECK_THROWS_AS(write_file_atomically(below_file, "x", {.make_parents = true}), file_error);
}

TEST_CASE("a directory can't be written as a file", "[atomic_file]") {
  const scratch_directory scratch;
  CHECK_THROWS_AS(write_file_atomically(scratch.path, "x"), file_error);
  CHECK_THROWS_WITH(write_file_atomically(scratch.path, "x"), Contains("is a directory"));
  CHECK_THROWS_AS(write_file_atomically("", "x"), argument_error);
}

TEST_CASE("a directory without write permission is an error and stays as it was", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  write_file_atomically(path, "old");
  fs::permissions(scratch.path, static_cast<fs::perms>(0555));
  const ordinary_user user;
  if (::geteuid() == 0) {
    WARN("skipped: root may write everywhere, and can't become another user here");
    return;
  }
  CHECK_THROWS_AS(write_file_atomically(path, "new"), file_error);
  CHECK_THROWS_WITH(write_file_atomically(path, "new"), Contains(path.string()) && Contains("Permission denied"));
  CHECK(content_of(path) == "old");
  CHECK(scratch.files() == 1);
}

TEST_CASE("a directory that can't be entered is not called missing", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "inner" / "result.json";
  fs::create_directory(path.parent_path());
  fs::permissions(scratch.path, fs::perms::none);
  const ordinary_user user;
  if (::geteuid() == 0) {
    WARN("skipped: root may enter everything, and can't become another user here");
    return;
  }
  CHECK_THROWS_AS(write_file_atomically(path, "new"), file_error);
  CHECK_THROWS_WITH(write_file_atomically(path, "new"), Contains("Permission denied") && !Contains("does not exist"));
}

TEST_CASE("a name too long is an error and leaves nothing behind", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / std::string(400, 'n');
  CHECK_THROWS_AS(write_file_atomically(path, "x"), file_error);
  CHECK_THROWS_WITH(write_file_atomically(path, "x"), Contains("too long"));
  CHECK(scratch.files() == 0);
}

TEST_CASE("a device is written, not replaced", "[atomic_file]") {
  CHECK_NOTHROW(write_file_atomically("/dev/null", "x"));
  CHECK(fs::is_character_file("/dev/null"));
  if (fs::exists("/dev/full")) {
    CHECK_THROWS_AS(write_file_atomically("/dev/full", "x"), file_error);
    CHECK_THROWS_WITH(write_file_atomically("/dev/full", "x"), Contains("No space left"));
  }
}

TEST_CASE("readers see the old file or the new, never a part", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  const std::string first(100000, 'a');
  const std::string second(200000, 'b');
  write_file_atomically(path, first);
  std::thread writer([&] {
    for (int round = 0; round < 10; ++round) {
      write_file_atomically(path, round % 2 == 0 ? second : first);
    }
  });
  int torn = 0;
  for (int round = 0; round < 50; ++round) {
    const auto content = content_of(path);
    torn += content != first && content != second;
  }
  writer.join();
  CHECK(torn == 0);
}

TEST_CASE("content is forced to disk before it takes the name, the name after", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  write_file_atomically(path, "old");
  fsync_calls = {true, 0, path, {}, {}};
  write_file_atomically(path, "new");
  CHECK(fsync_calls.synced == std::vector<std::string>{"file", "directory"});
  CHECK(fsync_calls.content == std::vector<std::string>{"old", "new"});

  fsync_calls = {true, EIO, path, {}, {}};
  CHECK_THROWS_WITH(write_file_atomically(path, "lost"), Contains("can't force it to disk") && Contains("error"));
  CHECK(content_of(path) == "new");
  CHECK(scratch.files() == 1);
  fsync_calls = {};
}

TEST_CASE("a full disk is an error and leaves the old file", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  const std::string large(1 << 20, 'n');
  SECTION("a file may not grow further") {
    write_file_atomically(path, "old");
    const int result = in_child([&] {
      const rlimit most{4096, 4096};
      ::signal(SIGXFSZ, SIG_IGN);
      return ::setrlimit(RLIMIT_FSIZE, &most) == 0 ? refuses(path, large, "File too large") : cannot;
    });
    CHECK(result == refused);
    CHECK(content_of(path) == "old");
    CHECK(scratch.files() == 1);
  }
  SECTION("a file system of 64 kB") {
    const int result = in_child([&] {
      if (::unshare(::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0 ||
          ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          ::mount("tmpfs", scratch.path.c_str(), "tmpfs", 0, "size=64k") != 0) {
        return cannot;
      }
      write_file_atomically(path, "old");
      const int outcome = refuses(path, large, "No space left");
      return content_of(path) == "old" && scratch.files() == 1 ? outcome : accepted;
    });
    if (result == cannot) {
      WARN("skipped: no small file system can be mounted here");
      return;
    }
    CHECK(result == refused);
  }
}

TEST_CASE("killed at any moment, a writer leaves the old file or the new, and at most one other", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  const std::string contents[] = {std::string(300000, 'a'), std::string(200001, 'b')};
  write_file_atomically(path, contents[0]);
  std::mt19937 random(1);
  std::uniform_int_distribution<int> microseconds(0, 20000);
  std::size_t torn = 0;
  std::size_t most_files = 0;
  std::size_t seen[2] = {0, 0};
  for (int round = 0; round < 250; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (unsigned turn = 0;; ++turn) {
        write_file_atomically(path, contents[turn % 2]);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    const auto now = content_of(path);
    torn += now != contents[0] && now != contents[1];
    ++seen[now == contents[1]];
    most_files = std::max(most_files, scratch.files());
  }
  CHECK(torn == 0);
  CHECK(most_files == 2);  // result.json, and .result.json.tmp after some of the kills
  CHECK(seen[0] > 0);
  CHECK(seen[1] > 0);
  write_file_atomically(path, "done");  // uses the one that was left, and takes it away
  CHECK(scratch.files() == 1);
}

TEST_CASE("writers of one file wait for each other", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  const std::string contents[] = {std::string(300000, 'a'), std::string(200000, 'b'), std::string(100000, 'c')};
  std::vector<std::thread> writers;
  for (const auto& content : contents) {
    writers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        write_file_atomically(path, content);
      }
    });
  }
  for (auto& writer : writers) {
    writer.join();
  }
  const auto last = content_of(path);
  CHECK((last == contents[0] || last == contents[1] || last == contents[2]));
  CHECK(scratch.files() == 1);
}

TEST_CASE("what is found under the temporary's name is never written to", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  const auto temporary = scratch.path / ".result.json.tmp";
  const auto victim = scratch.path / "victim";
  write_file_atomically(victim, "precious");
  SECTION("a hard link to another file") {
    fs::create_hard_link(victim, temporary);
    write_file_atomically(path, "new");
  }
  SECTION("a file that somebody has open") {
    const std::ofstream held(temporary);
    const auto before = inode(temporary);
    const int reader = ::open(temporary.c_str(), O_RDWR);
    write_file_atomically(path, "new");
    CHECK(inode(path) != before);
    struct stat status {};
    CHECK(::fstat(reader, &status) == 0);
    CHECK(status.st_size == 0);
    ::close(reader);
  }
  SECTION("another user's file") {
    std::ofstream(temporary) << "theirs";
    if (::chown(temporary.c_str(), 65534, 65534) != 0) {
      WARN("skipped: only root can make another user's file");
      return;
    }
    fs::permissions(temporary, static_cast<fs::perms>(0666));
    write_file_atomically(path, "new");
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK(status.st_uid == ::geteuid());
    CHECK((status.st_mode & 0022) == 0);
  }
  CHECK(content_of(path) == "new");
  CHECK(content_of(victim) == "precious");
  CHECK(fs::hard_link_count(victim) == 1);
  CHECK(scratch.files() == 2);
}

TEST_CASE("another user who holds the temporary is not waited for", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  const auto temporary = scratch.path / ".result.json.tmp";
  std::ofstream(temporary) << "theirs";
  if (::chown(temporary.c_str(), 65534, 65534) != 0) {
    WARN("skipped: only root can make another user's file");
    return;
  }
  const int holder = ::open(temporary.c_str(), O_RDONLY);
  REQUIRE(::flock(holder, LOCK_EX) == 0);
  CHECK_THROWS_AS(write_file_atomically(path, "new"), file_error);
  CHECK_THROWS_WITH(write_file_atomically(path, "new"), Contains("another user's program holds it"));
  CHECK(content_of(temporary) == "theirs");
  ::close(holder);
  write_file_atomically(path, "new");
  CHECK(content_of(path) == "new");
  CHECK(scratch.files() == 1);
}

TEST_CASE("while it is written, nobody may read it who may not read what it replaces", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "secret.json";
  write_file_atomically(path, "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  static mode_t made;
  static system_calls system;
  made = 0777;
  system = calls();
  calls().open = [](const char* name, int flags, mode_t mode) {
    made = (flags & O_CREAT) != 0 ? mode : made;
    return system.open(name, flags, mode);
  };
  write_file_atomically(path, "new");
  calls() = system;
  CHECK(made == 0600);
  CHECK((fs::status(path).permissions() & fs::perms::mask) == static_cast<fs::perms>(0600));
}

TEST_CASE("links are followed to where they lead, or refused", "[atomic_file]") {
  const scratch_directory scratch;
  const auto link = scratch.path / "link";
  SECTION("to a file that isn't there yet, by way of another link") {
    fs::create_directory(scratch.path / "deep");
    fs::create_symlink("deep/other", link);
    fs::create_symlink("../new.json", scratch.path / "deep/other");
    write_file_atomically(link, "new");
    CHECK(content_of(scratch.path / "new.json") == "new");
    write_file_atomically(link, "newer");
    CHECK(content_of(scratch.path / "new.json") == "newer");
    CHECK(fs::is_symlink(link));
    CHECK(fs::is_symlink(scratch.path / "deep/other"));
  }
  SECTION("to a directory that isn't there") {
    fs::create_symlink("none/new.json", link);
    CHECK_THROWS_WITH(write_file_atomically(link, "new"), Contains("does not exist; make it first"));
    write_file_atomically(link, "new", {.make_parents = true});
    CHECK(content_of(scratch.path / "none/new.json") == "new");
  }
  SECTION("in a circle") {
    fs::create_symlink("round", link);
    fs::create_symlink("link", scratch.path / "round");
    CHECK_THROWS_AS(write_file_atomically(link, "new"), file_error);
    CHECK_THROWS_WITH(write_file_atomically(link, "new"), Contains("Too many levels of symbolic links"));
    CHECK(scratch.files() == 2);
  }
}

TEST_CASE("a pipe is written once somebody reads it", "[atomic_file]") {
  const scratch_directory scratch;
  const auto pipe = scratch.path / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string content(200000, 'x');  // more than a pipe holds: it is written as it is read
  std::string read;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    read = content_of(pipe);
  });
  write_file_atomically(pipe, content);
  reader.join();
  CHECK(read == content);
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("what can't be known about a name is an error, not an answer", "[atomic_file]") {
  const scratch_directory scratch;
  CHECK_FALSE(file_exists(scratch.path / "none"));
  CHECK_FALSE(file_exists(scratch.path / "none/deeper"));
  write_file_atomically(scratch.path / "some", "x");
  CHECK(file_exists(scratch.path / "some"));
  CHECK_FALSE(file_exists(scratch.path / "some/deeper"));
  fs::create_symlink("round", scratch.path / "round");
  CHECK_THROWS_AS(file_exists(scratch.path / "round"), file_error);
  make_directories(scratch.path / "a/b/c/");
  make_directories(scratch.path / "a/b/c");
  CHECK(fs::is_directory(scratch.path / "a/b/c"));
  CHECK_THROWS_WITH(make_directories(scratch.path / "some/deeper"), Contains("it is not a directory"));
  CHECK_THROWS_AS(make_directories(scratch.path / "some"), file_error);
  fs::create_directory(scratch.path / "closed");
  fs::permissions(scratch.path / "closed", fs::perms::none);
  const ordinary_user user;
  if (::geteuid() != 0) {
    CHECK_THROWS_WITH(file_exists(scratch.path / "closed/any"), Contains("Permission denied"));
    CHECK_THROWS_WITH(make_directories(scratch.path / "closed/any"), Contains("Permission denied"));
    CHECK_THROWS_WITH(mapped_file(scratch.path / "closed/any"), Contains("Permission denied"));
    CHECK_THROWS_WITH(read_file(scratch.path / "closed/any"), Contains("Permission denied"));
    CHECK_THROWS_WITH(find_dataset_files(scratch.path / "closed", find_dataset("cora")), Contains("Permission denied"));
  }
}

TEST_CASE("what is in the way of the new file is said", "[atomic_file]") {
  const scratch_directory scratch;
  const auto path = scratch.path / "result.json";
  fs::create_symlink("/nowhere", scratch.path / ".result.json.tmp");
  CHECK_THROWS_WITH(write_file_atomically(path, "x"), Contains(".result.json.tmp"));
  fs::remove(scratch.path / ".result.json.tmp");
  REQUIRE(::mkfifo((scratch.path / ".result.json.tmp").c_str(), 0600) == 0);
  CHECK_THROWS_AS(write_file_atomically(path, "x"), file_error);
  CHECK_THROWS_WITH(write_file_atomically(path, "x"), Contains(".result.json.tmp"));
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("a pipe that nobody reads is waited for until a request to stop", "[atomic_file]") {
  const gp_test::temporary_folder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  {
    const graphpatcher::interrupt_scope scope;  // of this program, and not another one in graphpatcher::io
    ::raise(SIGTERM);
    CHECK_THROWS_AS(graphpatcher::write_file_atomically(pipe, "content"), graphpatcher::interrupted_error);
    CHECK(graphpatcher::interrupt_requested());
  }
  std::string got;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::ifstream(pipe) >> got;
  });
  graphpatcher::write_file_atomically(pipe, "content");
  reader.join();
  CHECK(got == "content");
}
