// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/option.hpp"
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
  std::size_t similar = 20;
  double weight = 1;  ///< kappa
  std::size_t steps = 2;

  static void list_options(auto& c, auto&& option) {
    option({"over", "whom a spread target takes in: similar nodes, or neighbours too", {}, "over"}, c.over);
    option({"similar", "nodes with the most similar features that it takes in", at_least(1), "similar similar_nodes"},
           c.similar);
    option({"weight", "of all similar nodes together; a neighbour has 1", above(0),
            "weight similar_weight weight_of_similar_nodes"},
           c.weight);
    option({"steps", "steps of spreading", within(1, most_units), "steps"}, c.steps);
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
/// the settings of the released code; list_options() says what each option means.
struct patcher_config {
  // The network.
  std::size_t hidden = 1024;
  double dropout = 0.2;

  // The corrupted ego-graphs.
  std::vector<double> strengths = {0.9, 0.6, 0.3};
  std::size_t samples = 10;
  graphpatcher::estimator estimator = estimator::sampled;
  degree_mode degree = degree_mode::graph;
  patch_edge edge = patch_edge::to_anchor;

  patch_path path = patch_path::automatic;

  // The loss.
  patch_loss loss = patch_loss::released;  ///< the better one on Cora, Citeseer and Pubmed (docs/results.md)
  sample_reduction reduction = sample_reduction::sum;
  patch_target target = patch_target::own;
  spread_options spread{};
  double epsilon = 1e-12;
  bool backprop_through_steps = false;  ///< false: patches are constants for later steps, as released

  // The optimisation (AdamW).
  anchor_choice anchors = anchor_choice::connected;
  std::size_t batch = 64;
  std::size_t accumulate = 1;
  double learning_rate = 1e-4;
  double weight_decay = 5e-4;
  std::size_t max_iterations = 2000;
  stop_rule stop = stop_rule::accuracy;
  std::size_t warmup = 100;
  std::size_t evaluate_every = 10;
  std::size_t patience = 10;
  std::size_t patches = 5;
  std::uint64_t seed = 0;
  bool quiet = false;
  bool capture = false;  ///< off because nobody has measured it yet; the numbers are the same

  /// Every option once (core/option.hpp): all that reads or writes options by name goes by this list.
  static void list_options(auto& c, auto&& option) {
    option({"hidden", "hidden units of the network that makes patches", within(1, most_units)}, c.hidden);
    option({"dropout", "dropout in that network", from_to_below(0, 1)}, c.dropout);
    option({"strengths", "corruption strengths, decreasing; one patch is generated for each", within(0, 1)},
           c.strengths);
    option({"samples", "L, corrupted targets a strength", within(1, most_units)}, c.samples);
    option({"estimator", "L draws; or exact: all masks of anchors of degree 3 and less"}, c.estimator);
    option({"degree", "degrees at the rim of an ego-graph: those of the whole graph, or those inside it"}, c.degree);
    option({"edge", "how a patch is joined to its anchor", {}, "patch_edge"}, c.edge);
    option({"path", "how the patcher is computed; auto = fast where it can be taken"}, c.path);
    option({"loss", "paper: KL over classes to each target; released: the authors' code"}, c.loss);
    option({"reduction", "how the L targets of a step add up"}, c.reduction);
    option({"target", "what the last step aims at: the backbone's prediction, or that prediction spread over others"},
           c.target);
    option({"spread", "with target = spread"}, c.spread);
    option({"epsilon", "of the KL divergence", within(0, 1)}, c.epsilon);
    option({"backprop_through_steps", "let gradients reach the patches of earlier steps"}, c.backprop_through_steps);
    option({"anchors", "nodes to train on: those with a neighbour, or the training nodes among them"}, c.anchors);
    option({"batch", "anchors an iteration", at_least(1)}, c.batch);
    option({"accumulate", "batches whose gradients are averaged into one step", at_least(1)}, c.accumulate);
    option({"learning_rate", "of AdamW", above(0), "lr"}, c.learning_rate);
    option({"weight_decay", "of AdamW", at_least(0)}, c.weight_decay);
    option({"max_iterations", "at most this many iterations", at_least(1)}, c.max_iterations);
    option({"stop", "what ends training and decides which weights are kept"}, c.stop);
    option({"warmup", "iterations before the first evaluation", at_least(0), "warm_up"}, c.warmup);
    option({"evaluate_every", "iterations between evaluations", at_least(1)}, c.evaluate_every);
    option({"patience", "evaluations without improvement", at_least(1)}, c.patience);
    option({"patches", "an evaluation adds 1 .. this many patches", within(1, 1000)}, c.patches);
    option({"seed", "of the weights, the corruption and the dropout"}, c.seed);
    option({.name = "quiet", .meaning = "no progress display", .changes_results = false}, c.quiet);
    option({.name = "capture",
            .meaning = "on a GPU: record every iteration as a CUDA graph and submit it at once",
            .changes_results = false},
           c.capture);
  }

  /// Throws argument_error unless every value makes sense.
  void check() const {
    check_options("patcher", *this);
    expects(!strengths.empty(), "patcher: expected at least one corruption strength in strengths, got none");
    for (std::size_t m = 1; m < strengths.size(); ++m) {
      expects(strengths[m] < strengths[m - 1], "patcher: expected decreasing strengths, got ", strengths[m], " after ",
              strengths[m - 1]);
    }
    expects(accumulate <= max_iterations,
            "patcher: expected accumulate <= max_iterations, or no step is ever made; got ", accumulate, " and ",
            max_iterations);
  }

  bool operator==(const patcher_config&) const = default;

  message_options messages(std::size_t patch_count) const { return {degree, edge, patch_count}; }
};

}  // namespace graphpatcher
