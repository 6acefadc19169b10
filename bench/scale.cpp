// SPDX-License-Identifier: MIT
// Growing R-MAT graphs: time an anchor and peak memory of ego-graph batches, corrupted ego-graphs, a training iteration
// and patching; a batch with a hub of degree 10^5; memory of training on Cora. Writes JSON and plots.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "support/scale_plot.hpp"
#include "support/scale_runs.hpp"

namespace {

using namespace bench;
using json = nlohmann::ordered_json;

struct options {
  run_options run;
  std::vector<int> scales{14, 16, 18, 20, 21};
  std::size_t patched = 0;
  std::string output;
  std::string plots;
};

json to_json(const scale_cost& cost) {
  return {{"seconds_per_anchor", cost.seconds_per_anchor},
          {"anchors", cost.anchors},
          {"peak_bytes", cost.peak_bytes},
          {"own_bytes", cost.own_bytes}};
}

json to_json(const scale_point& p) {
  return {{"nodes", p.nodes},
          {"edges", p.edges},
          {"largest_degree", p.largest_degree},
          {"two_hop_edges", p.two_hop_edges},
          {"data_bytes", p.data_bytes},
          {"model_bytes", p.model_bytes},
          {"ego_batch", to_json(p.ego_batch)},
          {"ego_graphs", to_json(p.ego_graphs)},
          {"train_iteration", to_json(p.train_iteration)},
          {"patching", to_json(p.patching)}};
}

void print(const scale_point& p) {
  const auto micro = [](const scale_cost& cost) { return 1e6 * cost.seconds_per_anchor; };
  const auto share = [&](const scale_cost& cost) { return memory_share(p, cost); };
  std::printf("%9zu nodes %9zu edges: us an anchor %9.1f %9.2f %9.1f %9.1f; memory / data %5.2f %5.2f %5.2f %5.2f\n",
              p.nodes, p.edges, micro(p.ego_batch), micro(p.ego_graphs), micro(p.train_iteration), micro(p.patching),
              share(p.ego_batch), share(p.ego_graphs), share(p.train_iteration), share(p.patching));
  std::fflush(stdout);
}

void run(const options& o) {
  const auto limits = measure_limits(o.run.threads);
  json document = to_json(this_machine(), limits, {});
  document.erase("results");
  // First: what larger graphs took stays with the process.
  try {
    const double bytes = static_cast<double>(training_peak_on_cora(o.run));
    std::printf("training on Cora, hidden 1024: peak %.0f MB\n", bytes / 1e6);
    document["cora_training_peak_bytes"] = bytes;
  } catch (const missing_data& missing) {
    std::printf("training on Cora skipped: %s\n", missing.reason.c_str());
  }
  std::printf("columns: ego_batch, ego_graphs (10 samples an anchor), train_iteration, patching\n");
  std::vector<scale_point> points;
  for (const int scale : o.scales) {
    points.push_back(run_scale(scale, o.patched, o.run));
    print(points.back());
    document["points"].push_back(to_json(points.back()));
  }
  const hub_cost hub = run_hub(o.run);
  std::printf("a hub of degree %zu among 64 anchors: training iteration %.4f s, without it %.4f s\n", hub.degree,
              hub.seconds_with, hub.seconds_without);
  document["hub"] = {
      {"degree", hub.degree}, {"seconds_with", hub.seconds_with}, {"seconds_without", hub.seconds_without}};
  if (!o.output.empty()) {
    graphpatcher::write_file_atomically(o.output, document.dump(2) + "\n");
  }
  if (!o.plots.empty()) {
    graphpatcher::write_file_atomically(o.plots + "-time.svg", time_plot(points));
    graphpatcher::write_file_atomically(o.plots + "-memory.svg", memory_plot(points));
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures how costs grow with the graph: R-MAT graphs of 2^scale nodes and 6 edges a node."};
  options o;
  o.run.threads = graphpatcher::hardware_threads();
  app.add_option("--scales", o.scales, "2^scale nodes each")->delimiter(',')->capture_default_str();
  app.add_option("--patched", o.patched, "nodes to patch; 0: every node");
  app.add_option("--threads", o.run.threads, "threads")->check(CLI::PositiveNumber);
  app.add_option("--data", o.run.data, "folder of the datasets, for the memory of training on Cora");
  app.add_option("--json", o.output, "write all numbers to this file");
  app.add_option("--plots", o.plots, "write PLOTS-time.svg and PLOTS-memory.svg");
  try {
    app.parse(argc, argv);
    run(o);
    return 0;
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 2;
  }
}
