// SPDX-License-Identifier: MIT
// The oracle of corrupted ego-graphs (support/slow_answers.hpp) against graphs that are built, and by hand.
#include "support/slow_answers.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "support/compare.hpp"
#include "support/random_matrix.hpp"
#include "support/slow_gcn.hpp"
#include "support/slow_graph.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;
using edge_list = std::vector<gp::edge<node_id>>;

namespace {

constexpr std::size_t features = 5;
constexpr std::size_t hidden = 9;
constexpr std::size_t classes = 4;

/// A GCN with random weights and biases over a random feature table.
template <class T>
struct trained_model {
  gp::gcn_backbone<T> backbone;
  gp::feature_table<T, node_id> table;
  slow::projected_gcn<T> gcn;

  trained_model(std::size_t nodes, gp::normalisation norm)
      : backbone(gp::gcn_config{.hidden = hidden, .norm = norm, .seed = 3}, features, classes),
        table(gp::sparse_from_dense<node_id>(support::random_matrix<T>(nodes, features, 4).view())),
        gcn(backbone, table) {
    backbone.layers[0].bias.value = support::random_matrix<T>(1, hidden, 5);
    backbone.layers[1].bias.value = support::random_matrix<T>(1, classes, 6);
  }

  gp::frozen_gcn<T> frozen() const { return gcn.frozen(); }
};

/// What the generic path answers: ego-graphs built one by one, the whole model run on them.
template <class T>
gp::matrix<T> generic_logits(const trained_model<T>& model, const gp::csr_graph<node_id>& graph,
                             std::span<const node_id> anchors, const gp::corruption_options& options) {
  const auto batch = gp::make_ego_batch({}, graph, anchors);
  const auto masks = gp::corrupt({}, batch, options);
  const auto egos = gp::corrupted_egos(batch, masks);
  const auto messages = gp::materialise<node_id>({}, batch, egos, {.degree = gp::degree_mode::graph});
  return gp::predict(gp::cpu{}, model.backbone, messages, model.table);
}

gp::csr_graph<node_id> star(node_id leaves) {
  edge_list edges;
  for (node_id v = 1; v <= leaves; ++v) {
    edges.push_back({0, v});
  }
  return gp::build_graph<node_id>(static_cast<std::size_t>(leaves) + 2, edges);  // the last node is isolated
}

gp::csr_graph<node_id> clique(node_id nodes) {
  edge_list edges;
  for (node_id v = 0; v < nodes; ++v) {
    for (node_id u = 0; u < v; ++u) {
      edges.push_back({u, v});
    }
  }
  return gp::build_graph<node_id>(static_cast<std::size_t>(nodes), edges);
}

/// A random graph in which every third node also has a loop, which models leave out.
gp::csr_graph<node_id> with_loops(const gp::csr_graph<node_id>& graph) {
  edge_list edges;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    for (const node_id n : graph.neighbors(v)) {
      edges.push_back({n, static_cast<node_id>(v)});
    }
    if (v % 3 == 0) {
      edges.push_back({static_cast<node_id>(v), static_cast<node_id>(v)});
    }
  }
  return gp::build_graph<node_id>(graph.nodes(), edges, {.loops = gp::self_loops::keep});
}

std::vector<node_id> every_node(const gp::csr_graph<node_id>& graph) {
  std::vector<node_id> ids(graph.nodes());
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

/// Numbers are below about 10 after sums of at most a few hundred terms that both paths take in different orders.
template <class T>
constexpr double rounding = 2000 * static_cast<double>(std::numeric_limits<T>::epsilon());

}  // namespace

TEMPLATE_TEST_CASE("corrupted logits are those of the materialised ego-graphs", "[patcher]", float, double) {
  const auto norm = GENERATE(gp::normalisation::mean, gp::normalisation::symmetric);
  const double strength = GENERATE(0.0, 0.3, 0.6, 0.9, 1.0);
  const auto graph =
      GENERATE(star(200), clique(12), slow::random_graph<node_id>(60, 150, 1), slow::random_graph<node_id>(300, 900, 2),
               with_loops(slow::random_graph<node_id>(40, 90, 3)));
  const trained_model<TestType> model(graph.nodes(), norm);
  const auto anchors = every_node(graph);
  const gp::corruption_options options{
      .strength = strength, .samples = 5, .seed = 11, .iteration = 7, .step = 2};  // two Philox blocks a neighbour
  const auto expected = generic_logits(model, graph, anchors, options);

  const gp::host_graph<node_id> host(graph);
  gp::matrix<TestType> logits(anchors.size() * options.samples, classes);
  slow::corrupted_logits(host.view(), model.frozen(), anchors, options, {.logits = logits});
  CHECK(support::largest_difference(logits, expected) < rounding<TestType>);
}

