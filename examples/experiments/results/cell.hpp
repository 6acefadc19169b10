// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphpatcher/eval/neighbor_labels.hpp"
#include "graphpatcher/eval/run_record.hpp"

/// The cells of an experiment: what was run and what came out. Plain data;
/// cell_json.hpp writes and reads it, results_file.hpp keeps a list of it.
namespace graphpatcher {

/// What is run: one dataset, backbone, method and seed.
struct cell_key {
  std::string dataset;   ///< as load_dataset() calls it: "cora", "amazon-photo"
  std::string backbone;  ///< "gcn", "sage", "gat"
  std::string method;    ///< as the registry calls it (names.hpp): "graphpatcher", "dropedge"
  std::string setting;   ///< how the method was set: a preset and its changes, "released", "paper samples=5"
  std::uint64_t seed = 0;

  auto operator<=>(const cell_key&) const = default;
};

/// How well one group of nodes is predicted.
struct group_score {
  double accuracy = undefined_metric;        ///< percent
  double log_likelihood = undefined_metric;  ///< mean of log p(label); 0 is perfect
  double calibration = undefined_metric;     ///< expected calibration error, percent; 0 is perfect
  double roc_auc = undefined_metric;         ///< percent; of two classes only
};

/// One set of nodes: its lower third by degree, its upper third and all of it.
/// `fractional_*`: accuracy of the thirds when nodes of the degree at the cut
/// belong to them with an equal fraction (no noise from ties).
struct node_score {
  group_score low;
  group_score high;
  group_score overall;
  double fractional_low = undefined_metric;
  double fractional_high = undefined_metric;
};

/// Results with n patches; n = 0 is the backbone alone.
struct patched_score {
  std::size_t patches = 0;
  double validation = undefined_metric;                 ///< accuracy on the validation nodes, percent
  double validation_log_likelihood = undefined_metric;  ///< on the same
  node_score test;                                      ///< the test nodes of the split
  node_score unlabelled;                                ///< every node outside of training and validation
};

/// What the neighbours of the test nodes are, by degree group.
struct neighbor_score {
  neighbor_labels low;
  neighbor_labels high;
  neighbor_labels overall;
};

/// Which test nodes are predicted right. All nodes of the graph stand in the order of (degree, node id), so a place
/// names the same node whatever the seed and split.
struct node_outcomes {
  std::vector<bool> tested;  ///< of every node
  std::vector<bool> before;  ///< of every tested one: whether the backbone is right
  std::vector<bool> after;   ///< whether the method is

  bool empty() const { return tested.empty(); }
};

/// Nodes outside of training and validation whose degree falls into one
/// interval, of the backbone and of what the method answers.
struct degree_score {
  std::string degrees;  ///< "3", "4-5", "11+"
  std::size_t nodes = 0;
  group_score before;
  group_score after;
};

/// A way to make one prediction of those with 0, 1, 2, ... patches.
struct combined_score {
  std::string rule;  ///< see combine.hpp
  node_score test;
  node_score unlabelled;
};

/// What came out for one cell, and how it came to be.
struct cell_result {
  cell_key key;
  std::size_t chosen = 0;                 ///< number of patches picked on validation
  std::vector<patched_score> by_patches;  ///< entry n: n patches
  std::optional<patched_score> answer;    ///< of what makes one answer and chooses no number: weighted, spread, ...
  std::optional<run_decision> decision;   ///< of what weighs answers (docs/rule.md)
  std::vector<combined_score> combined;   ///< other ways to use the patches
  std::vector<degree_score> by_degree;
  neighbor_score neighbors;
  node_outcomes outcomes;          ///< empty in results of before they were kept
  std::vector<curve_point> curve;  ///< of the training
  std::size_t iterations = 0;      ///< of the training
  double seconds = 0;              ///< of the method, without its backbone
  double backbone_seconds = undefined_metric;
  double peak_rss_mb = undefined_metric;  ///< of the process so far
  std::string path;
  std::string version = graphpatcher::version;
  run_settings settings;  ///< every option of backbone and method

  const patched_score& before() const { return by_patches.front(); }
  const patched_score& after() const { return answer ? *answer : by_patches[chosen]; }
};

}  // namespace graphpatcher
