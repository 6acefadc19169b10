// SPDX-License-Identifier: MIT
#include "graphpatcher/io/planetoid.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <numeric>

#include "graphpatcher/io/npz.hpp"
#include "io/pickle_writer.hpp"

using namespace graphpatcher;
using gp_test::pickle_writer;
using gp_test::temporary_folder;
using gp_test::tiny_planetoid;

namespace {

const std::filesystem::path shared_folder = GP_SHARED_DIR;

bool no_data(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) {
    return false;
  }
  WARN("skipped: no data");
  return true;
}

template <class I>
std::vector<I> ids(std::span<const I> values) {
  return {values.begin(), values.end()};
}

/// Loads the tiny set after `change`; the error names `file` and says `message`.
void check_refused(const std::function<void(tiny_planetoid&)>& change, const std::string& file,
                   const std::string& message) {
  tiny_planetoid set;
  change(set);
  const temporary_folder folder;
  set.write(folder);
  try {
    load_planetoid<float, std::int32_t>(folder.path(), "tiny", {.validation = 2});
    FAIL("loaded, expected: " << message);
  } catch (const format_error& failure) {
    CHECK(failure.path() == (folder.path() / file).string());
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("planetoid: a set made by hand", "", (std::pair<float, std::int64_t>),
                   (std::pair<double, std::int32_t>)) {
  using T = typename TestType::first_type;
  using I = typename TestType::second_type;
  const temporary_folder folder;
  const tiny_planetoid tiny;
  tiny.write(folder);
  const auto data = load_planetoid<T, I>(folder.path(), "tiny", {.validation = 2});

  CHECK(data.name == "tiny");
  CHECK(data.nodes() == 7);
  CHECK(data.classes == 2);
  CHECK(data.labels == std::vector<I>{0, 1, 1, 0, 0, -1, 1});
  CHECK(data.split.train == std::vector<I>{0, 1});
  CHECK(data.split.validation == std::vector<I>{2, 3});
  CHECK(data.split.test == std::vector<I>{4, 6});

  // 0-1, 0-3 (listed three times), 2-6 (listed once), 4-5; the loop 1-1 is gone.
  const std::vector<std::vector<I>> neighbors{{1, 3}, {0}, {6}, {0}, {5}, {4}, {2}};
  for (std::size_t v = 0; v < 7; ++v) {
    CHECK(ids(data.graph.neighbors(v)) == neighbors[v]);
  }

  CHECK(data.features.cols() == 5);
  const std::vector<std::vector<I>> columns{{0, 3}, {1}, {}, {0, 1, 4}, {0, 4}, {}, {2}};
  const std::vector<std::vector<T>> values{{T(0.25), T(0.75)}, {1}, {}, {T(0.25), T(0.25), T(0.5)},
                                           {T(0.5), T(0.5)},   {},  {1}};
  for (std::size_t v = 0; v < 7; ++v) {
    CHECK(ids(data.features.sparse().row_columns(v)) == columns[v]);
    CHECK(ids(data.features.sparse().row_values(v)) == values[v]);
  }

  const auto raw = load_planetoid<T, I>(folder.path(), "tiny", {.normalise = false, .validation = 1});
  CHECK(ids(raw.features.sparse().row_values(3)) == std::vector<T>{1, 1, 2});
  CHECK(raw.split.validation == std::vector<I>{2});
  CHECK_THROWS_AS((load_planetoid<T, I>(folder.path(), "tiny")), argument_error);
  CHECK_THROWS_WITH((load_planetoid<T, I>(folder.path(), "tiny", {.validation = 3})),
                    Catch::Contains("expected at most 2 validation nodes"));
}

TEST_CASE("planetoid: eight files must agree") {
  const auto labels = [](std::size_t rows, std::size_t classes, const std::vector<std::int32_t>& values) {
    return pickle_writer{}.array<std::int32_t>({rows, classes}, values).stop();
  };
  check_refused([&](auto& set) { set.y = labels(1, 2, {1, 0}); }, "ind.tiny.y", "got 1 x 2");
  check_refused([&](auto& set) { set.ally = labels(3, 2, {1, 0, 0, 1, 0, 1}); }, "ind.tiny.ally", "the 4 rows of");
  check_refused([&](auto& set) { set.ty = labels(3, 2, {1, 0, 0, 1, 0, 1}); }, "ind.tiny.ty", "the 2 rows of");
  check_refused([&](auto& set) { set.y = labels(2, 0, {}); }, "ind.tiny.y", "got 2 x 0");
  check_refused([&](auto& set) { set.y = labels(2, 2, {0, 1, 0, 1}); }, "ind.tiny.x", "to be the first of");
  check_refused([&](auto& set) { set.ty = labels(2, 3, {0, 1, 0, 1, 0, 0}); }, "ind.tiny.tx", "2 classes");
  check_refused([&](auto& set) { set.ty = labels(2, 2, {0, 0, 1, 0}); }, "ind.tiny.ty", "in row 0, got only zeros");
  check_refused([&](auto& set) { set.ty = labels(2, 2, {1, 1, 1, 0}); }, "ind.tiny.ty", "one 1 and zeros in row 0");
  check_refused([&](auto& set) { set.ty = labels(2, 2, {2, 0, 1, 0}); }, "ind.tiny.ty", "got 2");
  check_refused(
      [&](auto& set) {
        set.x = pickle_writer{}.csr(2, 5, {0, 2, 3}, {0, 3, 2}, {1, 3, 2}).stop();
      },
      "ind.tiny.x", "to be the first of");
  check_refused(
      [&](auto& set) {
        set.tx = pickle_writer{}.csr(2, 6, {0, 1, 3}, {2, 0, 4}, {5, 1, 1}).stop();
      },
      "ind.tiny.tx", "expected 5 features");
  check_refused([&](auto& set) { set.tx = set.ty; }, "ind.tiny.tx", "to be a SciPy CSR matrix, got a NumPy array");
  check_refused([&](auto& set) { set.graph = set.ty; }, "ind.tiny.graph", "to be a dict, got a NumPy array");
}

TEST_CASE("planetoid: the graph has every node once and no other") {
  const auto graph = [](const std::vector<std::pair<int, std::vector<int>>>& lists) {
    return [lists](tiny_planetoid& set) { set.graph = pickle_writer{}.graph(lists).stop(); };
  };
  const std::string file = "ind.tiny.graph";
  check_refused(graph({}), file, "at least one node");
  check_refused(graph({{0, {}}, {1, {}}, {2, {}}, {3, {}}, {4, {}}}), file, "expected at least 6 nodes");
  check_refused(graph({{0, {1}}, {1, {2}}}), file, "id below 2, the number of nodes, got 2");
  check_refused(graph({{0, {1}}, {7, {}}}), file, "got 7");
  check_refused(graph({{0, {1}}, {0, {}}}), file, "got node 0 again");
  check_refused(graph({{0, {-1}}, {1, {}}}), file, "at least 0, got -1");
  const auto text_key = pickle_writer{}.op("}(").string("a").op("]u").stop();
  check_refused([&](auto& set) { set.graph = text_key; }, file, "to be an integer, got a string");
  const auto not_a_list = pickle_writer{}.op("}(").integer(0).op("Nu").stop();
  check_refused([&](auto& set) { set.graph = not_a_list; }, file, "neighbours to be a list, got None");

  // One list of 200 neighbours, used by 250 nodes: 50,000 edges from 2 kB are refused, not made.
  pickle_writer bomb;
  bomb.op("}(").integer(0).op("]").op(gp_test::raw("q\x01(")).op(std::string(400, 'K')).op("e");
  for (int node = 1; node < 250; ++node) {
    bomb.integer(node).op(gp_test::raw("h\x01"));
  }
  check_refused([&](auto& set) { set.graph = bomb.op("u").stop(); }, file, "fewer neighbours than the file has bytes");
}

TEST_CASE("planetoid: test.index has one line for each row of tx") {
  const auto index = [](const std::string& lines) { return [lines](tiny_planetoid& set) { set.test_index = lines; }; };
  const std::string file = "ind.tiny.test.index";
  check_refused(index(""), file, "expected 2 test nodes, the rows of tx, got 0");
  check_refused(index("6\n"), file, "got 1");
  check_refused(index("6\n4\n5\n"), file, "got 3");
  check_refused(index("6\n6\n"), file, "[4, 7) that is not there yet");
  check_refused(index("6\n3\n"), file, "[4, 7)");
  check_refused(index("6\n7\n"), file, "[4, 7)");
  check_refused(index("6\n-4\n"), file, "[4, 7)");
  check_refused(index("6\n4 \n"), file, "[4, 7)");
  check_refused(index("6\n\n"), file, "[4, 7)");
  check_refused(index("6\n99999999999999999999999\n"), file, "[4, 7)");
  check_refused(index("6\n4"), file, "newline");
}

TEST_CASE("planetoid: a missing file is named, with where to get it") {
  for (const char* part : {"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"}) {
    const temporary_folder folder;
    const tiny_planetoid tiny;
    tiny.write(folder);
    const auto path = folder.path() / (std::string("ind.tiny.") + part);
    std::filesystem::remove(path);
    try {
      load_planetoid<float, std::int32_t>(folder.path(), "tiny", {.validation = 2});
      FAIL("loaded without " << part);
    } catch (const file_error& failure) {
      CHECK(failure.path() == path.string());
      CHECK_THAT(failure.what(),
                 Catch::Contains("no such file") && Catch::Contains("https://github.com/kimiyoung/planetoid"));
    }
  }
}

TEST_CASE("planetoid: Cora, Citeseer and Pubmed have their published sizes") {
  const auto folder = shared_folder / "data" / "planetoid";
  if (no_data(folder)) {
    return;
  }
  struct sizes {
    const char* name;
    std::size_t nodes, features, classes, edges, train, unknown, isolated;
  };
  for (const auto& expected :
       {sizes{"cora", 2708, 1433, 7, 5278, 140, 0, 0}, sizes{"citeseer", 3327, 3703, 6, 4552, 120, 15, 48},
        sizes{"pubmed", 19717, 500, 3, 44324, 60, 0, 0}}) {
    CAPTURE(expected.name);
    const auto data = load_planetoid<double, std::int32_t>(folder, expected.name);
    CHECK(data.nodes() == expected.nodes);
    CHECK(data.features.cols() == expected.features);
    CHECK(data.classes == expected.classes);
    CHECK(data.graph.entries() == 2 * expected.edges);
    CHECK(data.split.train.size() == expected.train);
    CHECK(data.split.validation.size() == 500);
    CHECK(data.split.test.size() == 1000);
    CHECK(std::count(data.labels.begin(), data.labels.end(), -1) == static_cast<std::ptrdiff_t>(expected.unknown));
    std::size_t isolated = 0;
    for (std::size_t v = 0; v < data.nodes(); ++v) {
      isolated += data.graph.degree(v) == 0;
      const auto row = data.features.sparse().row_values(v);
      const double sum = std::accumulate(row.begin(), row.end(), 0.0);
      const bool sums_to_one = std::abs(sum - 1) < 1e-12 || (data.labels[v] == -1 && row.empty());
      if (!sums_to_one) {
        FAIL_CHECK("features of node " << v << " sum to " << sum);
      }
    }
    CHECK(isolated == expected.isolated);
    // The public split has 20 training nodes a class.
    std::vector<std::size_t> by_class(data.classes, 0);
    for (const auto v : data.split.train) {
      ++by_class[static_cast<std::size_t>(data.labels[static_cast<std::size_t>(v)])];
    }
    CHECK(by_class == std::vector<std::size_t>(data.classes, 20));
  }
}

TEST_CASE("planetoid: Cora is the reference's, node for node") {
  const auto reference_file = shared_folder / "reference" / "graph.npz";
  if (no_data(shared_folder / "data" / "planetoid") || no_data(reference_file)) {
    return;
  }
  const auto data = load_planetoid<double, std::int64_t>(shared_folder / "data" / "planetoid", "cora");
  const npz_archive reference(reference_file);
  CHECK(ids(data.graph.offsets()) == reference.read<std::int64_t>("indptr").values);
  CHECK(ids(data.graph.neighbors()) == reference.read<std::int64_t>("indices").values);
  CHECK(data.labels == reference.read<std::int64_t>("label").values);
  CHECK(ids(data.features.sparse().offsets()) == reference.read<std::int64_t>("feat_indptr").values);
  CHECK(ids(data.features.sparse().columns()) == reference.read<std::int64_t>("feat_indices").values);
  CHECK(reference.read<std::int64_t>("feat_shape").values == std::vector<std::int64_t>{2708, 1433});
  const auto values = reference.read<double>("feat_data").values;
  REQUIRE(values.size() == data.features.sparse().nonzeros());
  double worst = 0;  // the reference holds floats, some of them rounded the wrong way (1/7, 1/11 ...)
  for (std::size_t i = 0; i < values.size(); ++i) {
    worst = std::max(worst, std::abs(data.features.sparse().values()[i] - values[i]) / values[i]);
  }
  CHECK(worst <= 1e-7);
  for (const auto& [name, part] : {std::pair{"train_mask", &data.split.train},
                                   {"val_mask", &data.split.validation},
                                   {"test_mask", &data.split.test}}) {
    std::vector<std::uint8_t> mask(data.nodes(), 0);
    for (const auto v : *part) {
      mask[static_cast<std::size_t>(v)] = 1;
    }
    CHECK(mask == reference.read<std::uint8_t>(name).values);
  }
}