TEST_CASE("probabilities and their mean over samples belong to the logits", "[patcher]") {
  const auto graph = slow::random_graph<node_id>(50, 100, 4);
  const trained_model<double> model(graph.nodes(), gp::normalisation::symmetric);
  const std::vector<node_id> anchors{3, 0, 49, 3};  // any order, repeats, an isolated one
  const gp::corruption_options options{.strength = 0.5, .samples = 6, .seed = 1};
  const gp::host_graph<node_id> host(graph);
  gp::matrix<double> logits(24, classes);
  gp::matrix<double> probabilities(24, classes);
  gp::matrix<double> mean(4, classes);
  slow::corrupted_logits(host.view(), model.frozen(), anchors, options, {logits, probabilities, mean});

  for (std::size_t b = 0; b < anchors.size(); ++b) {
    for (std::size_t c = 0; c < classes; ++c) {
      double expected_mean = 0;
      for (std::size_t s = 0; s < options.samples; ++s) {
        double sum = 0;
        for (std::size_t k = 0; k < classes; ++k) {
          sum += std::exp(logits(b * 6 + s, k));
        }
        const double probability = std::exp(logits(b * 6 + s, c)) / sum;
        CHECK(probabilities(b * 6 + s, c) == Approx(probability).epsilon(1e-12));
        expected_mean += probability / 6;
      }
      CHECK(mean(b, c) == Approx(expected_mean).epsilon(1e-12));
      CHECK(mean(3, c) == mean(0, c));  // the same anchor gives the same answers
    }
  }
  gp::matrix<double> mean_alone(4, classes);
  slow::corrupted_logits(host.view(), model.frozen(), anchors, options, {.mean_probabilities = mean_alone});
  CHECK(support::same_bits(mean_alone, mean));
}

TEST_CASE("hand-computed: a triangle that loses a node", "[patcher]") {
  // Nodes 0-1-2 all joined, one hidden column, one class, P = (1, 10, 100), no biases, W2 = 1, mean normalisation.
  const auto graph = clique(3);
  const gp::matrix<double> projected{{1}, {10}, {100}};
  const gp::matrix<double> one{{1}};
  const std::vector<double> zero{0};
  const gp::frozen_gcn<double> model{projected.view(), zero, one.view(), zero, gp::normalisation::mean};
  const gp::host_graph<node_id> host(graph);
  const std::vector<node_id> anchors{0};
  gp::matrix<double> logits(64, 1);
  const gp::corruption_options options{.strength = 0.5, .samples = 64, .seed = 5};
  slow::corrupted_logits(host.view(), model, anchors, options, {.logits = logits});

  const auto masks = gp::corrupt({}, gp::make_ego_batch({}, graph, anchors), options);
  std::set<std::pair<bool, bool>> seen;
  for (std::size_t s = 0; s < options.samples; ++s) {
    const bool one_stays = masks.kept(0, s)[0] != 0;
    const bool two_stays = masks.kept(0, s)[1] != 0;
    seen.emplace(one_stays, two_stays);
    // Whole: every row is 37. One neighbour left: both rows are the mean of two nodes. None: the anchor alone.
    const double expected = one_stays && two_stays ? 37.0 : one_stays ? 5.5 : two_stays ? 50.5 : 1.0;
    CHECK(logits(s, 0) == Approx(expected).epsilon(1e-15));
  }
  CHECK(seen.size() == 4);
}

TEMPLATE_TEST_CASE("a table in 16 bits gives the answers of its rounded numbers", "[patcher]", gp::float16,
                   gp::bfloat16) {
  const auto graph = slow::random_graph<node_id>(40, 80, 5);
  trained_model<float> model(graph.nodes(), gp::normalisation::mean);
  gp::matrix<TestType> narrow(graph.nodes(), hidden);
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    if constexpr (std::is_same_v<TestType, gp::float16>) {
      narrow.values()[i] = gp::to_float16(model.gcn.projected.values()[i]);
    } else {
      narrow.values()[i] = gp::to_bfloat16(model.gcn.projected.values()[i]);
    }
    model.gcn.projected.values()[i] = gp::to_float(narrow.values()[i]);
  }
  const auto anchors = every_node(graph);
  const gp::corruption_options options{.strength = 0.3, .samples = 2, .seed = 1};
  const gp::host_graph<node_id> host(graph);
  const auto wide = model.frozen();
  gp::matrix<float> expected(anchors.size() * 2, classes);
  gp::matrix<float> logits(anchors.size() * 2, classes);
  slow::corrupted_logits(host.view(), wide, anchors, options, {.logits = expected});
  const gp::frozen_gcn<float, TestType> model16{narrow.view(), wide.hidden_bias, wide.weight, wide.bias, wide.norm};
  slow::corrupted_logits(host.view(), model16, anchors, options, {.logits = logits});
  CHECK(support::same_bits(logits, expected));
}
