// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/ego_messages.hpp"

namespace graphpatcher {

/// What the L corrupted targets of a step teach.
enum class patch_loss {
  paper,     ///< KL over classes towards each of the L predictions
  released,  ///< as in the authors' code: softmax over the samples, a constant; only the last step trains
};

/// How the L samples of a step add up.
enum class sample_reduction { sum, mean };

/// Which nodes the patcher is trained on. No labels are used.
enum class anchor_choice {
  connected,  ///< every node with at least one neighbour, as released
  train,      ///< training nodes with at least one neighbour
};

/// When training stops and which weights are kept.
enum class stop_rule {
  accuracy,  ///< best validation accuracy over the numbers of patches, as released
  loss,      ///< lowest validation loss, as in the paper
};

/// What the last step of training aims at.
enum class patch_target {
  own,     ///< the backbone's own prediction on the whole ego-graph, as in the paper
  spread,  ///< that prediction spread over neighbours and similar nodes (patcher/spread_predictions.hpp)
};

/// Whose predictions a node takes in, in spread_predictions().
enum class spread_over {
  similar,  ///< nodes whose features are alike
  both,     ///< those and its neighbours: for graphs whose neighbours are mostly of one class
};

/// How predictions spread.
struct spread_options {
  spread_over over = spread_over::both;
  std::size_t similar = 20;  ///< nodes with the most similar features
  double weight = 1;         ///< kappa: of all of them together; a neighbour has 1
  std::size_t steps = 2;

  void check() const {
    expects(similar >= 1, "patcher: expected at least 1 similar node, got 0");
    expects(weight > 0, "patcher: expected a weight of similar nodes above 0, got ", weight);
    expects(steps >= 1, "patcher: expected predictions to spread at least 1 step, got 0");
  }

  bool operator==(const spread_options&) const = default;
};

/// How the numbers are computed. Both ways give the same, to rounding.
enum class patch_path {
  automatic,  ///< fast where it can be taken
  generic,    ///< ego-graphs materialised, any backbone, through autodiff: slow and obvious
  fast,       ///< only what an anchor needs (patcher/fast); an error where it can't be taken
};

/// Everything that decides how a patcher is built and trained. The defaults are
/// the settings of the released code.
struct patcher_config {
  // The network.
  std::size_t hidden = 1024;
  double dropout = 0.2;

  // The corrupted ego-graphs.
  std::vector<double> strengths = {0.9, 0.6, 0.3};  ///< decreasing, in [0, 1]; one patch is generated for each
  std::size_t samples = 10;                         ///< L
  graphpatcher::estimator estimator = estimator::sampled;
  degree_mode degree = degree_mode::graph;
  patch_edge edge = patch_edge::to_anchor;

  patch_path path = patch_path::automatic;

  // The loss.
  patch_loss loss = patch_loss::released;  ///< the better one on Cora, Citeseer and Pubmed (docs/results.md)
  sample_reduction reduction = sample_reduction::sum;
  patch_target target = patch_target::own;
  spread_options spread{};              ///< with patch_target::spread
  double epsilon = 1e-12;               ///< of the KL divergence
  bool backprop_through_steps = false;  ///< false: patches are constants for later steps, as released

  // The optimisation (AdamW).
  anchor_choice anchors = anchor_choice::connected;
  std::size_t batch = 64;
  std::size_t accumulate = 1;  ///< batches whose gradients are averaged into one step
  double learning_rate = 1e-4;
  double weight_decay = 5e-4;
  std::size_t max_iterations = 2000;
  stop_rule stop = stop_rule::accuracy;
  std::size_t warmup = 100;         ///< iterations before the first evaluation
  std::size_t evaluate_every = 10;  ///< iterations between evaluations
  std::size_t patience = 10;        ///< evaluations without improvement
  std::size_t patches = 5;          ///< patches that an evaluation adds at most
  std::uint64_t seed = 0;
  bool quiet = false;  ///< no progress display
  /// On a GPU: record every iteration as a CUDA graph and submit it at once. Off
  /// because nobody has measured it yet; the numbers are the same.
  bool capture = false;

  /// Throws unless every value makes sense.
  void check() const {
    expects(hidden >= 1, "patcher: expected at least 1 hidden unit, got 0");
    expects(dropout >= 0 && dropout < 1, "patcher: expected a dropout in [0, 1), got ", dropout);
    expects(!strengths.empty(), "patcher: expected at least one corruption strength, got none");
    for (std::size_t m = 0; m < strengths.size(); ++m) {
      expects(strengths[m] >= 0 && strengths[m] <= 1, "patcher: expected strengths in [0, 1], got ", strengths[m]);
      expects(m == 0 || strengths[m] < strengths[m - 1], "patcher: expected decreasing strengths, got ", strengths[m],
              " after ", m == 0 ? 0.0 : strengths[m - 1]);
    }
    spread.check();
    expects(samples >= 1, "patcher: expected at least 1 sample a strength, got 0");
    expects(epsilon >= 0, "patcher: expected an epsilon >= 0, got ", epsilon);
    expects(batch >= 1, "patcher: expected a batch of at least 1 anchor, got 0");
    expects(accumulate >= 1, "patcher: expected at least 1 batch a step, got 0");
    expects(learning_rate > 0, "patcher: expected a learning rate > 0, got ", learning_rate);
    expects(weight_decay >= 0, "patcher: expected a weight decay >= 0, got ", weight_decay);
    expects(max_iterations >= 1, "patcher: expected at least 1 iteration, got 0");
    expects(evaluate_every >= 1, "patcher: expected at least 1 iteration between evaluations, got 0");
    expects(patience >= 1, "patcher: expected a patience of at least 1 evaluation, got 0");
    expects(patches >= 1, "patcher: expected at least 1 patch in an evaluation, got 0");
  }

  bool operator==(const patcher_config&) const = default;

  message_options messages(std::size_t patch_count) const { return {degree, edge, patch_count}; }
};

}  // namespace graphpatcher
