// SPDX-License-Identifier: MIT
// One library's sparse products on the inputs in an exchange folder: compared with the results there, then timed.
// Writes what bench/peers/run.py does: a list of {work, name, version, seconds, min, runs, max_difference}.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/io/npy.hpp"
#include "peer.hpp"

namespace {

namespace fs = std::filesystem;
namespace gp = graphpatcher;
using json = nlohmann::ordered_json;

struct timing {
  double median;
  double least;
  std::size_t runs;
};

/// Warm-up, then runs until both a time and a number of runs are reached: bench/README.md.
timing measure(peer::spmm& product, bool quick) {
  using clock = std::chrono::steady_clock;
  product.run();
  std::vector<double> seconds;
  double total = 0;
  while (total < (quick ? 0.2 : 1.0) || seconds.size() < 5) {
    const auto start = clock::now();
    product.run();
    seconds.push_back(std::chrono::duration<double>(clock::now() - start).count());
    total += seconds.back();
  }
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  return {seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2, seconds.front(),
          seconds.size()};
}

json run_case(const fs::path& folder, const std::string& workload, bool quick) {
  peer::spmm_problem problem{gp::read_npy<std::int32_t>(folder / "indptr.npy").values,
                             gp::read_npy<std::int32_t>(folder / "indices.npy").values,
                             {},
                             0};
  auto x = gp::read_npy<float>(folder / "x.npy");
  problem.width = x.shape.at(1);
  problem.x = std::move(x.values);
  const auto want = gp::read_npy<float>(folder / "y.npy").values;

  const auto product = peer::prepare(problem);
  product->run();
  const auto got = product->result();
  double difference = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])));
  }
  json result{{"work", workload}, {"name", peer::name()}, {"version", peer::version()}};
  // Sums of thousands of numbers in another order; a hub's are the largest.
  const auto longest = [&] {
    std::int32_t most = 1;
    for (std::size_t v = 0; v < problem.nodes(); ++v) {
      most = std::max(most, problem.indptr[v + 1] - problem.indptr[v]);
    }
    return static_cast<double>(most);
  }();
  if (!(difference <= 1e-6 * longest)) {
    result["skipped"] = "its result differs by " + std::to_string(difference);
    return result;
  }
  const timing t = measure(*product, quick);
  result.update({{"seconds", t.median}, {"min", t.least}, {"runs", t.runs}, {"max_difference", difference}});
  return result;
}

void run(const fs::path& exchange, int threads, bool quick, const fs::path& output) {
  peer::start(threads);
  std::vector<fs::path> folders;
  if (fs::exists(exchange / "spmm")) {
    for (const auto& graph : fs::directory_iterator(exchange / "spmm")) {
      for (const auto& width : fs::directory_iterator(graph)) {
        folders.push_back(width);
      }
    }
  }
  std::sort(folders.begin(), folders.end());
  auto results = json::array();
  for (const fs::path& folder : folders) {
    const std::string workload = fs::relative(folder, exchange).generic_string();
    results.push_back(run_case(folder, workload, quick));
    std::printf("%-36s %s\n", workload.c_str(), results.back().dump().c_str());
    std::fflush(stdout);
  }
  std::ofstream(output) << results.dump(2) << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Checks and times the sparse products of " + peer::name()};
  std::string exchange;
  std::string output;
  int threads = gp::hardware_threads();
  bool quick = false;
  app.add_option("--exchange", exchange, "folder that bench_export wrote")->required();
  app.add_option("--json", output, "write all numbers to this file")->required();
  app.add_option("--threads", threads, "threads of every workload")->check(CLI::PositiveNumber);
  app.add_flag("--quick", quick, "less time for each workload");
  try {
    app.parse(argc, argv);
    run(exchange, threads, quick, output);
    return 0;
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 2;
  }
}
