// SPDX-License-Identifier: MIT
// Two-layer networks as DGL computes them, values and gradients, on a 400-node
// subgraph of Cora.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/io/npz.hpp"
#include "graphpatcher/nn/gat.hpp"
#include "graphpatcher/nn/gcn.hpp"
#include "graphpatcher/nn/sage.hpp"
#include "nn/layer_support.hpp"

namespace gp = graphpatcher;
using id32 = std::int32_t;

namespace {

const std::filesystem::path reference_file = std::filesystem::path(GP_SHARED_DIR) / "reference" / "layers_f64.npz";
const gp::random_stream stream(1, gp::purpose::initialisation);

/// PyTorch keeps the weight of a linear layer as [out, in]; ours is [in, out].
bool transposed(const std::string& name) {
  return name.find("fc") != std::string::npos && name.ends_with("weight");
}

template <class T>
gp::matrix<T> read(const gp::npz_archive& file, const std::string& name, bool turn = false) {
  const auto array = file.read<double>(name);
  const std::size_t cols = static_cast<std::size_t>(array.shape.back());
  const std::size_t rows = name.find("attn") != std::string::npos ? 1 : array.values.size() / cols;
  gp::matrix<T> result(turn ? cols : rows, turn ? rows : array.values.size() / rows);
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const std::size_t r = i / (array.values.size() / rows);
    const std::size_t c = i % (array.values.size() / rows);
    (turn ? result(c, r) : result(r, c)) = static_cast<T>(array.values[i]);
  }
  return result;
}

gp::message_graph<id32> read_graph(const gp::npz_archive& file) {
  const auto source = file.read<std::int64_t>("edge_src").values;
  const auto target = file.read<std::int64_t>("edge_dst").values;
  std::vector<gp::edge<id32>> edges;
  for (std::size_t e = 0; e < source.size(); ++e) {
    edges.push_back({static_cast<id32>(source[e]), static_cast<id32>(target[e])});
  }
  return gp::whole_graph(gp::build_graph<id32>(400, edges, {.direction = gp::edge_direction::directed}));
}

/// Loads the parameters of `a` and `b`, then compares output and gradients:
/// once with x as an input whose gradient is wanted, once as sparse features.
template <class T, class Layer, class Activation>
void compare(const std::string& network, Layer first, Layer second, Activation activation) {
  const double tolerance = std::is_same_v<T, double> ? 1e-9 : 1e-4;
  const gp::npz_archive file(reference_file);
  const auto graph = read_graph(file);
  auto list = first.parameters();
  const auto more = second.parameters();
  list.insert(list.end(), more.begin(), more.end());
  for (auto* p : list) {
    const auto value = read<T>(file, network + "." + p->name, transposed(p->name));
    REQUIRE(value.rows() == p->value.rows());
    REQUIRE(value.cols() == p->value.cols());
    p->value = value;
  }
  const auto x = read<T>(file, "x");
  const auto r = read<T>(file, "r");
  const auto expected = read<double>(file, network + ".out");
  const gp::feature_table table = gp::sparse_from_dense<id32>(x.view());
  const auto check = [&](const auto& input, gp::tape<T>& t) {
    const auto out = second.forward(t, graph.all(), activation(first.forward(t, graph.all(), input)));
    CHECK(gp_test::relative_difference(out.value(), expected.view()) < tolerance);
    t.backward(gp_test::weighted_sum(out, r));
    for (auto* p : list) {
      INFO(p->name);
      REQUIRE(p->has_gradient);
      const auto gradient = read<double>(file, network + ".grad." + p->name, transposed(p->name));
      CHECK(gp_test::relative_difference(p->gradient.view(), gradient.view()) < tolerance);
      p->has_gradient = false;
    }
  };
  gp::tape<T> t(gp::cpu{.threads = 2});
  const auto input = t.input(x);
  check(input, t);
  CHECK(gp_test::relative_difference(input.gradient(), read<double>(file, network + ".grad_x").view()) < tolerance);
  t.reset();
  check(gp::node_features<T, id32>{&table, &graph, {}}, t);
}

}  // namespace

TEMPLATE_TEST_CASE("layers agree with DGL, values and gradients", "[nn][reference]", float, double) {
  using T = TestType;
  if (!std::filesystem::exists(reference_file)) {
    WARN("skipped: no data");
    return;
  }
  const auto relu = [](const auto& h) { return gp::relu(h); };
  const auto elu = [](const auto& h) { return gp::elu(h); };
  SECTION("gcn, mean") {
    compare<T>("gcn_right", gp::gcn_layer<T>(24, 16, gp::normalisation::mean, stream, "a"),
               gp::gcn_layer<T>(16, 5, gp::normalisation::mean, stream, "b"), relu);
  }
  SECTION("gcn, symmetric") {
    compare<T>("gcn_both", gp::gcn_layer<T>(24, 16, gp::normalisation::symmetric, stream, "a"),
               gp::gcn_layer<T>(16, 5, gp::normalisation::symmetric, stream, "b"), relu);
  }
  SECTION("sage, mean") {
    compare<T>("sage_mean", gp::sage_layer<T>(24, 16, {.aggregator = gp::sage_aggregator::mean}, stream, "a"),
               gp::sage_layer<T>(16, 5, {.aggregator = gp::sage_aggregator::mean}, stream, "b"), relu);
  }
  SECTION("sage, pool") {
    compare<T>("sage_pool", gp::sage_layer<T>(24, 16, {}, stream, "a"), gp::sage_layer<T>(16, 5, {}, stream, "b"),
               relu);
  }
  SECTION("gat") {
    compare<T>("gat", gp::gat_layer<T>(24, 8, {.heads = 4}, stream, "a"),
               gp::gat_layer<T>(32, 5, {.heads = 1, .merge = gp::head_merge::mean}, stream, "b"), elu);
  }
}
