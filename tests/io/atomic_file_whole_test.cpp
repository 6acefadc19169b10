// SPDX-License-Identifier: MIT
// The old file or the new one, whole, whatever happens meanwhile: readers, other writers, a full disk, a kill.
#include <catch2/catch.hpp>

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "io/scratch_directory.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;
using gp_test::content_of;
using gp_test::scratch_directory;
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
