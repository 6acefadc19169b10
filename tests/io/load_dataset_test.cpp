// SPDX-License-Identifier: MIT
#include "graphpatcher/io/load_dataset.hpp"

#include <catch2/catch.hpp>

#include "io/pickle_writer.hpp"

using namespace graphpatcher;

TEST_CASE("load_dataset: an unknown name gets the known ones") {
  CHECK_THROWS_AS(load_dataset("cora2"), argument_error);
  CHECK_THROWS_WITH(load_dataset("Cora"), Catch::Contains("'Cora'; the known ones are cora, citeseer, pubmed"));
}

TEST_CASE("load_dataset: no files at all") {
  const gp_test::temporary_folder folder;
  try {
    load_dataset("cora", {.root = folder.path()});
    FAIL("loaded from an empty folder");
  } catch (const file_error& failure) {
    CHECK(failure.path() == (folder.path() / "ind.cora.x").string());
    CHECK_THAT(failure.what(), Catch::Contains((folder.path() / "planetoid").string()) &&
                                   Catch::Contains("https://github.com/kimiyoung/planetoid"));
  }
}

TEST_CASE("load_dataset: the folder itself comes first, and one file is enough to choose it") {
  const gp_test::temporary_folder folder;
  folder.write("ind.cora.graph", "");
  CHECK_THROWS_WITH(load_dataset("cora", {.root = folder.path()}),
                    Catch::Contains((folder.path() / "ind.cora.x").string() + ": no such file"));
}

TEST_CASE("load_dataset: the folder, or its folder planetoid") {
  const std::filesystem::path root = std::filesystem::path(GP_SHARED_DIR) / "data";
  if (!std::filesystem::exists(root)) {
    WARN("skipped: no data");
    return;
  }
  const auto outer = load_dataset("cora", {.root = root});
  const auto inner = load_dataset<float, std::int32_t>("cora", {.root = root / "planetoid", .normalise = false});
  CHECK(outer.nodes() == 2708);
  CHECK(inner.nodes() == 2708);
  CHECK(inner.features.sparse().values()[0] == 1.0f);
  CHECK(outer.features.sparse().values()[0] == 1.0f / 9);
}
