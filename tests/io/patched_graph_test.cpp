// SPDX-License-Identifier: MIT
// A graph is written with its virtual nodes, read back from the file as anybody
// would, and a network computed edge by edge gives the logits of patch_nodes().
#include "graphpatcher/io/patched_graph.hpp"

#include <set>
#include <sstream>

#include "graphpatcher/io/npz.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/patcher/patching.hpp"
#include "io/checkpoint_support.hpp"
#include "support/dense_features.hpp"

namespace gp = graphpatcher;
using gp::matrix;
using toy::node_id;

namespace {

/// What a file says: edges, features of all nodes, the anchor of each virtual node.
struct read_graph {
  std::vector<std::int64_t> source;
  std::vector<std::int64_t> target;
  matrix<double> x;
  std::vector<std::int64_t> anchor;
};

read_graph read_npz(const std::filesystem::path& path) {
  const gp::npz_archive file(path);
  read_graph result;
  const auto edges = file.read<std::int64_t>("edge_index");
  REQUIRE(edges.shape.size() == 2);
  REQUIRE(edges.shape[0] == 2);
  const auto half = edges.values.begin() + static_cast<std::ptrdiff_t>(edges.shape[1]);
  result.source.assign(edges.values.begin(), half);
  result.target.assign(half, edges.values.end());
  result.anchor = file.read<std::int64_t>("anchor").values;
  if (file.contains("x")) {
    const auto x = file.read<double>("x");
    const auto patches = file.read<double>("virtual_x");
    result.x = matrix<double>(x.shape[0] + patches.shape[0], x.shape[1]);
    std::ranges::copy(patches.values, std::ranges::copy(x.values, result.x.data()).out);
    return result;
  }
  const auto shape = file.read<std::int64_t>("x_shape").values;
  const auto rows = static_cast<std::size_t>(shape[0]);
  const auto cols = static_cast<std::size_t>(shape[1]);
  const auto starts = file.read<std::int64_t>("x_indptr").values;
  const auto columns = file.read<std::int64_t>("x_indices").values;
  const auto values = file.read<double>("x_data").values;
  const auto made = file.read<double>("virtual_x");
  REQUIRE(made.shape == std::vector<std::size_t>{result.anchor.size(), cols});
  result.x = matrix<double>(rows + result.anchor.size(), cols);
  for (std::size_t v = 0; v < rows; ++v) {
    for (auto e = static_cast<std::size_t>(starts[v]); e < static_cast<std::size_t>(starts[v + 1]); ++e) {
      result.x(v, static_cast<std::size_t>(columns[e])) = values[e];
    }
  }
  std::copy(made.values.begin(), made.values.end(), result.x.data() + rows * cols);
  return result;
}

/// Rows of a csv file; the first must be `header`.
std::vector<std::vector<std::string>> read_table(const std::filesystem::path& path, const std::string& header) {
  std::ifstream file(path);
  std::string line;
  REQUIRE(std::getline(file, line));
  CHECK(line == header);
  std::vector<std::vector<std::string>> rows;
  while (std::getline(file, line)) {
    rows.emplace_back();
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      rows.back().push_back(cell);
    }
  }
  return rows;
}

read_graph read_csv(const std::filesystem::path& folder, std::size_t features) {
  read_graph result;
  for (const auto& row : read_table(folder / "edges.csv", "source,target")) {
    result.source.push_back(std::stoll(row.at(0)));
    result.target.push_back(std::stoll(row.at(1)));
  }
  const auto nodes = read_table(folder / "nodes.csv", "node,label,split,anchor");
  for (const auto& row : nodes) {
    if (row.at(3) != "-1") {
      result.anchor.push_back(std::stoll(row.at(3)));
    }
  }
  result.x = matrix<double>(nodes.size(), features);
  for (const auto& row : read_table(folder / "features.csv", "node,column,value")) {
    result.x(std::stoul(row.at(0)), std::stoul(row.at(1))) = std::stod(row.at(2));
  }
  return result;
}

