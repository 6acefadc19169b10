// SPDX-License-Identifier: MIT
// Corrupted ego-graphs a second, from drawing the masks to the logits of a frozen two-layer GCN.
#include <memory>
#include <numeric>
#include <string>

#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/graph/rmat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"
#include "support/closeness.hpp"
#include "support/graphs.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

struct shape {
  std::size_t anchors = 0;  ///< 0: every node
  std::size_t hidden = 64;
  std::size_t classes = 7;
  std::vector<double> strengths = {0.9, 0.6, 0.3};
  std::size_t samples = 10;
};

struct inputs {
  inputs(gp::csr_graph<index> from, shape what, int threads) : exec{threads}, graph(std::move(from)), size(what) {
    if (size.anchors == 0) {
      for (std::size_t v = 0; v < graph.nodes(); ++v) {
        anchors.push_back(static_cast<index>(v));
      }
    } else {
      anchors = anchors_of(graph, size.anchors);
    }
    logits.assign(size.strengths.size(), gp::matrix<float>(anchors.size() * size.samples, size.classes));
    model.layers[0].weight.value = random_matrix(graph.nodes(), size.hidden, 1);
    model.layers[0].bias.value = random_matrix(1, size.hidden, 2);
    model.layers[1].weight.value = random_matrix(size.hidden, size.classes, 3);
    model.layers[1].bias.value = random_matrix(1, size.classes, 4);
  }

  gp::corruption_options corruption(std::size_t m) const {
    return {.strength = size.strengths[m], .samples = size.samples, .seed = 1, .step = m};
  }
  const gp::matrix<float>& projected() const { return model.layers[0].weight.value; }

  gp::cpu exec;
  gp::csr_graph<index> graph;
  shape size;
  std::vector<index> anchors;
  gp::feature_table<float, index> features = identity(graph.nodes());  ///< so that X W1 is W1
  gp::gcn_backbone<float> model{{.hidden = size.hidden}, graph.nodes(), size.classes};
  std::vector<gp::matrix<float>> logits;  ///< one a strength

private:
  static gp::feature_table<float, index> identity(std::size_t nodes) {
    std::vector<index> offsets(nodes + 1);
    std::iota(offsets.begin(), offsets.end(), index{0});
    std::vector<index> columns(offsets.begin(), offsets.end() - 1);
    return gp::sparse_matrix<float, index>(nodes, nodes, std::move(offsets), std::move(columns),
                                           std::vector<float>(nodes, 1.0f));
  }
};

/// Some of the anchors with their ego-graphs built: what the reference runs on and what is counted.
struct built_egos {
  std::vector<std::size_t> chosen;  ///< positions in inputs::anchors
  std::vector<gp::message_graph<index>> messages;

  explicit built_egos(const inputs& in) {
    std::vector<index> ids;
    for (std::size_t b = 0; b < in.anchors.size(); b += 1 + in.anchors.size() / 64) {
      chosen.push_back(b);
      ids.push_back(in.anchors[b]);
    }
    const auto batch = gp::make_ego_batch<index>(in.exec, in.graph, ids);
    for (std::size_t m = 0; m < in.size.strengths.size(); ++m) {
      const auto masks = gp::corrupt(in.exec, batch, in.corruption(m));
      const auto egos = gp::corrupted_egos(batch, masks);
      messages.push_back(gp::materialise<index>(in.exec, batch, egos));
    }
  }
};

/// Additions of both layers over the edges that the masks leave, and the product with W2. The projected table and the
/// edges are read once, logits are written once.
amount size_of(const inputs& in, const built_egos& egos) {
  double edges = 0;
  double pairs = 0;
  for (const auto& messages : egos.messages) {
    edges += static_cast<double>(messages.offsets[messages.nodes_within(1)] + messages.offsets[messages.targets()]);
    pairs += static_cast<double>(messages.targets());
  }
  const auto all = static_cast<double>(in.anchors.size() * in.size.samples * in.size.strengths.size());
  const auto hidden = static_cast<double>(in.size.hidden);
  const auto classes = static_cast<double>(in.size.classes);
  const double bytes =
      4 * (static_cast<double>(in.projected().size() + in.graph.entries() + in.graph.nodes()) + all * classes);
  return {all * hidden * (edges / pairs + 2 * classes), bytes, all, "ego-graphs/s"};
}

