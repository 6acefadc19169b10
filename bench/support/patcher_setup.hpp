// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graphs.hpp"

namespace bench {

/// A dataset, a frozen two-layer GCN of 64 hidden units on it, and a patcher of given width. Behind it stands the whole
/// library, which takes a minute to compile: hence a class whose body is elsewhere.
class patcher_setup {
public:
  struct options {
    std::size_t hidden = 1024;
    double dropout = 0.2;
    std::size_t epochs = 200;  ///< of the backbone's training; 0 leaves it as it was drawn
    int threads = 1;
  };
  patcher_setup(gp::dataset<float, index> data, const options& how);
  ~patcher_setup();

  const gp::dataset<float, index>& data() const;
  std::size_t backbone_hidden() const;
  std::size_t steps() const;           ///< patches made in a training iteration
  std::size_t bytes_of_data() const;   ///< graph, features, labels and split
  std::size_t bytes_of_model() const;  ///< weights, their gradients and both moments of AdamW

  /// Batch number `number` of 64 anchors, or fewer where there are fewer; repeats after an epoch.
  std::span<const index> batch(std::size_t number) const;

  /// One training iteration, as users of train_patcher() wait for it: forward, backward, AdamW. Returns the loss.
  double train_iteration();
  /// One with these anchors, of a training of its own.
  double train_iteration(std::span<const index> anchors);
  /// Losses of the first iterations by the generic path, starting from the weights as they were drawn.
  std::vector<double> generic_losses(std::size_t iterations) const;
  /// Frees what training holds beside the weights.
  void end_training();

  /// Logits of nodes with 0, 1, ..., 5 patches, by the path that the library chooses or by the generic one.
  std::vector<gp::matrix<float>> patch(std::span<const index> nodes) const;
  std::vector<gp::matrix<float>> patch_generically(std::span<const index> nodes) const;

  /// What peers need to do the same: weights by name, masks of batch 0 (one byte a neighbour; 1 survives).
  struct named_matrix {
    std::string name;
    const gp::matrix<float>* values;
  };
  std::vector<named_matrix> backbone_parameters() const;
  std::vector<named_matrix> generator_parameters() const;
  struct masks {
    std::vector<std::uint8_t> start;
    std::vector<std::vector<std::uint8_t>> targets;  ///< a step: samples x neighbours
    std::size_t samples = 0;
  };
  masks first_masks() const;

private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace bench
