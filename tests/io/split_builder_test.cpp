// SPDX-License-Identifier: MIT
#include "io/split_builder.hpp"

#include <catch2/catch.hpp>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::npy;
using ids = std::vector<std::int32_t>;

namespace {
const ids labels{0, 1, -1, 1, 0};
}

TEST_CASE("split_builder: parts from masks and from lists") {
  split_builder<std::int32_t> split(labels);
  CHECK(split.from_mask("f", "train", std::vector<int>{1, 0, 0, 0, 0}) == ids{0});
  CHECK(split.from_ids("f", {4, 3}) == ids{3, 4});
  CHECK(split.from_mask("f", "test", std::vector<double>{0, 1, 0, 0, 0}) == ids{1});
  CHECK(split.from_ids("f", {}).empty());
  CHECK(count_classes(labels) == 2);
  CHECK(count_classes(ids{}) == 0);
  CHECK(count_classes(ids{-1, -1}) == 0);
}

TEST_CASE("split_builder: masks of another length, other values, overlaps, nodes without a label") {
  const auto refused = [](const std::vector<int>& mask, const std::string& message) {
    split_builder<std::int32_t> split(labels);
    split.from_ids("f", {0});
    check_error<format_error>([&] { split.from_mask("masks.npz", "val_mask", mask); }, "masks.npz",
                              "the mask 'val_mask': " + message);
  };
  refused({0, 1, 0, 0}, "expected 5 values, one a node, got 4");
  refused({0, 1, 0, 0, 0, 0}, "expected 5 values, one a node, got 6");
  refused({0, 2, 0, 0, 0}, "expected 0 or 1 for node 1, got 2");
  refused({0, -1, 0, 0, 0}, "expected 0 or 1 for node 1, got -1");
  refused({1, 0, 0, 0, 0}, "expected nodes with a label that no other part of the split has; node 0 is named again");
  refused({0, 0, 1, 0, 0}, "expected nodes with a label that no other part of the split has; node 2 has no label");
  split_builder<std::int32_t> split(labels);
  check_error<format_error>([&] { split.from_ids("train.csv", {3, 1, 3}); }, "train.csv", "node 3 is named again");
}

TEST_CASE("split_builder: masks of an npz file, one or a row a split") {
  const gp_test::temporary_folder folder;
  folder.write("m.npz", gp_test::npz({{"one", npy<std::uint8_t>({5}, {1, 0, 0, 0, 1})},
                                      {"two", npy<double>({2, 5}, {1, 0, 0, 0, 0, 0, 1, 0, 1, 0})},
                                      {"short", npy<std::uint8_t>({4}, {1, 0, 0, 0})}}));
  const npz_dataset_file file(folder.path() / "m.npz");
  CHECK(split_builder<std::int32_t>(labels).from_npz(file, "one", 1) == ids{0, 4});
  CHECK(split_builder<std::int32_t>(labels).from_npz(file, "two", 2, 0) == ids{0});
  CHECK(split_builder<std::int32_t>(labels).from_npz(file, "two", 2, 1) == ids{1, 3});
  split_builder<std::int32_t> split(labels);
  CHECK_THROWS_AS(split.from_npz(file, "two", 2, 2), argument_error);
  CHECK_THROWS_WITH(split.from_npz(file, "two", 2, 2), Catch::Contains("split_index in [0, 2), got 2"));
  check_error<format_error>([&] { split.from_npz(file, "short", 1); }, "m.npz", "expected 5 values, one a node, got 4");
  check_error<format_error>([&] { split.from_npz(file, "one", 2); }, "one.npy", "expected 2 axes, got 1");
  check_error<format_error>([&] { split.from_npz(file, "none", 1); }, "m.npz", "'none', got only one, two, short");
}
