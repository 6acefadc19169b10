// SPDX-License-Identifier: MIT
// f(G)[v] = f(G(v))[v] for every node of the real graphs: with the degrees of
// the whole graph, an ego-graph is all a model needs.
#include <catch2/catch.hpp>
#include <filesystem>

#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/io/load_dataset.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

template <class Model>
std::size_t rows_that_differ(const gp::dataset<float, node_id>& data, const Model& model,
                             gp::degree_mode degree = gp::degree_mode::graph) {
  const auto whole = gp::predict(gp::cpu{}, model, data.graph, data.features);
  const auto nodes = toy::all_nodes(data.nodes());
  std::size_t differ = 0;
  for (std::size_t begin = 0; begin < nodes.size(); begin += 128) {
    const auto anchors = std::span(nodes).subspan(begin, std::min<std::size_t>(128, nodes.size() - begin));
    const auto batch = gp::make_ego_batch<node_id>({}, data.graph, anchors, {.hops = model.hops()});
    const auto messages = gp::materialise({}, batch, {.degree = degree});
    const auto ego = gp::predict(gp::cpu{}, model, messages, data.features);
    for (std::size_t b = 0; b < anchors.size(); ++b) {
      differ += !std::ranges::equal(whole.row(begin + b), ego.row(b));
    }
  }
  return differ;
}

}  // namespace

TEST_CASE("ego-graphs give the logits of the whole graph, bit for bit, for every node", "[identity]") {
  const std::string root = std::string(GP_SHARED_DIR) + "/data";
  if (!std::filesystem::exists(root)) {
    WARN("skipped: no data in " << root);
    return;
  }
  const std::string name = GENERATE("cora", "citeseer", "pubmed");
  const auto data = gp::load_dataset<float>(name, {.root = root});
  const std::size_t features = data.features.cols();
  INFO(name);
  CHECK(rows_that_differ(data, gp::gcn_backbone<float>({.hidden = 16}, features, data.classes)) == 0);
  const gp::gcn_backbone<float> symmetric({.hidden = 16, .norm = gp::normalisation::symmetric}, features, data.classes);
  CHECK(rows_that_differ(data, symmetric) == 0);
  CHECK(rows_that_differ(data, symmetric, gp::degree_mode::ego) > data.nodes() / 2);
  const gp::sage_config mean{.hidden = 16, .aggregator = gp::sage_aggregator::mean};
  CHECK(rows_that_differ(data, gp::sage_backbone<float>(mean, features, data.classes)) == 0);
  CHECK(rows_that_differ(data, gp::sage_backbone<float>({.hidden = 16}, features, data.classes)) == 0);
  CHECK(rows_that_differ(data, gp::gat_backbone<float>({.hidden = 4, .heads = 4}, features, data.classes)) == 0);
}
