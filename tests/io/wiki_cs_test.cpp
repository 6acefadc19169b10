// SPDX-License-Identifier: MIT
#include "graphpatcher/io/wiki_cs.hpp"

#include <catch2/catch.hpp>

#include <sstream>

#include "io/file_writers.hpp"
#include "io/json_rows.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using ids = std::vector<std::int32_t>;

namespace {

/// Four nodes on a path, in the layout of the published data.json; two splits.
struct wiki_file {
  std::string features = "[[0.5, 0], [0, -1.5e1], [0, 0], [1, 2]]";
  std::string labels = "[0, 1, 0, 2]";
  std::string links = "[[1], [0, 2, 2], [3, 2], []]";
  std::string train = "[[true, false, false, false], [false, true, false, false]]";
  std::string validation = "[[false, true, false, false], [true, false, false, false]]";
  std::string stopping = "[[true, true, true, true], [false, false, false, false]]";
  std::string test = "[false, false, true, true]";
  std::string more = "";

  std::string text() const {
    return "{\"features\": " + features + ", \"labels\": " + labels + ",\n \"links\": " + links +
           ", \"train_masks\": " + train + ", \"stopping_masks\": " + stopping + ", \"val_masks\": " + validation +
           ", \"test_mask\": " + test + more + "}";
  }
  auto load(std::size_t split = 0) const { return load_text(text(), split); }
  static dataset<float, std::int32_t> load_text(const std::string& text, std::size_t split = 0) {
    const gp_test::temporary_folder folder;
    folder.write("data.json", text);
    return load_wiki_cs<float, std::int32_t>(folder.path() / "data.json", split);
  }
};

void check_refused(const wiki_file& file, const std::string& message) {
  check_error<format_error>([&] { file.load(); }, "data.json", message);
}

}  // namespace

TEST_CASE("wiki_cs: by hand, and its splits") {
  const auto data = wiki_file{}.load();
  CHECK(data.name == "wiki-cs");
  CHECK(gp_test::neighbor_lists(data.graph) == std::vector<std::vector<int>>{{1}, {0, 2}, {1, 3}, {2}});
  CHECK(data.labels == ids{0, 1, 0, 2});
  CHECK(data.classes == 3);
  CHECK(data.features.cols() == 2);
  CHECK(data.features.is_dense());
  CHECK(data.features == feature_table<float, std::int32_t>(matrix<float>{{0.5f, 0}, {0, -15}, {0, 0}, {1, 2}}));
  CHECK(data.split.train == ids{0});
  CHECK(data.split.validation == ids{1});
  CHECK(data.split.test == ids{2, 3});
  const auto second = wiki_file{}.load(1);
  CHECK(second.split.train == ids{1});
  CHECK(second.split.validation == ids{0});
  CHECK_THROWS_AS(wiki_file{}.load(2), argument_error);
  CHECK_THROWS_WITH(wiki_file{}.load(2), Catch::Contains("expected a split_index in [0, 2), got 2"));
}

TEST_CASE("wiki_cs: files that don't fit together") {
  check_refused({.features = "[[1], [2], [3]]"}, "of as many nodes, at least one, got 3, 4 and 4");
  check_refused({.features = "[[1], [2, 2], [3], [4]]"}, "expected 1 features, as node 0 has, got 2 for node 1");
  check_refused({.features = "[[1], [NaN], [3], [4]]"}, "expected a finite number");
  check_refused({.features = "[]", .labels = "[]", .links = "[]"}, "at least one, got 0, 0 and 0");
  check_refused({.labels = "[0, 1, 0]"}, "got 4, 3 and 4");
  check_refused({.labels = "[0, 1, 0, 4]"}, "expected classes in [0, 4) or -1 for unknown, got 4 for node 3");
  check_refused({.labels = "[0, 1, 0, -2]"}, "got -2 for node 3");
  check_refused({.labels = "[0, 1, 0, 0.5]"}, "expected an integer");
  check_refused({.links = "[[1], [], [4], []]"}, "expected links to nodes in [0, 4), got 4 for node 2");
  check_refused({.links = "[[1], [], [-1], []]"}, "got -1 for node 2");
  check_refused({.links = "[[1], [], [3000000000], []]"}, "expected an integer");
  check_refused({.train = "[[true, false, false]]", .validation = "[[false, true, false, false]]"},
                "the mask 'train_masks': expected 4 values, one a node, got 3");
  check_refused({.test = "[true, false, true, true]"}, "the mask 'test_mask': expected nodes with a label");
  check_refused({.test = "[2, false, true, true]"}, "expected true, false, 1 or 0");
  check_refused({.stopping = "[[[["}, "expected a finite number");
  check_refused({.stopping = std::string(100, '[')}, "at most 64 deep");
  check_refused({.more = ", \"labels\": [0, 1, 0, 2]"}, "expected each key once, got 'labels' again");
}

TEST_CASE("wiki_cs: keys that are missing, and files that are cut short at any byte") {
  const std::string whole = wiki_file{}.text();
  for (const char* key : {"features", "labels", "links", "train_masks", "val_masks", "test_mask"}) {
    auto other = whole;
    other.replace(other.find(key), 1, "x");
    check_error<format_error>([&] { wiki_file::load_text(other); }, "data.json",
                              std::string("expected the key '") + key + "', which is missing");
  }
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_THROWS_AS(wiki_file::load_text(whole.substr(0, length)), format_error);
  }
  check_error<format_error>([&] { wiki_file::load_text(whole + "{"); }, "data.json", "expected the end of the file");
  CHECK_THROWS_AS(load_wiki_cs("no_such_folder/data.json"), file_error);
}

TEST_CASE("wiki_cs: how far the file is read is shown, once for every pass") {
  std::ostringstream out;
  {
    json_cursor json("data.json", "[[1, 2], [3, 4], [5]]");
    detail::json_progress meter(json, {.style = progress_style::lines, .out = &out}, std::chrono::milliseconds(0));
    const auto nothing = [](std::size_t, std::size_t) {};
    CHECK(detail::visit_rows(
              json, meter, 1, [&](std::size_t, std::size_t) { json.number<int>(); }, nothing) == 3);
  }
  CHECK_THAT(out.str(), Catch::Contains("reading data.json (bytes): "));
}
