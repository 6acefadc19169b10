// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "experiments/run/scores.hpp"

/// Ways to make one prediction of those with 0, 1, 2, ... patches. All choices
/// are made on validation nodes.
///
///   average    mean of the probabilities with 0 .. n patches
///   likelihood the number of patches with the best log-likelihood
///   by degree  a number of patches for each third of the nodes by degree
namespace graphpatcher {

/// Entry n: answers with n patches; the nodes are the same for every n.
using patched_answers = std::vector<std::vector<node_answer>>;

/// Mean of the first `count` matrices.
matrix<float> average(std::span<const matrix<float>> probabilities, std::size_t count);

/// The number of patches, up to `most`, with the best log-likelihood; of equals the smaller.
std::size_t choose_by_likelihood(const patched_answers& validation, std::size_t most);

/// A number of patches for nodes of up to `last` neighbours.
struct degree_choice {
  std::size_t last = 0;
  std::size_t patches = 0;
};

/// For each third of the validation nodes by degree the number of patches, up to
/// `most`, with the best accuracy there; of equals the larger. Nodes of one
/// degree stay together.
std::vector<degree_choice> choose_by_degree(const patched_answers& validation, std::size_t most);

/// Every node's answer with the number of patches that its degree has.
std::vector<node_answer> pick_by_degree(const patched_answers& answers, std::span<const degree_choice> choices);

}  // namespace graphpatcher
