// SPDX-License-Identifier: MIT
#include "scale_runs.hpp"

#include <chrono>
#include <functional>
#include <set>

#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/ego_batch.hpp"
#include "graphpatcher/graph/rmat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"
#include "patcher_setup.hpp"
#include "resident_memory.hpp"

namespace bench {

namespace {

constexpr std::size_t feature_count = 256;
constexpr std::size_t words = 16;  // non-zero features of a node
constexpr std::size_t class_count = 8;

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The graph with random features and labels, every node for testing.
gp::dataset<float, index> with_features(gp::csr_graph<index> graph) {
  const gp::random_stream random(1, gp::purpose::generator);
  gp::dataset<float, index> data;
  data.name = "rmat";
  data.classes = class_count;
  std::vector<index> offsets{0};
  std::vector<index> columns;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    // one column in each of 16 equal ranges: ascending and different without a search
    for (std::size_t w = 0; w < words; ++w) {
      const std::size_t within = random.bits(v, w / 4)[w % 4] % (feature_count / words);
      columns.push_back(static_cast<index>(w * (feature_count / words) + within));
    }
    offsets.push_back(static_cast<index>(columns.size()));
    data.labels.push_back(static_cast<index>(random.bits(v, words)[0] % class_count));
    data.split.test.push_back(static_cast<index>(v));
  }
  std::vector<float> values(columns.size(), 1.0f / words);
  data.features = gp::sparse_matrix<float, index>(graph.nodes(), feature_count, std::move(offsets), std::move(columns),
                                                  std::move(values));
  data.graph = std::move(graph);
  return data;
}

/// Runs batch after batch for about a second, at least five; median of the seconds an anchor.
scale_cost measure(std::size_t batch_size, const std::function<void(std::size_t batch)>& run) {
  run(0);  // warm-up: what is prepared once for a graph is prepared here
  forget_peak();
  std::vector<double> seconds;
  double total = 0;
  for (std::size_t batch = 1; total < 1 || seconds.size() < 5; ++batch) {
    seconds.push_back(seconds_of([&] { run(batch); }));
    total += seconds.back();
  }
  return {median_of(seconds) / static_cast<double>(batch_size), seconds.size() * batch_size, peak_bytes(), 0};
}

scale_cost corrupted(const gp::dataset<float, index>& data, int threads) {
  constexpr std::size_t batch_size = 1024;
  constexpr gp::corruption_options how{.strength = 0.3, .samples = 10, .seed = 1};
  const gp::gcn_backbone<float> model({.hidden = 64, .seed = 1}, feature_count, class_count);
  const gp::frozen_model frozen(gp::cpu{threads}, model, data);
  const auto anchors = anchors_of(data.graph, data.nodes());
  gp::matrix<float> logits(batch_size * how.samples, class_count);
  const std::size_t batches = anchors.size() / batch_size;
  auto cost = measure(batch_size, [&](std::size_t b) {
    const auto batch = std::span<const index>(anchors).subspan(b * 37 % batches * batch_size, batch_size);
    frozen.answer(batch, how, {.logits = logits.view()});
  });
  const std::size_t rows = 64 + class_count;  // what the model says of every node in both layers
  cost.own_bytes = sizeof(float) * (data.nodes() * rows + logits.size()) + sizeof(index) * anchors.size();
  return cost;
}

scale_cost patched(const patcher_setup& setup, std::size_t count) {
  const auto nodes = count == 0 ? setup.data().split.test : anchors_of(setup.data().graph, count);
  forget_peak();
  std::size_t results = 0;
  const double seconds = seconds_of([&] {
    for (const auto& logits : setup.patch(nodes)) {
      results += sizeof(float) * logits.size();
    }
  });
  return {seconds / static_cast<double>(nodes.size()), nodes.size(), peak_bytes(),
          results + sizeof(index) * nodes.size()};
}

void describe(scale_point& point, const patcher_setup& setup) {
  const auto& graph = setup.data().graph;
  point.nodes = graph.nodes();
  point.edges = graph.entries() / 2;
  double two_hops = 0;
  const auto some = anchors_of(graph, 4096);
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    point.largest_degree = std::max(point.largest_degree, graph.degree(v));
  }
  for (const index anchor : some) {
    for (const index neighbor : graph.neighbors(static_cast<std::size_t>(anchor))) {
      two_hops += static_cast<double>(graph.degree(static_cast<std::size_t>(neighbor)));
    }
  }
  point.two_hop_edges = two_hops / static_cast<double>(some.size());
  point.data_bytes = setup.bytes_of_data();
  point.model_bytes = setup.bytes_of_model();
}

}  // namespace

scale_point run_scale(int scale, std::size_t patched_nodes, const run_options& options) {
  auto graph = gp::make_rmat<index>(
      gp::cpu{options.threads},
      {.scale = scale, .edges = std::size_t{6} << scale, .a = 0.45, .b = 0.22, .c = 0.22, .d = 0.11});
  patcher_setup setup(with_features(std::move(graph)), {.hidden = 128, .epochs = 0, .threads = options.threads});
  scale_point point;
  describe(point, setup);
  point.ego_batch = measure(setup.batch(0).size(), [&](std::size_t b) {
    gp::make_ego_batch<index>(gp::cpu{options.threads}, setup.data().graph, setup.batch(b));
  });
  point.ego_graphs = corrupted(setup.data(), options.threads);
  point.train_iteration = measure(setup.batch(0).size(), [&](std::size_t) { setup.train_iteration(); });
  setup.end_training();
  point.patching = patched(setup, patched_nodes);
  return point;
}

hub_cost run_hub(const run_options& options) {
  // Node 0 of an even graph of 2^17 nodes is joined to 10^5 others.
  constexpr std::size_t degree = 100'000;
  auto edges = gp::rmat_edges<index>(gp::cpu{options.threads},
                                     {.scale = 17, .edges = 400'000, .a = 0.25, .b = 0.25, .c = 0.25, .d = 0.25});
  for (std::size_t v = 1; v <= degree; ++v) {
    edges.push_back({0, static_cast<index>(v)});
  }
  auto graph = gp::build_graph<index>(std::size_t{1} << 17, edges);
  hub_cost cost;
  cost.degree = graph.degree(0);
  patcher_setup setup(with_features(std::move(graph)), {.hidden = 128, .epochs = 0, .threads = options.threads});
  std::vector<index> without;  // nodes that are not joined to the hub
  for (std::size_t v = degree + 1; without.size() < 64; ++v) {
    if (setup.data().graph.degree(v) > 0) {
      without.push_back(static_cast<index>(v));
    }
  }
  auto with = without;
  with.front() = 0;
  const auto seconds = [&](const std::vector<index>& anchors) {
    const auto one = [&] { return seconds_of([&] { setup.train_iteration(anchors); }); };
    one();
    return median_of({one(), one(), one(), one(), one()});
  };
  cost.seconds_without = seconds(without);
  cost.seconds_with = seconds(with);
  return cost;
}

std::size_t training_peak_on_cora(const run_options& options) {
  patcher_setup setup(load("cora", options), {.epochs = 0, .threads = options.threads});
  forget_peak();
  for (int i = 0; i < 10; ++i) {
    setup.train_iteration();
  }
  return peak_bytes();
}

}  // namespace bench
