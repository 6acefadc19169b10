// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "graphpatcher/io/fingerprint.hpp"
#include "graphpatcher/io/patcher_checkpoint.hpp"
#include "graphpatcher/io/training_checkpoint.hpp"

namespace graphpatcher {

struct resumable_options {
  std::size_t every = 100;  ///< iterations between two writes of the file
  checkpoint_notes notes = {};
};

namespace detail {

/// What stands in the file beside weights and moments.
struct patcher_training_record {
  patcher_config config;
  std::string learns_from;  ///< fingerprints of dataset and backbone
  patch_path path = patch_path::generic;
  std::size_t iterations = 0;
  std::size_t best_iteration = 0;
  double best_score = 0;
  std::size_t without_improvement = 0;
  double loss_sum = 0;  ///< since the last evaluation
  std::size_t loss_count = 0;
  double seconds = 0;
  std::vector<patcher_evaluation> evaluations;
};

template <class Fields>
void list_fields(Fields& field, patcher_training_record& r) {
  field("patcher", r.config);
  field("learns_from", r.learns_from);
  field("path", r.path);
  field("iterations", r.iterations);
  field("best_iteration", r.best_iteration);
  field("best_score", r.best_score);
  field("without_improvement", r.without_improvement);
  field("loss_sum", r.loss_sum);
  field("loss_count", r.loss_count);
  field("seconds", r.seconds);
  field("evaluations", r.evaluations);
}

/// Loads a training when it begins and saves it between iterations.
template <class T>
class training_keeper {
public:
  training_keeper(std::filesystem::path path, std::string learns_from, resumable_options options)
      : path_(std::move(path)), learns_from_(std::move(learns_from)), options_(std::move(options)) {
    expects(options_.every >= 1, "resumable training: expected at least 1 iteration between writes, got 0");
  }

  void begin(patcher_training<T>& now) {
    if (file_exists(path_)) {
      load(now);
    }
    written_ = now.loop.iterations;
  }

  /// Gradients that wait for others are not saved: only whole steps are.
  void between(patcher_training<T>& now) {
    const std::size_t done = now.loop.iterations;
    const bool due = done >= written_ + options_.every || interrupt_requested();
    if (due && done > written_ && done % now.result.config.accumulate == 0) {
      save(now);
      written_ = done;
    }
  }

private:
  void save(patcher_training<T>& now) {
    const auto& result = now.result;
    const auto losses = now.loop.losses.since_mean();
    const patcher_training_record record{result.config,
                                         learns_from_,
                                         result.path,
                                         now.loop.iterations,
                                         now.loop.best_iteration,
                                         now.loop.best_score.value_or(0),
                                         now.loop.without_improvement,
                                         losses.sum,
                                         losses.count,
                                         result.seconds + seconds_since(started_),
                                         result.evaluations};
    save_training(path_, now.result.generator, now.best, now.optimizer, record, dgl_names(result.generator),
                  options_.notes);
  }

  void load(patcher_training<T>& now) {
    auto& result = now.result;
    const auto& config = result.config;
    const auto check = [&](const patcher_training_record& saved) {
      expect_same_config(path_, saved.config, config);
      const auto fits = [&](bool condition, const auto&... words) { expect_or_blame(condition, text(words...)); };
      fits(saved.learns_from == learns_from_,
           "this training was begun with another dataset or backbone; take those, or remove the file to begin anew");
      fits(saved.path == result.path, "this training was begun on the ", word_of(saved.path), " path, not the ",
           word_of(result.path), " one; take that, or remove the file to begin anew");
      fits(saved.iterations <= config.max_iterations && saved.iterations % config.accumulate == 0 &&
               saved.best_iteration <= saved.iterations && saved.loss_count <= saved.iterations,
           "expected the iterations of a training of at most ", config.max_iterations, ", got ", saved.iterations);
    };
    auto saved = load_training<patcher_training_record>(safetensors_archive(path_), result.generator, now.best,
                                                        now.optimizer, dgl_names(result.generator), check);
    result.seconds = saved.seconds;
    result.evaluations = std::move(saved.evaluations);
    now.loop.iterations = saved.iterations;
    now.loop.best_iteration = saved.best_iteration;
    if (!result.evaluations.empty()) {
      now.loop.best_score = saved.best_score;
    }
    now.loop.without_improvement = saved.without_improvement;
    now.loop.losses.set_since_mean({saved.loss_sum, saved.loss_count});
  }

  void expect_or_blame(bool condition, const std::string& otherwise) const {
    if (!condition) {
      throw file_error(path_.string(), otherwise);
    }
  }
  static double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  std::filesystem::path path_;
  std::string learns_from_;
  resumable_options options_;
  std::size_t written_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/// One as what train_patcher() shows a training to.
template <class T>
training_watch<T> keep_training(const std::filesystem::path& path, std::string learns_from,
                                const resumable_options& options) {
  const auto keeper = std::make_shared<training_keeper<T>>(path, std::move(learns_from), options);
  return {[keeper](patcher_training<T>& now) { keeper->begin(now); },
          [keeper](patcher_training<T>& now) { keeper->between(now); }};
}

#if GP_HAS_INSTANCES
GP_EXTERN template training_watch<float> keep_training(const std::filesystem::path&, std::string,
                                                       const resumable_options&);
GP_EXTERN template training_watch<double> keep_training(const std::filesystem::path&, std::string,
                                                        const resumable_options&);
#endif

}  // namespace detail

/// train_patcher() that can be stopped and gone on with: the training stands in
/// `path` (.safetensors), written every so many iterations and on Ctrl-C inside
/// an interrupt_scope. If the file is there already, training goes on from it;
/// whether and where it was interrupted changes no bit of the result. The file
/// stays when training is done: remove it when the patcher is saved.
///
/// Throws what train_patcher() does, and file_error if the file can't be written
/// or is of another training.
template <class T, graph_index I, backbone_for<T, I> Backbone>
trained_patcher<T> train_patcher_resumably(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                                           const patcher_config& config, const std::filesystem::path& path,
                                           const resumable_options& options = {}) {
  return train_patcher(exec, data, model, config,
                       detail::keep_training<T>(path, fingerprint(data) + ", " + fingerprint(model), options));
}

}  // namespace graphpatcher
