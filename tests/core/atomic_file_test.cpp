// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "graphpatcher/core/atomic_file.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

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

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
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
