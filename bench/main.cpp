// SPDX-License-Identifier: MIT
// Measures every operation, corrupted ego-graphs, a training iteration and test-time patching, each against what the
// machine can do at most. scripts/bench builds it, runs it, and puts peers beside it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "workloads.hpp"

namespace {

std::vector<bench::workload> all_workloads(const bench::run_options& options) {
  std::vector<bench::workload> all;
  for (const auto list :
       {bench::patcher_workloads, bench::ego_graphs_workloads, bench::spmm_workloads, bench::gemm_workloads,
        bench::sparse_gemm_workloads, bench::segment_reduce_workloads, bench::edge_softmax_workloads,
        bench::ego_batch_workloads, bench::gather_workloads, bench::activation_workloads, bench::dropout_workloads,
        bench::elementwise_workloads, bench::loss_workloads, bench::norm_workloads, bench::optimizer_workloads,
        bench::read_workloads, bench::weighted_workloads}) {
    const auto more = list(options);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

int run(const bench::run_options& options, bool list, const std::string& json) {
  const auto workloads = all_workloads(options);
  if (list) {
    for (const bench::workload& each : workloads) {
      std::printf("%s\n", each.name.c_str());
    }
    return 0;
  }
  if (options.turns) {
    bench::wait_for_turn("limits");
  }
  const auto bound = bench::measure_limits(options.threads);
  std::printf("%d threads: at most %.1f GFLOP/s and %.1f GB/s\n", bound.threads, bound.fma_peak_gflops,
              bound.read_gbps);
  const auto results = bench::run_all(workloads, options, bound);
  if (!json.empty()) {
    graphpatcher::write_file_atomically(json, to_json(bench::this_machine(), bound, results).dump(2) + "\n");
  }
  const auto wrong =
      std::count_if(results.begin(), results.end(), [](const auto& each) { return !each.error.empty(); });
  if (wrong > 0) {
    std::printf("%ld workloads have errors\n", static_cast<long>(wrong));
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures the library. Each result is first compared with that of a slow reference."};
  bench::run_options options;
  options.threads = graphpatcher::hardware_threads();
  std::string json;
  bool list = false;
  app.add_option("--threads", options.threads, "threads of every workload")->check(CLI::PositiveNumber);
  app.add_option("--data", options.data, "folder of the datasets; without, their workloads are skipped");
  app.add_option("--filter", options.filter, "regular expression: only workloads whose name has a match");
  app.add_option("--json", json, "write all numbers to this file");
  app.add_flag("--quick", options.quick, "less time for each workload, no long ones");
  app.add_flag("--turns", options.turns, "wait for a line on standard input before every repetition (bench/turns.py)");
  app.add_flag("--list", list, "name the workloads, run nothing");
  app.footer("exit code: 0 all is well, 1 a result is wrong, 2 it could not run");
  try {
    app.parse(argc, argv);
    return run(options, list, json);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 2;
  }
}
