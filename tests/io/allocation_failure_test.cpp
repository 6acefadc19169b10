// SPDX-License-Identifier: MIT
// Every reader and writer that keeps no tree of JSON, with memory that runs out at its first request, at its second,
// and so on to the last: each time an error, and nothing is left behind.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <new>
#include <string>

#include "io/edge_list.hpp"
#include "io/every_file.hpp"
#include "io/text_graph.hpp"
#include "support/allocation_watch.hpp"

using namespace graphpatcher;
using i32 = std::int32_t;

namespace {

/// Calls `load` with every request failing in its turn, each time check(), and returns how many there are.
template <class Load, class Check>
std::size_t fail_everywhere(const Load& load, const Check& check) {
  load();  // what is made once for the whole program is made now
  for (long count = 0;; ++count) {
    const std::size_t before = gp_test::live_bytes;
    bool failed = false;
    bool reached = false;
    {
      const gp_test::failing_allocations failing(count);
      try {
        load();
      } catch (const std::bad_alloc&) {
        failed = true;
      } catch (const error&) {
        failed = true;
      }
      reached = failing.reached();
    }
    const std::size_t after = gp_test::live_bytes;
    if (after != before || (reached && !failed)) {
      FAIL("request " << count << ": " << (failed ? "failed" : "loaded") << ", " << after - before << " bytes left");
    }
    check();
    if (!reached) {
      CHECK_FALSE(failed);
      return static_cast<std::size_t>(count);
    }
    REQUIRE(count < 100000);
  }
}

/// nlohmann's trees of JSON ask for memory in their destructors, which ends the program where there is none.
bool keeps_json_tree(const std::string& name) {
  const std::string names[] = {"backbone", "patcher", "training", "run record", "safetensors", "report"};
  return std::ranges::find(names, name) != std::end(names);
}

}  // namespace

TEST_CASE("allocation failure: every reader") {
  const gp_test::temporary_folder folder;
  for (const auto& [name, read] : gp_test::every_reader(folder)) {
    INFO(name);
    if (keeps_json_tree(name)) {
      continue;
    }
    CHECK(fail_everywhere(read, [] {}) > 10);
  }
}

TEST_CASE("allocation failure: every writer leaves the file of before or the new one") {
  for (const auto& [name, write] : gp_test::every_writer()) {
    INFO(name);
    if (keeps_json_tree(name)) {
      continue;
    }
    const gp_test::temporary_folder folder;
    write(folder.path(), 2);
    const auto file = std::filesystem::directory_iterator(folder.path())->path();
    const auto new_content = gp_test::content_of(file);
    write(folder.path(), 1);
    const auto old_content = gp_test::content_of(file);
    REQUIRE(old_content != new_content);
    const auto again = [&, work = write] { work(folder.path(), 2); };
    const auto is_whole = [&] {
      const auto content = gp_test::content_of(file);
      CHECK((content == old_content || content == new_content));
      CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    };
    CHECK(fail_everywhere(again, is_whole) >= (name == "text" ? 1u : 10u));
  }
}

TEST_CASE("allocation failure: several threads reading at once") {
  const gp_test::temporary_folder folder;
  std::string edges;
  for (int i = 0; i < 400000; ++i) {
    edges += std::to_string(i % 1000) + "," + std::to_string(i * 7 % 1000) + "\n";
  }
  folder.write("e.csv", edges);
  const auto load = [&] { read_graph<i32>(edge_list(folder.path() / "e.csv", {.text = {.exec = {3}}}), 1000); };
  load();
  const std::size_t before = gp_test::live_bytes;
  std::size_t failures = 0;
  for (long count = 0; count < 60; ++count) {
    const gp_test::failing_allocations failing(count);
    try {
      load();
    } catch (const std::bad_alloc&) {
      ++failures;
    } catch (const error&) {
      ++failures;
    }
  }
  CHECK(gp_test::live_bytes == before);
  CHECK(failures >= 20);
}
