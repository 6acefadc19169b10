// SPDX-License-Identifier: MIT
#include "io/mapped_file.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "graphpatcher/core/error.hpp"
#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::temporary_folder;

TEST_CASE("mapped_file: the bytes of a file, of an empty one too; moved, not copied") {
  const temporary_folder folder;
  folder.write("a", "some text");
  folder.write("empty", "");
  mapped_file file(folder.path() / "a");
  CHECK(file.characters() == "some text");
  CHECK(file.bytes().size() == 9);
  CHECK(file.bytes()[0] == 's');
  mapped_file empty(folder.path() / "empty");
  CHECK(empty.characters().empty());
  const char* const address = file.characters().data();
  mapped_file moved(std::move(file));
  CHECK(moved.characters().data() == address);
  empty = std::move(moved);
  CHECK(empty.characters() == "some text");
  CHECK(empty.path() == (folder.path() / "a").string());
}

TEST_CASE("mapped_file: a file that is replaced by a rename stays as it was") {
  const temporary_folder folder;
  folder.write("a", "before");
  const mapped_file file(folder.path() / "a");
  folder.write("b", "after, and longer");
  std::filesystem::rename(folder.path() / "b", folder.path() / "a");
  CHECK(file.characters() == "before");
}

TEST_CASE("mapped_file: only regular files, and no waiting for a pipe's writer") {
  const temporary_folder folder;
  check_error<file_error>([&] { mapped_file(folder.path() / "none", "get it"); }, "none", "no such file; get it");
  check_error<file_error>([&] { mapped_file(folder.path()); }, "", "not a regular file");
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  check_error<file_error>([&] { mapped_file{pipe}; }, "pipe", "not a regular file");
}
