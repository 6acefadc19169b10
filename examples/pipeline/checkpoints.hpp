// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "options.hpp"

/// The files of one patcher of a seed. What is begun anew stands beside what is finished, and takes its place once all
/// of it is there, so that a run that fails leaves the models of the one before.
struct patcher_files {
  std::filesystem::path finished;
  std::filesystem::path anew;
  std::filesystem::path training;  ///< while it lasts
};

/// The files of a seed in --checkpoint-dir: a backbone, and its patchers in the order of options::patchers().
struct seed_files {
  std::filesystem::path backbone, new_backbone;
  std::vector<patcher_files> patchers;  ///< those that the options ask for
  std::vector<patcher_files> others;    ///< of another --rule

  seed_files(const options& o, std::uint64_t seed) {
    const auto file = [&](const std::string& what) {
      return std::filesystem::path(o.checkpoints) / gp::text("seed-", seed, "-", what, ".safetensors");
    };
    backbone = file("backbone");
    new_backbone = file("new-backbone");
    const std::size_t wanted = patcher_configs(o).size();
    for (const std::string name : {"", "spread-"}) {
      auto& list = patchers.size() < wanted ? patchers : others;
      list.push_back({file(name + "patcher"), file("new-" + name + "patcher"), file(name + "training")});
    }
  }

  void forget_unfinished() const {
    std::filesystem::remove(new_backbone);
    for (const auto* list : {&patchers, &others}) {
      for (const auto& files : *list) {
        std::filesystem::remove(files.anew);
        std::filesystem::remove(files.training);
      }
    }
  }

  /// What is new and whole takes the place of what was there; a program killed in between goes on with it. Patchers of
  /// another --rule belong to the backbone that leaves.
  void take_new() const {
    const auto is_whole = [](const auto& files) { return std::filesystem::exists(files.anew); };
    if (std::filesystem::exists(new_backbone)) {
      if (!std::ranges::all_of(patchers, is_whole)) {
        return;
      }
      for (const auto& files : others) {
        std::filesystem::remove(files.finished);
      }
      std::filesystem::rename(new_backbone, backbone);
    }
    for (const auto& files : patchers) {
      if (is_whole(files)) {
        std::filesystem::remove(files.training);
        std::filesystem::rename(files.anew, files.finished);
      }
    }
  }

  bool any() const {
    return std::filesystem::exists(backbone) || std::filesystem::exists(new_backbone) ||
           std::ranges::any_of(patchers, [](const auto& files) {
             return std::filesystem::exists(files.finished) || std::filesystem::exists(files.anew) ||
                    std::filesystem::exists(files.training);
           });
  }
};

/// file_error with the first difference unless a file was made of the same data and with the same options of training.
inline void expect_same_notes(const std::filesystem::path& path, const gp::checkpoint_notes& now) {
  const auto before = gp::read_checkpoint_info(path).notes;
  for (const auto& [name, value] : now) {
    const auto found = before.find(name);
    const std::string was = found == before.end() ? "nothing" : found->second;
    if (was != value) {
      throw gp::file_error(path.string(), gp::text("was made with other options: ", name, " = ", was, ", not ", value,
                                                   "; start anew with --overwrite in the place of --resume"));
    }
  }
}

/// A seed with files: what --checkpoint-dir has of it is read and not computed again. The result is the same bits,
/// however often it was stopped. Calls use(backbone, patchers).
template <class Config, class Use>
gp::run_result with_checkpoints(const options& o, const gp::executor& exec, const dataset& data, Config config,
                                std::uint64_t seed, const Use& use) {
  const seed_files files(o, seed);
  if (!o.resume) {
    files.forget_unfinished();
  }
  files.take_new();
  config.seed = seed;
  auto fitting = o.fit;
  fitting.quiet = o.patcher.quiet;
  gp::checkpoint_notes notes{{"dataset", o.name()}, {"fingerprint of the dataset", gp::fingerprint(data)}};
  gp::for_each_option(
      o.fit,
      [&](const gp::option& about, const auto& value) {
        notes.emplace(gp::typed_name(about.name), gp::option_text(value));
      },
      "backbone_");

  const bool anew =
      !o.resume || std::filesystem::exists(files.new_backbone) || !std::filesystem::exists(files.backbone);
  const auto& backbone = anew ? files.new_backbone : files.backbone;
  if (!std::filesystem::exists(backbone)) {
    gp::save_backbone(backbone, gp::train_backbone(exec, data, config, fitting), config, notes);
  }
  expect_same_notes(backbone, notes);
  using model_type = typename Config::template model_type<float>;
  const auto stored = gp::load_backbone<Config, float>(backbone);
  gp::expect_same_config(backbone, stored.config, config);
  const gp::trained<model_type> model{static_cast<const model_type&>(stored), stored.history};  // as it was trained
  auto configs = patcher_configs(o);
  for (std::size_t p = 0; p < configs.size(); ++p) {
    configs[p].seed = seed;
    const auto& its = files.patchers[p];
    if (!std::filesystem::exists(its.anew) && (anew || !std::filesystem::exists(its.finished))) {
      const auto trained = gp::train_patcher_resumably(exec, data, model, configs[p], its.training);
      gp::save_patcher(its.anew, trained, notes);
    }
  }
  files.take_new();
  std::vector<gp::trained_patcher<float>> patchers;
  for (std::size_t p = 0; p < configs.size(); ++p) {
    const auto& file = files.patchers[p].finished;
    expect_same_notes(file, notes);
    patchers.push_back(gp::load_patcher<float>(file));
    gp::expect_same_config(file, patchers.back().config, configs[p]);
  }
  return use(model, patchers);
}
