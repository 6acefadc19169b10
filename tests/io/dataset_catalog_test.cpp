// SPDX-License-Identifier: MIT
#include "graphpatcher/io/dataset_catalog.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "io/file_writers.hpp"

using namespace graphpatcher;

TEST_CASE("dataset_catalog: names are words for a command line, each once, and found") {
  std::set<std::string_view> seen;
  for (const auto& name : dataset_names) {
    CHECK(seen.insert(name).second);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos);
    CHECK(find_dataset(name).name == name);
  }
  CHECK(seen.size() == dataset_catalog.size());
  for (const char* asked : {"cora", "citeseer", "pubmed", "amazon-photo", "amazon-computers", "coauthor-cs",
                            "coauthor-physics", "chameleon", "squirrel", "actor", "wiki-cs", "ogbn-arxiv"}) {
    CHECK(seen.contains(asked));
  }
  CHECK_THROWS_AS(find_dataset(""), argument_error);
  CHECK_THROWS_WITH(find_dataset("ogbn-products"), Catch::Contains("'ogbn-products'; the known ones are cora, "));
}

TEST_CASE("dataset_catalog: every layout has a place, and every dataset is found in each folder of its layout") {
  for (const auto& entry : dataset_catalog) {
    const auto place = std::find_if(layout_places.begin(), layout_places.end(),
                                    [&](const auto& each) { return each.layout == entry.layout; });
    REQUIRE(place != layout_places.end());
    CHECK(place->home.starts_with("https://"));
    for (const auto& name : place->folders) {
      const gp_test::temporary_folder folder;
      const auto expected = name.empty() ? folder.path() : folder.path() / name;
      std::filesystem::create_directories((expected / entry.file).parent_path());
      std::ofstream(expected / entry.file) << "x";
      CHECK(find_dataset_files(folder.path(), entry) == expected);
    }
  }
}

TEST_CASE("dataset_catalog: nowhere to be found, the error says where it looked and how to get it") {
  const gp_test::temporary_folder folder;
  try {
    find_dataset_files(folder.path(), find_dataset("squirrel"));
    FAIL("found");
  } catch (const file_error& failure) {
    CHECK(failure.path() == (folder.path() / "squirrel/out1_graph_edges.txt").string());
    CHECK_THAT(failure.what(), Catch::Contains((folder.path() / "geom-gcn").string()) &&
                                   Catch::Contains("https://github.com/graphdml-uiuc-jlu/geom-gcn") &&
                                   Catch::Contains("scripts/download-data squirrel"));
  }
}
