// SPDX-License-Identifier: MIT
#include "experiments/results/folder_lock.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

TEST_CASE("a folder has one lock at a time, and is made for it") {
  const gp_test::temporary_folder scratch;
  const auto folder = scratch.path() / "made" / "here";
  {
    const folder_lock first(folder);
    CHECK(std::filesystem::is_directory(folder));
    CHECK_THROWS_WITH(folder_lock(folder), Contains("another program is at work in this folder") &&
                                               Contains("choose another folder") && Contains(folder.string()));
    CHECK_NOTHROW(folder_lock(scratch.path()));
  }
  CHECK_NOTHROW(folder_lock(folder));
}

TEST_CASE("a program that is killed leaves no lock behind") {
  const gp_test::temporary_folder scratch;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const folder_lock held(scratch.path());
    [[maybe_unused]] const auto told = ::write(ready[1], "x", 1);
    ::pause();
  }
  ::close(ready[1]);  // so that a child that dies early ends the reading
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK_THROWS_AS(folder_lock(scratch.path()), file_error);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK_NOTHROW(folder_lock(scratch.path()));
  ::close(ready[0]);
}

TEST_CASE("what is not a folder can't be locked") {
  const gp_test::temporary_folder scratch;
  scratch.write("file", "x");
  CHECK_THROWS_WITH(folder_lock(scratch.path() / "file"), Contains("can't be made or opened as a folder"));
}
