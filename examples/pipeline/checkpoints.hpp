// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "options.hpp"

/// gp::run_seed() with files: what --checkpoint-dir has of this seed is read and
/// not computed again. The result is the same bits, however often it was stopped.
template <class Config, class T, class I>
gp::run_result run_with_checkpoints(const options& o, const gp::executor& exec, const gp::dataset<T, I>& data,
                                    Config config, std::uint64_t seed) {
  const auto file = [&](const std::string& what) {
    return std::filesystem::path(o.checkpoints) / gp::text("seed-", seed, "-", what, ".safetensors");
  };
  const auto backbone = file("backbone");
  const auto training = file("training");  // of the patcher, while it lasts
  const auto patcher = file("patcher");
  if (!o.resume) {
    for (const auto& old : {backbone, training, patcher}) {
      std::filesystem::remove(old);
    }
  }
  config.seed = seed;
  auto patching = o.patcher;
  patching.seed = seed;
  auto fitting = o.fit;
  fitting.quiet = patching.quiet;
  const gp::checkpoint_notes notes{{"dataset", o.dataset},
                                   {"fingerprint of the dataset", gp::fingerprint(data)},
                                   {"epochs", std::to_string(o.fit.max_epochs)},
                                   {"epoch-patience", std::to_string(o.fit.patience)}};
  const auto expect_same_notes = [&](const std::filesystem::path& path) {
    gp::expects(gp::read_checkpoint_info(path).notes == notes, path.string(),
                ": was made with other options; leave --resume out to start anew");
  };

  if (!std::filesystem::exists(backbone)) {
    gp::save_backbone(backbone, gp::train_backbone(exec, data, config, fitting), config, notes);
  }
  expect_same_notes(backbone);
  const auto model = gp::load_backbone<Config, T>(backbone);
  gp::expect_same_config(backbone, model.config, config);
  if (!std::filesystem::exists(patcher)) {
    gp::save_patcher(patcher, gp::train_patcher_resumably(exec, data, model, patching, training), notes);
    std::filesystem::remove(training);
  }
  expect_same_notes(patcher);
  const auto trained = gp::load_patcher<T>(patcher);
  gp::expect_same_config(patcher, trained.config, patching);
  return gp::score_run(exec, data, model, trained);
}
