// SPDX-License-Identifier: MIT
// Every reader and writer, with the first call of each kind failing, then the second, and so on to the last: each time
// a typed error, or the right result all the same. What was there before stays whole, nothing new is left, and no file
// stays open.
#include "io/failing_calls.hpp"

#include <catch2/catch.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "graphpatcher/eval/run_record.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "graphpatcher/io/npy.hpp"
#include "graphpatcher/io/safetensors.hpp"
#include "graphpatcher/io/state_dict.hpp"
#include "io/every_file.hpp"

using namespace graphpatcher;
using gp_test::call;
using gp_test::failing_calls;
namespace fs = std::filesystem;

namespace {

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::map<std::string, std::string> all_files(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& each : fs::recursive_directory_iterator(folder)) {
    if (each.is_regular_file()) {
      files[fs::relative(each.path(), folder).string()] = content_of(each.path());
    }
  }
  return files;
}

/// Calls `work` with each kind of call failing in its turn, for each of these reasons; `check(failed)` looks at what is
/// there afterwards. Returns how many calls were made to fail.
template <class Work, class Check>
std::size_t fail_everywhere(const Work& work, const Check& check) {
  std::size_t count = 0;
  for (const auto& [kind, name] : gp_test::failing_kinds) {
    for (const int reason : {EIO, EACCES, ENOSPC}) {
      bool reached = true;
      for (long calls_before = 0; reached; ++calls_before) {
        INFO(name << " number " << calls_before << ", errno " << reason);
        bool failed = false;
        {
          const failing_calls failing(kind, calls_before, reason);
          try {
            work();
          } catch (const error& problem) {
            failed = true;
            CHECK(std::string(problem.what()).size() > 10);
          }
          reached = failing.reached();
          CHECK(gp_test::call_plan.files == 0);
          CHECK(gp_test::call_plan.maps == 0);
        }
        CHECK((reached || !failed));
        check(failed);
        count += reached;
        REQUIRE(calls_before < 1000);
      }
    }
  }
  return count;
}

}  // namespace

TEST_CASE("failing calls: every reader", "[failing_calls]") {
  const gp_test::temporary_folder folder;
  for (const auto& [name, read] : gp_test::every_reader(folder)) {
    INFO(name);
    read();
    const auto before = all_files(folder.path());
    std::size_t succeeded = 0;
    const std::size_t count = fail_everywhere(read, [&](bool failed) { succeeded += !failed; });
    CHECK(count >= 9);  // open, status_of, map or read: three reasons each
    CHECK(all_files(folder.path()) == before);
  }
}

TEST_CASE("failing calls: every writer, over an older file and without one", "[failing_calls]") {
  for (const auto& [name, writer] : gp_test::every_writer()) {
    INFO(name);
    const auto& write = writer;  // Clang 14 captures no structured bindings
    const gp_test::temporary_folder folder;
    write(folder.path(), 1);
    const auto old_files = all_files(folder.path());
    write(folder.path(), 2);
    const auto new_files = all_files(folder.path());
    REQUIRE(old_files != new_files);

    const gp_test::temporary_folder other;
    const auto expect_whole = [&](bool failed) {
      for (const auto& [file, content] : all_files(other.path())) {
        INFO(file);
        CHECK((content == old_files.at(file) || content == new_files.at(file)));  // a temporary is in neither
      }
      CHECK((failed || all_files(other.path()) == new_files));
    };
    const auto anew = [&] {
      for (const auto& each : fs::directory_iterator(other.path())) {
        fs::remove_all(each);
      }
    };
    CHECK(fail_everywhere(
              [&] {
                anew();
                write(other.path(), 2);
              },
              expect_whole) >= 24);
    CHECK(fail_everywhere(
              [&] {
                for (const auto& [file, content] : old_files) {
                  std::ofstream(other.path() / file, std::ios::binary) << content;
                }
                write(other.path(), 2);
              },
              [&](bool failed) {
                expect_whole(failed);
                CHECK(all_files(other.path()).size() == old_files.size());
              }) >= 27);
  }
}

TEST_CASE("failing calls: what a killed writer left, links, missing folders, pipes", "[failing_calls]") {
  const gp_test::temporary_folder folder;
  const auto target = folder.path() / "deep/er/file";
  const auto link = folder.path() / "link";
  fs::create_symlink("deep/er/file", link);
  std::size_t count = 0;
  const auto check = [&](bool failed) {
    for (const auto& [file, content] : all_files(folder.path())) {
      const bool left = file == "deep/er/.file.tmp" && content == "left over";  // nobody came so far as to remove it
      CHECK((left || (file == "deep/er/file" && (content == "old" || content == "new"))));
    }
    CHECK((failed || content_of(target) == "new"));
  };
  count += fail_everywhere(
      [&] {
        fs::remove_all(folder.path() / "deep");
        write_file_atomically(link, "new", {.make_parents = true});
      },
      check);
  count += fail_everywhere(
      [&] {
        fs::create_directories(target.parent_path());
        std::ofstream(target) << "old";
        std::ofstream(target.parent_path() / ".file.tmp") << "left over";
        write_file_atomically(link, "new");
      },
      check);
  CHECK(count > 80);
  count = fail_everywhere([&] { write_file_atomically("/dev/null", "x"); }, [](bool) {});
  CHECK(count == 12);  // status, open, set_flags, write
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("failing calls: a removal that fails leaves one temporary, which the next writer takes away",
          "[failing_calls]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "file";
  write_file_atomically(path, "old");
  {
    const failing_calls failing(call::none);
    calls().rename = [](const char*, const char*) {
      errno = EIO;
      return -1;
    };
    calls().remove = [](const char*) {
      errno = EIO;
      return -1;
    };
    CHECK_THROWS_WITH(write_file_atomically(path, "new"), Catch::Contains("can't take its name: Input/output error"));
    CHECK_THROWS_WITH(write_file_atomically(path, "new"), Catch::Contains("in the way and can't be removed"));
  }
  CHECK(all_files(folder.path()).size() == 2);
  CHECK(content_of(path) == "old");
  write_file_atomically(path, "new");
  CHECK(all_files(folder.path()) == std::map<std::string, std::string>{{"file", "new"}});
}

TEST_CASE("failing calls: reads and writes that are interrupted or take a part are gone on with", "[failing_calls]") {
  const gp_test::temporary_folder folder;
  const failing_calls failing(call::none);
  gp_test::call_plan.in_pieces = true;
  for (const auto& [name, write] : gp_test::every_writer()) {
    INFO(name);
    const gp_test::temporary_folder whole, pieces;
    write(pieces.path(), 1);
    gp_test::call_plan.in_pieces = false;
    write(whole.path(), 1);
    gp_test::call_plan.in_pieces = true;
    CHECK(all_files(pieces.path()) == all_files(whole.path()));
  }
  for (const auto& [name, read] : gp_test::every_reader(folder)) {
    INFO(name);
    CHECK_NOTHROW(read());
  }
}

TEST_CASE("failing calls: a file that takes nothing more or has less than it said is an error", "[failing_calls]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "t.safetensors";
  write_state_dict<float>(path, {{"a", {{2}, {1, 2}}}});
  const failing_calls failing(call::none);
  calls().read = [](int, void*, std::size_t) { return ssize_t{0}; };
  CHECK_THROWS_WITH(safetensors_archive(path), Catch::Contains("could read 0"));
  calls().write = [](int, const void*, std::size_t) { return ssize_t{0}; };
  CHECK_THROWS_WITH(write_file_atomically(path, "x"), Catch::Contains("can't write: No space left"));
}
