// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "options.hpp"

/// The files of a seed in --checkpoint-dir. What is finished stands under the first two names; what is begun anew
/// takes their place once all of it is there, so that a run that fails leaves the models of the one before.
struct seed_files {
  std::filesystem::path backbone, patcher;
  std::filesystem::path new_backbone, new_patcher;
  std::filesystem::path training;  ///< of the patcher, while it lasts

  seed_files(const std::filesystem::path& folder, std::uint64_t seed) {
    const auto file = [&](const char* what) { return folder / gp::text("seed-", seed, "-", what, ".safetensors"); };
    backbone = file("backbone");
    patcher = file("patcher");
    new_backbone = file("new-backbone");
    new_patcher = file("new-patcher");
    training = file("training");
  }

  void forget_unfinished() const {
    for (const auto& old : {new_backbone, new_patcher, training}) {
      std::filesystem::remove(old);
    }
  }

  /// What is new and whole takes the place of what was there; a program killed in between goes on with it.
  void take_new() const {
    if (std::filesystem::exists(new_patcher)) {
      if (std::filesystem::exists(new_backbone)) {
        std::filesystem::rename(new_backbone, backbone);
      }
      std::filesystem::remove(training);
      std::filesystem::rename(new_patcher, patcher);
    }
  }

  bool any() const {
    return std::ranges::any_of(std::initializer_list<std::filesystem::path>{backbone, patcher, new_backbone, training},
                               [](const auto& path) { return std::filesystem::exists(path); });
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

/// gp::run_seed() with files: what --checkpoint-dir has of this seed is read and
/// not computed again. The result is the same bits, however often it was stopped.
template <class Config>
gp::run_result run_with_checkpoints(const options& o, const gp::executor& exec, const dataset& data, Config config,
                                    std::uint64_t seed) {
  const seed_files files(o.checkpoints, seed);
  if (!o.resume) {
    files.forget_unfinished();
  }
  files.take_new();
  config.seed = seed;
  auto patching = o.patcher;
  patching.seed = seed;
  auto fitting = o.fit;
  fitting.quiet = patching.quiet;
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
  const auto model = gp::load_backbone<Config, float>(backbone);
  gp::expect_same_config(backbone, model.config, config);
  if (anew || !std::filesystem::exists(files.patcher)) {
    const auto trained = gp::train_patcher_resumably(exec, data, model, patching, files.training);
    gp::save_patcher(files.new_patcher, trained, notes);
    files.take_new();
  }
  expect_same_notes(files.patcher, notes);
  const auto trained = gp::load_patcher<float>(files.patcher);
  gp::expect_same_config(files.patcher, trained.config, patching);
  return gp::score_run(exec, data, model, trained);
}