/// Means over the edges that a node receives; none gives zero.
matrix<double> mean_of_sources(const read_graph& graph, const matrix<double>& x) {
  matrix<double> sums(x.rows(), x.cols());
  std::vector<double> count(x.rows());
  for (std::size_t e = 0; e < graph.source.size(); ++e) {
    const auto to = static_cast<std::size_t>(graph.target[e]);
    ++count[to];
    for (std::size_t c = 0; c < x.cols(); ++c) {
      sums(to, c) += x(static_cast<std::size_t>(graph.source[e]), c);
    }
  }
  for (std::size_t v = 0; v < x.rows(); ++v) {
    for (auto& sum : sums.row(v)) {
      sum /= std::max(count[v], 1.0);
    }
  }
  return sums;
}

/// GraphConv(norm="right") twice with a ReLU between, as DGL defines it.
matrix<double> slow_gcn(const read_graph& graph, const gp::gcn_backbone<double>& model) {
  matrix<double> h = graph.x;
  for (std::size_t l = 0; l < 2; ++l) {
    const auto& layer = model.layers[l];
    const auto mean = mean_of_sources(graph, h);
    h = matrix<double>(mean.rows(), layer.outputs());
    for (std::size_t v = 0; v < h.rows(); ++v) {
      for (std::size_t c = 0; c < h.cols(); ++c) {
        h(v, c) = layer.bias.value(0, c);
        for (std::size_t k = 0; k < mean.cols(); ++k) {
          h(v, c) += mean(v, k) * layer.weight.value(k, c);
        }
        h(v, c) = l == 0 ? std::max(h(v, c), 0.0) : h(v, c);
      }
    }
  }
  return h;
}

/// Nodes no two of which are neighbours: the patches of one are not seen by another.
std::vector<node_id> apart(const gp::csr_graph<node_id>& graph) {
  std::vector<node_id> chosen;
  std::set<node_id> taken;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    if (!taken.contains(static_cast<node_id>(v))) {
      chosen.push_back(static_cast<node_id>(v));
      taken.insert(graph.neighbors(v).begin(), graph.neighbors(v).end());
    }
  }
  return chosen;
}

}  // namespace

TEST_CASE("patched graph: read back from npz and csv, a network gives the same logits", "[patched_graph]") {
  const gp_test::temporary_folder folder;
  auto data = toy::make<double>();
  if (GENERATE(false, true)) {
    data.features = support::dense_features<double, float>(data.nodes(), 12, 8);
  }
  gp::gcn_backbone<double> model({.hidden = 8}, 12, 3);
  gp_test::scramble(model);
  gp::patch_generator<double> generator({.features = 12, .hidden = 6});
  gp_test::scramble(generator, 2);
  const auto anchors = apart(data.graph);
  REQUIRE(anchors.size() > 10);
  const auto edge = GENERATE(gp::patch_edge::to_anchor, gp::patch_edge::to_anchor_loop, gp::patch_edge::undirected);
  const auto patched = gp::patch_nodes(gp::cpu{}, data.graph, data.features, model, generator, anchors,
                                       {.patches = 3, .keep_features = true, .edge = edge});
  const auto packing = GENERATE(gp::npz_packing::stored, gp::npz_packing::deflated);
  gp::write_patched_graph(folder.path() / "g.npz", data, anchors, patched.features, {.edge = edge, .packing = packing});
  gp::write_patched_graph(folder.path() / "g", data, anchors, patched.features, {.edge = edge});
  for (const auto& graph : {read_npz(folder.path() / "g.npz"), read_csv(folder.path() / "g", 12)}) {
    REQUIRE(graph.anchor.size() == 3 * anchors.size());
    REQUIRE(graph.x.rows() == data.nodes() + 3 * anchors.size());
    const auto logits = slow_gcn(graph, model);
    double largest = 0;
    double moved = 0;
    for (std::size_t a = 0; a < anchors.size(); ++a) {
      for (std::size_t c = 0; c < 3; ++c) {
        const double got = logits(static_cast<std::size_t>(anchors[a]), c);
        largest = std::max(largest, std::abs(got - patched.logits[3](a, c)));
        moved = std::max(moved, std::abs(got - patched.logits[0](a, c)));
      }
    }
    CHECK(largest < 1e-10);  // sums of some hundred numbers below 100, in another order
    CHECK(moved > 0.1);      // patches do something
  }
}

