// SPDX-License-Identifier: MIT
// From a graph to a patched prediction: trains a backbone, trains patchers for it, weighs what they say of the test
// nodes, or leaves the backbone alone, and reports accuracy by degree. Copy freely.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <system_error>
#include <utility>

#include "checkpoints.hpp"
#include "options.hpp"
#include "records.hpp"

namespace {

/// One seed: trains, or reads what was trained, and scores. With files and without it is the same bits.
template <class Config>
gp::run_result run(const options& o, const gp::executor& exec, const dataset& data, Config config, std::uint64_t seed) {
  const auto score = [&](const auto& model, const auto& patchers) {
    return o.rule == gp::patch_rule::weighted ? gp::score_weighted(exec, data, model, patchers)
                                              : gp::score_run(exec, data, model, patchers.front(), o.rule);
  };
  if (!o.checkpoints.empty()) {
    return with_checkpoints(o, exec, data, config, seed, score);
  }
  if (!is_patcher(o)) {
    return gp::run_method(o.method, exec, data, config, o.patcher, seed, o.fit, o.rule);
  }
  config.seed = seed;
  auto fitting = o.fit;
  fitting.quiet = o.patcher.quiet;
  const auto model = gp::train_backbone(exec, data, config, fitting);
  std::vector<gp::trained_patcher<float>> patchers;
  for (auto patching : patcher_configs(o)) {
    patching.seed = seed;
    patchers.push_back(gp::train_patcher(exec, data, model, patching));
  }
  return score(model, patchers);
}

/// Calls use(config) with what --backbone and its options describe.
template <class Use>
int with_backbone(const options& o, const Use& use) {
  const auto with = [&](auto config) {
    for (const auto& [name, typed] : o.backbone_changes) {
      gp::set_option(config, gp::typed_name(name), typed, "backbone_");
    }
    gp::check_options("backbone", config);
    return use(config);
  };
  return o.backbone == "sage"  ? with(gp::sage_config{})
         : o.backbone == "gat" ? with(gp::gat_config{})
                               : with(gp::gcn_config{});
}

/// Makes the folder that an option's files will be in; better to fail now than after the training.
void prepare_folder(const char* option, const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure && access(folder.c_str(), W_OK | X_OK) != 0) {
    failure = {errno, std::generic_category()};
  }
  if (failure) {
    throw gp::file_error(folder.string(), gp::text("can't be made or written to: ", failure.message(),
                                                   "; choose another folder for ", option));
  }
}

/// What is finished stays until somebody says otherwise.
void expect_may_write(const options& o, const std::filesystem::path& file) {
  gp::expects(o.resume || o.overwrite || !std::filesystem::is_regular_file(file), file.string(),
              ": is there already; go on with --resume, put new results in its place with --overwrite, or choose "
              "another name");
}

/// All that can be known to be wrong before data is read and a backbone trained.
void check(const options& o) {
  o.patcher.check();
  gp::check_options("backbone", o.fit);
  gp::expects(o.seed <= std::numeric_limits<std::uint64_t>::max() - (o.seeds - 1), "seed: expected a first seed of ",
              o.seeds, " that are all below 2^64, got ", o.seed, "; take a smaller --seed or fewer --seeds");
  gp::expects(o.checkpoints.empty() || is_patcher(o), "--checkpoint-dir keeps a patcher's training, and --method ",
              o.method, " has none; leave one of them out");
  for (const auto& [option, file] : {std::pair{"--json", o.json}, std::pair{"--report", o.report}}) {
    if (!file.empty()) {
      gp::expects(!std::filesystem::is_directory(file), option, ": expected a file, got the folder ", file);
      prepare_folder(option, std::filesystem::absolute(file).parent_path());
    }
  }
  if (!o.checkpoints.empty()) {
    prepare_folder("--checkpoint-dir", o.checkpoints);
  }
  expect_may_write(o, o.json);
  for (std::size_t n = 0; !o.checkpoints.empty() && n < o.seeds; ++n) {
    for (const auto& files : seed_files(o, o.seed + n).patchers) {
      expect_may_write(o, files.finished);
    }
  }
}

/// The same of what data and backbone decide.
template <class Config>
void check(const options& o, const gp::executor& exec, const dataset& data, const Config& config) {
  if (has_patcher(o)) {
    gp::anchor_order<std::int32_t>(gp::training_anchors(data, o.patcher.anchors), o.patcher.batch, 0);
    const typename Config::template model_type<float> untrained(config, data.features.cols(), data.classes);
    gp::choose_path(o.patcher.path, gp::why_not_fast(exec, untrained, data.graph, o.patcher));
  }
}

/// After Ctrl-C: what is kept, and how to go on.
std::string kept_files(const options& o, std::size_t written, std::uint64_t seed) {
  const bool begun = !o.checkpoints.empty() && seed_files(o, seed).any();
  std::string kept;
  if (!o.json.empty()) {
    kept += written > 0 ? gp::text("; ", written, " finished seeds are in ", o.json)
                        : "; no seed is finished, " + o.json + " was not written";
  }
  kept += begun ? gp::text("; what there is of seed ", seed, " is in ", o.checkpoints) : "";
  return kept + (begun || written > 0 ? "; go on with --resume" : "");
}

template <class Config>
int pipeline(const options& o, const Config& config, const std::string& command) {
  check(o);
  const auto exec = o.device == "cuda" ? gp::executor(gp::cuda{}) : gp::executor(gp::cpu{o.threads});
  const gp::progress_options shown{.quiet = o.patcher.quiet};
  gp::show_note(
      gp::text("pipeline: ", o.method, ", ", word_of(o.rule), ", on ", o.backbone, ", ", o.name(), ", ",
               o.seeds == 1 ? gp::text("seed ", o.seed) : gp::text("seeds ", o.seed, " to ", o.seed + (o.seeds - 1)),
               ", ", o.device == "cuda" ? "cuda" : gp::text(o.threads, " threads"),
               "; pipeline --help lists what can be chosen"),
      shown);
  const auto data = load_data(o, gp::cpu{o.threads}, o.patcher.quiet);
  check(o, exec, data, config);
  auto record = describe(o, config, data, command);
  if (o.resume && std::filesystem::exists(o.json)) {
    take_runs(o.json, record);
  }
  std::size_t written = record.runs.size();
  std::uint64_t seed = o.seed;
  try {
    for (std::size_t n = 0; n < o.seeds; ++n) {
      seed = o.seed + n;
      if (has_seed(record, seed)) {
        continue;
      }
      const gp::progress_label about(gp::text("seed ", seed));
      record.runs.push_back(run(o, exec, data, config, seed));
      record.path = record.runs.back().path;
      if (!o.json.empty()) {
        gp::write_json(record, o.json);
        written = record.runs.size();
      }
    }
  } catch (const gp::interrupted_error& stop) {
    std::cerr << stop.what() << kept_files(o, written, seed) << '\n';
    return 130;
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
  return gp::run_program("pipeline", [&] {
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
    take_rule(app, o);
    const auto command = command_text("pipeline", argc, argv);
    return with_backbone(o, [&](const auto& config) { return pipeline(o, config, command); });
  });
}
