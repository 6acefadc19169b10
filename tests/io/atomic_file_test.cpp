// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "io/scratch_directory.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;
using gp_test::content_of;
using gp_test::ordinary_user;
using gp_test::scratch_directory;
namespace fs = std::filesystem;

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

TEST_CASE("a pipe that nobody reads is waited for until a request to stop", "[atomic_file]") {
  const scratch_directory scratch;
  const auto pipe = scratch.path / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  {
    const interrupt_scope scope;  // of this program, and not another one in graphpatcher::io
    ::raise(SIGTERM);
    CHECK_THROWS_AS(write_file_atomically(pipe, "content"), interrupted_error);
    CHECK(interrupt_requested());
  }
  std::string got;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::ifstream(pipe) >> got;
  });
  write_file_atomically(pipe, "content");
  reader.join();
  CHECK(got == "content");
}