TEST_CASE("patched graph: edges, labels and masks of a graph small enough to see", "[patched_graph]") {
  const gp_test::temporary_folder folder;
  gp::dataset<float, node_id> data;
  data.name = "path";
  data.graph = gp::csr_graph<node_id>({0, 1, 3, 4}, {1, 0, 2, 1});  // 0 - 1 - 2
  data.features = gp::sparse_from_dense<node_id>(matrix<float>{{1, 0}, {0, 0}, {0, 2}}.view());
  data.labels = {0, 1, -1};
  data.classes = 2;
  data.split = {{0}, {1}, {}};
  const std::vector<node_id> anchors{2, 0};
  const std::vector<matrix<float>> patches{{{0.5f, 0}, {0, 0.1f}}};
  gp::write_patched_graph(folder.path() / "g", data, anchors, patches);
  CHECK(gp_test::content_of(folder.path() / "g" / "edges.csv") ==
        "source,target\n0,0\n1,0\n1,1\n0,1\n2,1\n2,2\n1,2\n3,2\n4,0\n");
  CHECK(gp_test::content_of(folder.path() / "g" / "nodes.csv") ==
        "node,label,split,anchor\n0,0,train,-1\n1,1,validation,-1\n2,-1,,-1\n3,-1,,2\n4,-1,,0\n");
  CHECK(gp_test::content_of(folder.path() / "g" / "features.csv") ==
        "node,column,value\n0,0,1\n2,1,2\n3,0,0.5\n4,1,0.1\n");

  gp::write_patched_graph(folder.path() / "g.npz", data, anchors, patches,
                          {.edge = gp::patch_edge::undirected, .self_loops = false});
  const gp::npz_archive file(folder.path() / "g.npz");
  CHECK(file.read<std::int64_t>("edge_index").values ==
        std::vector<std::int64_t>{1, 0, 2, 1, 3, 2, 4, 0, 0, 1, 1, 2, 2, 3, 0, 4});
  CHECK(file.read<std::int64_t>("y").values == std::vector<std::int64_t>{0, 1, -1, -1, -1});
  CHECK(file.read<std::uint8_t>("train_mask").values == std::vector<std::uint8_t>{1, 0, 0, 0, 0});
  CHECK(file.read<std::uint8_t>("val_mask").values == std::vector<std::uint8_t>{0, 1, 0, 0, 0});
  CHECK(file.read<std::uint8_t>("test_mask").values == std::vector<std::uint8_t>(5, 0));
}

TEST_CASE("patched graph: patches that don't fit are refused", "[patched_graph]") {
  const gp_test::temporary_folder folder;
  const auto data = toy::make<float>();
  const auto path = folder.path() / "g.npz";
  const std::vector<node_id> anchors{1, 2};
  const auto write = [&](const std::vector<node_id>& nodes, matrix<float> patch) {
    gp::write_patched_graph(path, data, nodes, {patch});
  };
  CHECK_THROWS_AS(write(anchors, matrix<float>(2, 11)), gp::shape_error);
  CHECK_THROWS_AS(write(anchors, matrix<float>(1, 12)), gp::shape_error);
  CHECK_THROWS_AS(write({1, 60}, matrix<float>(2, 12)), gp::index_error);
  CHECK_THROWS_AS(write({1, -1}, matrix<float>(2, 12)), gp::index_error);
  matrix<float> infinite(2, 12);
  infinite(1, 1) = 1.0f / 0.0f;
  CHECK_THROWS_AS(write(anchors, infinite), gp::numeric_error);
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK_THROWS_AS(gp::write_patched_graph(folder.path() / "no" / "g.npz", data, anchors, {matrix<float>(2, 12)}),
                  gp::file_error);
  gp::write_patched_graph(path, data, anchors, {});  // no patches: the graph itself
  CHECK(gp::npz_archive(path).read<std::int64_t>("anchor").values.empty());
}
