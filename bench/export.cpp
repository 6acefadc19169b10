// SPDX-License-Identifier: MIT
// Writes the inputs of workloads and the library's results as .npy files, so that peers can do the same work and be
// compared before they are timed. bench/README.md has the layout of the folder.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <regex>

#include "graphpatcher/ops/spmm.hpp"
#include "support/graphs.hpp"
#include "support/npy_writer.hpp"
#include "support/patcher_setup.hpp"

namespace bench {

namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const gp::matrix<float>& values) {
  write_npy<float>(file, values.values(), {values.rows(), values.cols()});
}
template <class T>
void write(const fs::path& file, std::span<const T> values) {
  write_npy<T>(file, values, {values.size()});
}

bool wanted(const std::string& workload, const run_options& options) {
  return std::regex_search(workload, std::regex(options.filter));
}

void export_spmm(const fs::path& exchange, const std::string& name, const run_options& options) {
  const auto& from = graph(name, options);
  const auto messages = messages_of(from);
  for (const std::size_t width : options.quick ? std::vector<std::size_t>{16, 64, 256}
                                               : std::vector<std::size_t>{16, 32, 64, 128, 256, 512, 1024}) {
    const std::string workload = "spmm/" + name + "/w" + std::to_string(width);
    if (!wanted(workload, options)) {
      continue;
    }
    const fs::path folder = exchange / workload;
    const auto x = random_matrix(from.nodes(), width);
    gp::matrix<float> y(from.nodes(), width);
    gp::spmm<float, index>(gp::cpu{options.threads}, messages.all(), {}, x.view(), y.view());
    write(folder / "indptr.npy", from.offsets());
    write(folder / "indices.npy", from.neighbors());
    write(folder / "x.npy", x);
    write(folder / "y.npy", y);
  }
}

/// Dropout is off, so that the loss is the same whoever draws random numbers.
void export_patcher(const fs::path& exchange, const std::string& name, std::size_t hidden, const run_options& options) {
  const std::string subject = name + "/h" + std::to_string(hidden);
  if (!wanted("train_iteration/" + subject, options) && !wanted("patching/" + subject, options) &&
      !wanted("ego_graphs/" + name, options)) {
    return;
  }
  const fs::path folder = exchange / "patcher" / subject;
  auto data = load(name, options);
  const patcher_setup::options how{
      .hidden = hidden, .dropout = 0, .epochs = name == "cora" ? 200u : 0u, .threads = options.threads};
  patcher_setup setup(std::move(data), how);
  const auto& in = setup.data();
  write(folder / "indptr.npy", in.graph.offsets());
  write(folder / "indices.npy", in.graph.neighbors());
  if (in.features.is_dense()) {
    gp::matrix<float> x(in.nodes(), in.features.cols());
    for (std::size_t v = 0; v < in.nodes(); ++v) {
      in.features.read_row(v, x.row(v));
    }
    write(folder / "x.npy", x);
  } else {
    write(folder / "x_indptr.npy", in.features.sparse().offsets());
    write(folder / "x_indices.npy", in.features.sparse().columns());
    write(folder / "x_values.npy", in.features.sparse().values());
  }
  for (const auto& [parameter, values] : setup.backbone_parameters()) {
    write(folder / ("backbone." + parameter + ".npy"), *values);
  }
  for (const auto& [parameter, values] : setup.generator_parameters()) {
    write(folder / ("generator." + parameter + ".npy"), *values);
  }
  write(folder / "anchors.npy", setup.batch(0));
  write<index>(folder / "test_nodes.npy", in.split.test);
  const auto logits = setup.patch(setup.batch(0));
  for (std::size_t k = 0; k < logits.size(); ++k) {
    write(folder / ("patched_logits_" + std::to_string(k) + ".npy"), logits[k]);
  }
  const auto masks = setup.first_masks();
  write<std::uint8_t>(folder / "start.npy", masks.start);
  for (std::size_t m = 0; m < masks.targets.size(); ++m) {
    write_npy<std::uint8_t>(folder / ("target_" + std::to_string(m + 1) + ".npy"), masks.targets[m],
                            {masks.samples, masks.start.size()});
  }
  const float loss = static_cast<float>(setup.train_iteration());  // last: it changes the weights
  write<float>(folder / "loss.npy", std::span<const float>(&loss, 1));
}

template <class Export>
void unless_missing(const std::string& what, const Export& write) {
  try {
    write();
  } catch (const missing_data& missing) {
    std::printf("%s skipped: %s\n", what.c_str(), missing.reason.c_str());
  }
}

}  // namespace

void export_all(const std::string& exchange, const run_options& options) {
  for (const char* name : {"cora", "pubmed", "coauthor-cs", "rmat-1e6"}) {
    unless_missing(std::string("spmm/") + name, [&] { export_spmm(exchange, name, options); });
  }
  for (const std::string name : {"cora", "ogbn-arxiv"}) {
    for (const std::size_t hidden : {128, 1024}) {
      unless_missing("patcher/" + name + "/h" + std::to_string(hidden),
                     [&] { export_patcher(exchange, name, hidden, options); });
    }
  }
}

}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app{"Writes inputs and results for peers."};
  std::string exchange;
  bench::run_options options;
  options.threads = graphpatcher::hardware_threads();
  app.add_option("--exchange", exchange, "folder to write to")->required();
  app.add_option("--data", options.data, "folder of the datasets; without, their workloads are left out");
  app.add_option("--filter", options.filter, "regular expression: only workloads whose name has a match");
  app.add_option("--threads", options.threads, "threads")->check(CLI::PositiveNumber);
  app.add_flag("--quick", options.quick, "fewer widths, no long workloads");
  try {
    app.parse(argc, argv);
    bench::export_all(exchange, options);
    return 0;
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 2;
  }
}
