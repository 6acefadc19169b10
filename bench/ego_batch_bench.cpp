// SPDX-License-Identifier: MIT
// What the generic path builds: ego-graphs of many anchors, masks over them, and the message graph of the survivors.
#include "graphpatcher/graph/ego_batch.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "support/closeness.hpp"
#include "support/graphs.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr gp::corruption_options corruption{.strength = 0.3, .samples = 10, .seed = 1};

struct inputs {
  gp::cpu exec;
  gp::csr_graph<index> graph;
  std::vector<index> anchors;
  gp::ego_batch<index> batch;
  gp::corruption_masks masks;
  gp::message_graph<index> messages;
};

std::shared_ptr<inputs> make_inputs(const std::string& name, std::size_t anchors, const run_options& options) {
  auto in = std::make_shared<inputs>();
  in->exec.threads = options.threads;
  in->graph = graph(name, options);
  in->anchors = anchors_of(in->graph, anchors);
  in->batch = gp::make_ego_batch<index>(in->exec, in->graph, in->anchors);
  in->masks = gp::corrupt(in->exec, in->batch, corruption);
  return in;
}

amount size_of(const inputs& in, double numbers) {
  return {0, 4 * numbers, static_cast<double>(in.anchors.size()), "anchors/s"};
}

double written(const gp::ego_batch<index>& batch) {
  return static_cast<double>(4 * batch.nodes.size() + batch.edge_sources.size());
}

void expect(bool holds, const std::string& what) {
  if (!holds) {
    throw wrong_result{what};
  }
}

/// Breadth-first by the definition, for some anchors.
void check_batch(const inputs& in) {
  for (std::size_t b = 0; b < in.anchors.size(); b += 1 + in.anchors.size() / 32) {
    std::set<index> seen{in.anchors[b]};
    for (int hop = 0; hop < 2; ++hop) {
      for (const index node : std::set<index>(seen)) {
        const auto row = in.graph.neighbors(static_cast<std::size_t>(node));
        seen.insert(row.begin(), row.end());
      }
    }
    std::set<index> got(in.batch.nodes.begin() + static_cast<std::ptrdiff_t>(in.batch.begin(b)),
                        in.batch.nodes.begin() + static_cast<std::ptrdiff_t>(in.batch.end(b)));
    expect(got == seen, "the ego-graph of anchor " + std::to_string(in.anchors[b]) + " has other nodes");
  }
}

/// The anchor keeps its self-loop and the neighbours that its mask keeps.
void check_messages(const inputs& in) {
  expect(in.messages.targets() == in.anchors.size() * corruption.samples, "expected a target a pair");
  for (std::size_t t = 0; t < in.messages.targets(); ++t) {
    const auto kept = in.masks.kept(t / corruption.samples, t % corruption.samples);
    const auto want = 1 + std::count(kept.begin(), kept.end(), 1);
    expect(in.messages.offsets[t + 1] - in.messages.offsets[t] == want,
           "target " + std::to_string(t) + " lost an edge");
  }
}

/// About 0.3 of the neighbours are dropped: within 6 standard deviations.
void check_masks(const inputs& in) {
  const auto draws = static_cast<double>(in.masks.keep.size());
  const double kept = static_cast<double>(std::count(in.masks.keep.begin(), in.masks.keep.end(), 1));
  expects_close(std::abs(kept - 0.7 * draws), 6 * std::sqrt(0.21 * draws), "masks");
}

workload batch_workload(const std::string& operation, const std::string& name, std::size_t anchors,
                        const run_options& options) {
  return {operation + "/" + name + "/a" + std::to_string(anchors), [=] {
            const auto in = make_inputs(name, anchors, options);
            if (operation == "corrupt") {
              const auto run = [in] { in->masks = gp::corrupt(in->exec, in->batch, corruption); };
              return prepared_workload{size_of(*in, static_cast<double>(in->masks.keep.size()) / 4), run,
                                       [in] { check_masks(*in); }};
            }
            if (operation == "materialise") {
              const auto run = [in] {
                const auto egos = gp::corrupted_egos(in->batch, in->masks);
                in->messages = gp::materialise<index>(in->exec, in->batch, egos);
              };
              run();
              const auto& made = in->messages;
              const auto numbers = static_cast<double>(4 * made.nodes() + made.sources.size());
              return prepared_workload{size_of(*in, written(in->batch) + numbers), run, [in] { check_messages(*in); }};
            }
            const auto run = [in] { in->batch = gp::make_ego_batch<index>(in->exec, in->graph, in->anchors); };
            return prepared_workload{size_of(*in, 2 * written(in->batch)), run, [in] { check_batch(*in); }};
          }};
}

}  // namespace

std::vector<workload> ego_batch_workloads(const run_options& options) {
  std::vector<workload> workloads;
  for (const char* operation : {"ego_batch", "corrupt", "materialise"}) {
    for (const std::size_t anchors : {64, 2048}) {
      workloads.push_back(batch_workload(operation, "cora", anchors, options));
    }
    workloads.push_back(batch_workload(operation, "pubmed", 1024, options));
  }
  return workloads;
}

}  // namespace bench
