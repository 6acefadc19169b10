// SPDX-License-Identifier: MIT
// From a graph to a patched prediction: trains a backbone, trains a patcher for
// it, patches the test nodes and reports accuracy by degree. Copy freely.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "checkpoints.hpp"
#include "options.hpp"

namespace {

using dataset = gp::dataset<float, std::int32_t>;

template <class Config>
gp::run_result run(const options& o, const gp::executor& exec, const dataset& data, const Config& config,
                   std::uint64_t seed) {
  return o.checkpoints.empty() ? gp::run_seed(exec, data, config, o.patcher, seed, o.fit)
                               : run_with_checkpoints(o, exec, data, config, seed);
}

gp::run_result run(const options& o, const gp::executor& exec, const dataset& data, std::uint64_t seed) {
  if (o.backbone == "sage") {
    return run(o, exec, data, gp::sage_config{.hidden = o.backbone_hidden}, seed);
  }
  if (o.backbone == "gat") {
    return run(o, exec, data, gp::gat_config{.hidden = o.backbone_hidden}, seed);
  }
  const auto norm = o.norm == "symmetric" ? gp::normalisation::symmetric : gp::normalisation::mean;
  return run(o, exec, data, gp::gcn_config{.hidden = o.backbone_hidden, .norm = norm}, seed);
}

/// The record to fill: a fresh one, or with --resume the seeds already in the file.
gp::run_record open_record(const options& o, const std::string& command) {
  gp::run_record record;
  record.dataset = o.dataset;
  record.backbone = o.backbone;
  record.method = "graphpatcher";
  record.command = command;
  gp::describe(o.patcher, record);
  record.settings.set("device", o.device);
  record.settings.set("backbone hidden", o.backbone_hidden);
  record.settings.set("backbone epochs", o.fit.max_epochs);
  record.settings.set("backbone patience", o.fit.patience);
  if (o.backbone == "gcn") {
    record.settings.set("normalisation", o.norm);
  }
  if (o.split != 0) {
    record.settings.set("split", o.split);
  }
  if (o.split_seed != 0) {
    record.settings.set("split seed", o.split_seed);
  }
  if (o.resume && !o.json.empty() && std::filesystem::exists(o.json)) {
    const auto before = gp::read_json(o.json);
    gp::expects(before.settings == record.settings && before.dataset == record.dataset &&
                    before.backbone == record.backbone && before.loss == record.loss && before.degree == record.degree,
                o.json, ": was made with other options; leave --resume out to start anew");
    record.runs = before.runs;
    record.path = before.path;
  }
  return record;
}

bool has_seed(const gp::run_record& record, std::uint64_t seed) {
  return std::ranges::any_of(record.runs, [&](const auto& run) { return run.seed == seed; });
}

/// Makes the folder of a file that will be written; better to fail now than after the training.
void prepare_folder_of(const std::string& file) {
  if (file.empty()) {
    return;
  }
  const auto folder = std::filesystem::absolute(file).parent_path();
  std::filesystem::create_directories(folder);
  gp::expects(access(folder.c_str(), W_OK) == 0, file, ": can't be written, its folder is read-only");
}

int pipeline(options& o, const std::string& command) {
  const auto exec = o.device == "cuda" ? gp::executor(gp::cuda{}) : gp::executor(gp::cpu{o.threads});
  o.patcher.batch = o.batch != 0 ? o.batch : o.dataset == "citeseer" ? 32 : 64;
  o.backbone_hidden = o.backbone_hidden != 0 ? o.backbone_hidden : o.backbone == "gat" ? 8 : 64;
  o.norm = o.norm != "auto" ? o.norm : o.dataset == "pubmed" ? "symmetric" : "mean";
  o.patcher.check();
  prepare_folder_of(o.json);
  prepare_folder_of(o.report);
  prepare_folder_of(o.checkpoints.empty() ? "" : o.checkpoints + "/file");
  const auto data = load_data(o, gp::cpu{o.threads}, o.patcher.quiet);
  auto record = open_record(o, command);
  const gp::interrupt_scope interruptible;
  for (std::uint64_t seed = o.seed; seed < o.seed + o.seeds; ++seed) {
    if (!has_seed(record, seed)) {
      record.runs.push_back(run(o, exec, data, seed));
      record.path = record.runs.back().path;
      if (!o.json.empty()) {
        gp::write_json(record, o.json);
      }
    }
  }
  std::cout << gp::text_table(record);
  if (!o.report.empty()) {
    gp::write_html(record, o.report);
    std::cout << "report: " << o.report << '\n';
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app("Trains a GNN, trains a GraphPatcher for it, and shows what patching does to nodes of low degree.");
  add_options(app, o);
  CLI11_PARSE(app, argc, argv);
  std::string command = "pipeline";
  for (int i = 1; i < argc; ++i) {
    command += std::string(" ") + argv[i];
  }
  try {
    return pipeline(o, command);
  } catch (const gp::interrupted_error& stop) {
    const bool saved = !o.json.empty() && std::filesystem::exists(o.json);
    std::cerr << stop.what() << (saved ? "; finished seeds are in " + o.json : "")
              << (!o.checkpoints.empty() ? "; the unfinished one is in " + o.checkpoints : "")
              << (saved || !o.checkpoints.empty() ? "; go on with --resume" : "") << '\n';
    return 130;
  } catch (const std::exception& problem) {
    std::cerr << "pipeline: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
}
