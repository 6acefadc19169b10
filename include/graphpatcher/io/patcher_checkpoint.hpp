// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <utility>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/io/checkpoint.hpp"
#include "graphpatcher/io/torch_names.hpp"
#include "graphpatcher/patcher/config_words.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"

namespace graphpatcher {

template <class Fields>
void list_fields(Fields& field, patcher_evaluation& e) {
  field("iteration", e.iteration);
  field("training_loss", e.training_loss);
  field("validation_loss", e.validation_loss);
  field("validation_accuracies", e.validation_accuracies);
}

namespace detail {

/// A patcher without its network, as fields. The path that was taken is apart
/// from the one that was asked for.
template <class T, class Fields>
void list_patcher(Fields& field, std::size_t& features, trained_patcher<T>& patcher) {
  field("features", features);
  field("patcher", patcher.config);
  field("iterations", patcher.iterations);
  field("best_iteration", patcher.best_iteration);
  field("path", patcher.path);
  field("seconds", patcher.seconds);
  field("evaluations", patcher.evaluations);
}

}  // namespace detail

/// Writes a trained patcher: weights, config, the path that was taken, what
/// every evaluation said.
template <class T>
void save_patcher(const std::filesystem::path& path, const trained_patcher<T>& patcher,
                  const checkpoint_notes& notes = {}) {
  expects<shape_error>(patcher.generator.hidden() == patcher.config.hidden, "save_patcher: expected a generator with ",
                       patcher.config.hidden, " hidden units, as the config says, got ", patcher.generator.hidden());
  auto copy = patcher;
  std::size_t features = copy.generator.features();
  fields_writer fields;
  detail::list_patcher(fields, features, copy);
  detail::write_checkpoint<T>(path, "patcher", fields.json,
                              export_parameters(patcher.generator, dgl_names(patcher.generator)), notes);
}

/// Reads what save_patcher() wrote. Throws file_error (format_error for damage).
template <class T>
trained_patcher<T> load_patcher(safetensors_archive archive) {
  const detail::checkpoint_reader file(std::move(archive));
  file.expect_kind("patcher");
  std::size_t features = 0;
  trained_patcher<T> result{patch_generator<T>({.features = 1, .hidden = 1}), {}, {}};
  file.read_config([&](auto& fields) { detail::list_patcher(fields, features, result); });
  const auto& config = result.config;
  file.blame_file([&] { config.check(); });
  auto held = file.held();
  held.take({features, config.hidden});  // of the encoder and of the last layer
  held.take({features, config.hidden});
  held.take({config.hidden, config.hidden});
  file.blame_file([&] {
    result.generator = patch_generator<T>({features, config.hidden, config.dropout, config.seed});
    file.fill(result.generator, dgl_names(result.generator));
  });
  return result;
}
template <class T>
trained_patcher<T> load_patcher(const std::filesystem::path& path) {
  return load_patcher<T>(safetensors_archive(path));
}

#if GP_HAS_INSTANCES
GP_EXTERN template void save_patcher(const std::filesystem::path&, const trained_patcher<float>&,
                                     const checkpoint_notes&);
GP_EXTERN template trained_patcher<float> load_patcher<float>(safetensors_archive);
GP_EXTERN template void save_patcher(const std::filesystem::path&, const trained_patcher<double>&,
                                     const checkpoint_notes&);
GP_EXTERN template trained_patcher<double> load_patcher<double>(safetensors_archive);
#endif

}  // namespace graphpatcher
