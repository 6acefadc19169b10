// SPDX-License-Identifier: MIT
// What stands where a file is to be written: temporaries of others, links, names that can't be looked at.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "graphpatcher/io/dataset_catalog.hpp"
#include "io/mapped_file.hpp"
#include "io/scratch_directory.hpp"
#include "io/system_calls.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;
using gp_test::content_of;
using gp_test::ordinary_user;
using gp_test::scratch_directory;
namespace fs = std::filesystem;

namespace {

ino_t inode(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_ino;
}

}  // namespace

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
