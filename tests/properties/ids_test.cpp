// SPDX-License-Identifier: MIT
// Names of nodes mean nothing: a graph whose ids are permuted gives permuted results. Neighbours are summed by
// ascending id, so the order of sums changes with the names: results are the same to the rounding of sums, and the same
// bits where nothing is summed over neighbours but a maximum taken.
#include <catch2/catch.hpp>

#include "graphpatcher/patcher/fixed_patches.hpp"
#include "properties/arbitrary.hpp"
#include "properties/rounding.hpp"
#include "support/compare.hpp"

namespace gp = graphpatcher;
using arbitrary::node_id;

namespace {

/// Node v becomes node names[v].
arbitrary::attributed_graph renamed(const arbitrary::attributed_graph& data, const std::vector<node_id>& names) {
  std::vector<gp::edge<node_id>> edges;
  gp::matrix<double> rows(data.features.rows(), data.features.cols());
  for (std::size_t v = 0; v < data.graph.nodes(); ++v) {
    for (const node_id neighbor : data.graph.neighbors(v)) {
      edges.push_back({names[static_cast<std::size_t>(neighbor)], names[v]});
    }
    data.features.read_row(v, rows.row(static_cast<std::size_t>(names[v])));
  }
  return {gp::build_graph<node_id>(data.graph.nodes(), edges), gp::sparse_from_dense<node_id>(rows.view())};
}

/// Row v of the result is row names[v].
gp::matrix<double> named_back(const gp::matrix<double>& results, const std::vector<node_id>& names) {
  gp::matrix<double> rows(results.rows(), results.cols());
  for (std::size_t v = 0; v < names.size(); ++v) {
    std::ranges::copy(results.row(static_cast<std::size_t>(names[v])), rows.row(v).begin());
  }
  return rows;
}

const gp::cpu exec{1};

}  // namespace

TEST_CASE("permuting the ids of nodes permutes predictions and patched predictions", "[properties]") {
  rc::prop("networks of sums and maxima, no patches and fixed ones", [] {
    const auto data = arbitrary::data();
    const auto names = arbitrary::shuffled(data.graph);
    const auto other = renamed(data, names);
    const auto nodes = arbitrary::every_node(data.graph);
    const auto sizes = rounding::absolute_features(data.features);
    arbitrary::each_relu_backbone(data, [&](const auto& model) {
      const auto large = rounding::absolute_network(model);
      const std::size_t hidden = model.layers.front().outputs();
      // Of a number on its way: two products, pooled ones with another before them, two sums over neighbours, patches
      // and itself, scales and biases; a mean over all nodes if it is a patch.
      const std::size_t roundings = 2 * (data.features.cols() + hidden) + 2 * (data.longest_row() + 3) + 16;
      const auto patched = [&](const arbitrary::attributed_graph& on, const auto& how, const auto& network,
                               const auto& features) {
        return gp::patch_nodes(exec, on.graph, features, network, how, nodes, {.patches = 2}).logits;
      };
      for (const auto kind : {gp::fixed_patch::zero, gp::fixed_patch::mean, gp::fixed_patch::copy}) {
        const auto here = patched(data, kind, model, data.features);
        const auto there = patched(other, kind, model, other.features);
        const auto bound = patched(data, kind, large, sizes);
        for (std::size_t k = 0; k <= 2; ++k) {
          RC_ASSERT(rounding::close(here[k], named_back(there[k], names), roundings + data.graph.nodes(), bound[k]));
        }
      }
    });
  });

  rc::prop("the same bits for GraphSAGE with maxima", [] {
    const auto data = arbitrary::data();
    const auto names = arbitrary::shuffled(data.graph);
    const auto other = renamed(data, names);
    const auto model = backbones::shaken(gp::sage_backbone<double>(
        {.hidden = arbitrary::size(1, 6), .seed = arbitrary::seed()}, data.features.cols(), arbitrary::classes));
    const auto here = gp::predict(exec, model, data.graph, data.features);
    const auto there = gp::predict(exec, model, other.graph, other.features);
    RC_ASSERT(support::same_bits(here, named_back(there, names)));
  });

  // Scores of edges are the same bits: they depend on two nodes. Then a softmax, whose sum has d terms, and a sum of d
  // weighted rows, weights of sum 1: no larger than the largest row.
  rc::prop("attention", [] {
    const auto data = arbitrary::data();
    const auto names = arbitrary::shuffled(data.graph);
    const auto other = renamed(data, names);
    const std::size_t heads = arbitrary::size(1, 3);
    const auto model = backbones::shaken(gp::gat_backbone<double>(
        {.layers = 1, .output_heads = heads, .seed = arbitrary::seed()}, data.features.cols(), arbitrary::classes));
    const auto here = gp::predict(exec, model, data.graph, data.features);
    const auto there = gp::predict(exec, model, other.graph, other.features);
    double largest = 0;
    const auto& weight = model.layers.front().weight.value;
    for (std::size_t v = 0; v < data.graph.nodes(); ++v) {
      for (std::size_t c = 0; c < weight.cols(); ++c) {
        double size = std::abs(model.layers.front().bias.value(0, c));
        data.features.for_each_nonzero(v, [&](std::size_t k, double x) { size += std::abs(x * weight(k, c)); });
        largest = std::max(largest, size);
      }
    }
    gp::matrix<double> sizes(here.rows(), here.cols());
    std::ranges::fill(sizes.values(), largest);
    RC_ASSERT(rounding::close(here, named_back(there, names), 2 * (data.longest_row() + 1) + heads + 8, sizes));
  });
}
