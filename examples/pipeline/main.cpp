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
  return o.checkpoints.empty() ? gp::run_method(o.method, exec, data, config, o.patcher, seed, o.fit)
                               : run_with_checkpoints(o, exec, data, config, seed);
}

/// Calls use(config) with what --backbone and its options describe.
template <class Use>
void with_backbone(const options& o, const Use& use) {
  const auto with = [&](auto config) {
    for (const auto& [name, typed] : o.backbone_changes) {
      gp::set_option(config, name, typed);
    }
    gp::check_options("backbone", config);
    use(config);
  };
  if (o.backbone == "sage") {
    with(gp::sage_config{});
  } else if (o.backbone == "gat") {
    with(gp::gat_config{});
  } else {
    with(gp::gcn_config{});
  }
}

/// The record to fill: a fresh one, or with --resume the seeds already in the file.
template <class Config>
gp::run_record open_record(const options& o, const Config& config, const std::string& command) {
  gp::run_record record;
  record.dataset = o.dataset;
  record.backbone = o.backbone;
  record.method = o.method;
  record.command = command;
  if (gp::trains_patches(gp::methods::find(o.method))) {
    gp::describe(o.patcher, record);
  }
  record.settings.set("device", o.device);
  const auto keep = [&](const gp::option& about, const auto& value) {
    if (about.name != "backbone_seed") {
      record.settings.set(about.name, value);
    }
  };
  gp::for_each_option(config, keep, "backbone_");
  gp::for_each_option(o.fit, keep, "backbone_");
  if (o.split != 0) {
    record.settings.set("split", o.split);
  }
  if (o.split_seed != 0) {
    record.settings.set("split_seed", o.split_seed);
  }
  if (o.resume && !o.json.empty() && std::filesystem::exists(o.json)) {
    const auto before = gp::read_json(o.json);
    if (const auto other = gp::first_difference(before.settings, record.settings)) {
      throw gp::argument_error(gp::text(o.json, ": was made with other options: ", other->name, " = ", other->before,
                                        ", not ", other->now, "; leave --resume out to start anew"));
    }
    gp::expects(before.settings == record.settings && before.dataset == record.dataset &&
                    before.backbone == record.backbone && before.method == record.method,
                o.json, ": was made with other options, or before some were added; leave --resume out to start anew");
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
  o.patcher.check();
  const auto& method = gp::methods::find(o.method);
  gp::expects(o.checkpoints.empty() || (method.role == gp::method_role::patcher && method.name == o.method),
              "--checkpoint-dir keeps a patcher's training, and --method ", o.method,
              " has none; leave one of them out");
  prepare_folder_of(o.json);
  prepare_folder_of(o.report);
  prepare_folder_of(o.checkpoints.empty() ? "" : o.checkpoints + "/file");
  const auto data = load_data(o, gp::cpu{o.threads}, o.patcher.quiet);
  gp::run_record record;
  with_backbone(o, [&](const auto& config) {
    record = open_record(o, config, command);
    const gp::interrupt_scope interruptible;
    for (std::uint64_t seed = o.seed; seed < o.seed + o.seeds; ++seed) {
      if (!has_seed(record, seed)) {
        record.runs.push_back(run(o, exec, data, config, seed));
        record.path = record.runs.back().path;
        if (!o.json.empty()) {
          gp::write_json(record, o.json);
        }
      }
    }
  });
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    const int code = app.exit(problem);
    std::cerr << advice_on(app, o);
    return code;
  }
  take_authors_defaults(app, o);
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
