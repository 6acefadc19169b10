// SPDX-License-Identifier: MIT
// The real datasets, where they are: what a reader makes of them, against counts that were taken from the same files by
// another program, and against the edge homophily that papers on heterophily print (Zhu et al., "Beyond homophily in
// graph neural networks", 2020; Platonov et al., 2023), which has two digits.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/io/atomic_file.hpp"
#include "graphpatcher/io/dataset_catalog.hpp"
#include "graphpatcher/io/load_dataset.hpp"
#include "io/edge_list.hpp"
#include "io/text_column.hpp"
#include "io/text_graph.hpp"

using namespace graphpatcher;

namespace {

struct expected_dataset {
  const char* name;
  std::size_t nodes, features, classes, edges, nonzeros;
  std::size_t train, validation, test;
  std::size_t same_class;  ///< edges between nodes of one class ...
  std::size_t labelled;    ///< ... of those between nodes with a class
  double homophily;        ///< as printed
};

const expected_dataset expected[] = {
    {"cora", 2708, 1433, 7, 5278, 49216, 140, 500, 1000, 4275, 5278, 0.81},
    {"citeseer", 3327, 3703, 6, 4552, 105165, 120, 500, 1000, 3346, 4536, 0.74},
    {"pubmed", 19717, 500, 3, 44324, 988031, 60, 500, 1000, 35565, 44324, 0.80},
    {"amazon-photo", 7650, 745, 8, 119081, 1979909, 765, 765, 6120, 98509, 119081, 0.83},
    {"coauthor-cs", 18333, 6805, 15, 81894, 1092079, 1834, 1833, 14666, 66175, 81894, 0.81},
    {"actor", 7600, 932, 5, 26659, 40977, 3648, 2432, 1520, 5778, 26659, 0.22},
    {"chameleon", 2277, 2325, 5, 31371, 29157, 1092, 729, 456, 7213, 31371, 0.23},
    {"chameleon-filtered", 890, 2325, 5, 8854, 9903, 409, 287, 194, 2090, 8854, 0.24},
};

std::filesystem::path data_folder() {
  return std::filesystem::path(GP_SHARED_DIR) / "data";
}

bool has_data() {
  if (std::filesystem::exists(data_folder())) {
    return true;
  }
  WARN("skipped: no data");
  return false;
}

template <class Data>
std::set<std::pair<int, int>> edge_set(const Data& data) {
  std::set<std::pair<int, int>> edges;
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    for (const auto u : data.graph.neighbors(v)) {
      edges.emplace(std::min<int>(u, static_cast<int>(v)), std::max<int>(u, static_cast<int>(v)));
    }
  }
  return edges;
}

/// Those whose file is there, by the catalog; OGB's features are too large to be.
std::vector<std::string_view> datasets_at_hand() {
  std::vector<std::string_view> names;
  for (const auto& entry : dataset_catalog) {
    try {
      const auto folder = find_dataset_files(data_folder(), entry);
      if (entry.layout != dataset_layout::ogb || file_exists(folder / "raw/node-feat.csv.gz")) {
        names.push_back(entry.name);
      }
    } catch (const file_error&) {
      // not at hand
    }
  }
  return names;
}

}  // namespace

TEST_CASE("real datasets: each whose file is there is loaded, and its counts are known") {
  if (!has_data()) {
    return;
  }
  for (const auto& name : datasets_at_hand()) {
    const bool known = std::ranges::any_of(expected, [&](const auto& each) { return each.name == name; });
    INFO(name);
    CHECK(known);
  }
  for (const auto& each : expected) {
    INFO(each.name);
    CHECK(std::ranges::count(datasets_at_hand(), each.name) == 1);
  }
}

TEST_CASE("real datasets: the citations of ogbn-arxiv, and its split") {
  const auto folder = data_folder() / "ogbn_arxiv";
  if (!has_data() || !file_exists(folder / "raw/edge.csv.gz")) {
    WARN("skipped: no data");
    return;
  }
  edge_counts found;
  const edge_list edges(folder / "raw/edge.csv.gz", {.header = text_header::absent, .text = {.quiet = true}});
  const auto graph = read_graph<std::int32_t>(edges, 169343, {}, &found);
  CHECK(found.edges + found.repeated + found.loops == 1166243);  // as OGB's page says
  CHECK(found.edges == 1157799);
  CHECK(found.loops == 0);
  CHECK(graph.entries() == 2 * 1157799);
  std::vector<bool> seen(169343, false);
  const std::pair<const char*, std::size_t> parts[] = {{"train", 90941}, {"valid", 29799}, {"test", 48603}};
  for (const auto& [part, size] : parts) {
    text_source source(folder / "split/time" / (std::string(part) + ".csv.gz"), {.quiet = true});
    const auto ids = read_text_column<std::int32_t>(source, "a node's id", 0, 169343, text_header::absent);
    CHECK(ids.size() == size);
    for (const auto id : ids) {
      CHECK_FALSE(seen[static_cast<std::size_t>(id)]);
      seen[static_cast<std::size_t>(id)] = true;
    }
  }
}