/// Both layers in double over a built ego-graph, mean normalisation:
///   h_i = relu(mean of P over i's sources + b1), logits = mean of h over the anchor's sources · W2 + b2
std::vector<double> reference(const inputs& in, const gp::message_graph<index>& messages, std::size_t target) {
  const auto for_sources = [&](std::size_t row, auto&& body) {
    for (index e = messages.offsets[row]; e < messages.offsets[row + 1]; ++e) {
      body(static_cast<std::size_t>(messages.sources[static_cast<std::size_t>(e)]));
    }
  };
  std::vector<double> logits(in.size.classes);
  for (std::size_t c = 0; c < logits.size(); ++c) {
    logits[c] = static_cast<double>(in.model.layers[1].bias.value(0, c));
  }
  for (std::size_t h = 0; h < in.size.hidden; ++h) {
    double sum = 0;
    for_sources(target, [&](std::size_t i) {
      double before = 0;
      for_sources(i, [&](std::size_t j) {
        before += static_cast<double>(in.projected()(static_cast<std::size_t>(messages.global_ids[j]), h));
      });
      sum += std::max(before / messages.in_degree[i] + static_cast<double>(in.model.layers[0].bias.value(0, h)), 0.0);
    });
    for (std::size_t c = 0; c < logits.size(); ++c) {
      logits[c] += sum / messages.in_degree[target] * static_cast<double>(in.model.layers[1].weight.value(h, c));
    }
  }
  return logits;
}

void check(const inputs& in, const built_egos& egos) {
  const std::size_t samples = in.size.samples;
  for (std::size_t m = 0; m < egos.messages.size(); ++m) {
    for (std::size_t pair = 0; pair < egos.chosen.size() * samples; ++pair) {
      const auto want = reference(in, egos.messages[m], pair);
      const auto got = in.logits[m].row(egos.chosen[pair / samples] * samples + pair % samples);
      for (std::size_t c = 0; c < want.size(); ++c) {
        // means of numbers below 1 (2 with the bias), then a sum over the hidden columns
        expects_close(std::abs(want[c] - static_cast<double>(got[c])), 2e-5 * static_cast<double>(in.size.hidden),
                      "logits of anchor " + std::to_string(in.anchors[egos.chosen[pair / samples]]));
      }
    }
  }
}

workload ego_workload(const std::string& name, const std::function<gp::csr_graph<index>()>& graph, shape what,
                      int threads, bool slow = false) {
  return {name,
          [=] {
            const auto in = std::make_shared<inputs>(graph(), what, threads);
            // What belongs to the graph is computed here; a run starts with masks.
            const gp::frozen_model frozen(in->exec, in->model, in->graph, in->features);
            const auto egos = std::make_shared<built_egos>(*in);
            const auto run = [=] {
              for (std::size_t m = 0; m < what.strengths.size(); ++m) {
                frozen.answer(in->anchors, in->corruption(m), {.logits = in->logits[m].view()});
              }
            };
            return prepared_workload{size_of(*in, *egos), run, [=] { check(*in, *egos); }};
          },
          slow};
}

/// Flatter than Graph500's, about 6 neighbours a node.
gp::csr_graph<index> sparse_rmat(int threads) {
  return gp::make_rmat<index>(gp::cpu{threads},
                              {.scale = 17, .edges = 300'000, .a = 0.48, .b = 0.22, .c = 0.22, .d = 0.08});
}

/// 4096 nodes with `degree` neighbours each, on average: no hubs, few triangles.
gp::csr_graph<index> even_graph(std::size_t degree, int threads) {
  return gp::make_rmat<index>(gp::cpu{threads},
                              {.scale = 12, .edges = 2048 * degree, .a = 0.25, .b = 0.25, .c = 0.25, .d = 0.25});
}

}  // namespace

std::vector<workload> ego_graphs_workloads(const run_options& options) {
  const int threads = options.threads;
  const auto cora = [options] { return graph("cora", options); };
  std::vector<workload> workloads{ego_workload("ego_graphs/cora", cora, {}, threads)};
  const auto add = [&](const std::string& name, const auto& graph, const shape& what, bool slow = false) {
    workloads.push_back(ego_workload("ego_graphs/" + name, graph, what, threads, slow));
  };
  for (const double t : {0.9, 0.6, 0.3}) {
    add("cora/t0." + std::to_string(std::lround(10 * t)), cora, {.strengths = {t}});
  }
  for (const std::size_t hidden : {16, 256}) {
    add("cora/w" + std::to_string(hidden), cora, {.hidden = hidden});
  }
  add("ogbn-arxiv", [options] { return graph("ogbn-arxiv", options); }, {.anchors = 1024, .classes = 40});
  for (const std::size_t anchors : {64, 1024, 8192, 65536}) {
    const auto graph = [=] { return sparse_rmat(threads); };
    add("rmat-3e5/a" + std::to_string(anchors), graph, {.anchors = anchors, .strengths = {0.3}}, anchors > 8192);
  }
  for (const std::size_t degree : {4, 16, 64}) {
    const auto graph = [=] { return even_graph(degree, threads); };
    add("even/d" + std::to_string(degree), graph, {.anchors = 1024, .strengths = {0.3}});
  }
  return workloads;
}

}  // namespace bench