TEST_CASE("real datasets: counts, split and homophily") {
  if (!has_data()) {
    return;
  }
  for (const auto& want : expected) {
    INFO(want.name);
    const auto data = load_dataset(want.name, {.root = data_folder()});
    CHECK(data.name == want.name);
    CHECK(data.nodes() == want.nodes);
    CHECK(data.features.rows() == want.nodes);
    CHECK(data.features.cols() == want.features);
    CHECK(data.features.sparse().nonzeros() == want.nonzeros);
    CHECK(data.classes == want.classes);
    CHECK(std::set<int>(data.labels.begin(), data.labels.end()).size() ==
          want.classes + (want.labelled < want.edges ? 1 : 0));  // Citeseer has nodes without a class
    CHECK(data.split.train.size() == want.train);
    CHECK(data.split.validation.size() == want.validation);
    CHECK(data.split.test.size() == want.test);

    const auto edges = edge_set(data);
    CHECK(edges.size() == want.edges);
    CHECK(data.graph.entries() == 2 * want.edges);  // each one both ways, and no loops
    std::size_t labelled = 0;
    std::size_t same = 0;
    for (const auto& [u, v] : edges) {
      CHECK(u < v);
      const bool known = data.labels[u] >= 0 && data.labels[v] >= 0;
      labelled += known;
      same += known && data.labels[u] == data.labels[v];
    }
    CHECK(labelled == want.labelled);
    CHECK(same == want.same_class);
    CHECK(std::abs(static_cast<double>(same) / static_cast<double>(labelled) - want.homophily) <= 0.005);
  }
}

TEST_CASE("real datasets: the ten splits of Actor and Chameleon differ, and have the same sizes") {
  if (!has_data()) {
    return;
  }
  for (const std::string name : {"actor", "chameleon"}) {
    std::set<std::vector<std::int32_t>> seen;
    for (std::size_t split = 0; split < 10; ++split) {
      const auto data = load_dataset(name, {.root = data_folder(), .split_index = split});
      seen.insert(data.split.train);
      CHECK(data.split.train.size() == (name == "actor" ? 3648 : 1092));
      CHECK(data.split.validation.size() == (name == "actor" ? 2432 : 729));
      CHECK(data.split.test.size() == (name == "actor" ? 1520 : 456));
    }
    CHECK(seen.size() == 10);
    CHECK_THROWS_AS(load_dataset(name, {.root = data_folder(), .split_index = 10}), argument_error);
  }
}

TEST_CASE("real datasets: features are normalised where their users do so, or as one asks") {
  if (!has_data()) {
    return;
  }
  const auto sum_of_row = [](const auto& data, std::size_t row) {
    double sum = 0;
    for (const float value : data.features.sparse().row_values(row)) {
      sum += static_cast<double>(value);
    }
    return sum;
  };
  const auto raw = load_dataset("coauthor-cs", {.root = data_folder()});
  const auto values = raw.features.sparse().values();
  CHECK(*std::min_element(values.begin(), values.end()) == 1.0f);
  CHECK(*std::max_element(values.begin(), values.end()) == 105.0f);
  const auto scaled = load_dataset("coauthor-cs", {.root = data_folder(), .normalise = true});
  CHECK(sum_of_row(scaled, 0) == Approx(1.0).margin(1e-6));
  CHECK(sum_of_row(load_dataset("chameleon", {.root = data_folder()}), 0) == Approx(1.0).margin(1e-6));
}

TEST_CASE("real datasets: a dataset without a split gets one by its seed") {
  if (!has_data()) {
    return;
  }
  const auto split = [](std::uint64_t seed) {
    return load_dataset("amazon-photo", {.root = data_folder(), .split_seed = seed}).split.train;
  };
  CHECK(split(1) == split(1));
  CHECK(split(1) != split(2));
  CHECK_THROWS_WITH(load_dataset("amazon-photo", {.root = data_folder(), .split_index = 1}),
                    Catch::Contains("comes without splits"));
}
