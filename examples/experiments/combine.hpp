// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/scores.hpp"

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
template <class T>
matrix<T> average(std::span<const matrix<T>> probabilities, std::size_t count) {
  expects(count >= 1 && count <= probabilities.size(), "average: expected between 1 and ", probabilities.size(),
          " predictions, got ", count);
  matrix<T> mean = probabilities.front();
  for (std::size_t i = 0; i < mean.rows(); ++i) {
    for (std::size_t c = 0; c < mean.cols(); ++c) {
      for (std::size_t n = 1; n < count; ++n) {
        mean(i, c) += probabilities[n](i, c);
      }
      mean(i, c) /= static_cast<T>(count);
    }
  }
  return mean;
}

/// The number of patches, up to `most`, with the best log-likelihood; of equals the smaller.
inline std::size_t choose_by_likelihood(const patched_answers& validation, std::size_t most) {
  std::size_t chosen = 0;
  double best = 0;
  for (std::size_t n = 0; n <= std::min(most, validation.size() - 1); ++n) {
    const double now = score_group(validation[n]).log_likelihood;
    if (n == 0 || now > best) {
      best = now;
      chosen = n;
    }
  }
  return chosen;
}

/// A number of patches for nodes of up to `last` neighbours.
struct degree_choice {
  std::size_t last = 0;
  std::size_t patches = 0;
};

/// For each third of the validation nodes by degree the number of patches, up to
/// `most`, with the best accuracy there; of equals the larger. Nodes of one
/// degree stay together.
inline std::vector<degree_choice> choose_by_degree(const patched_answers& validation, std::size_t most) {
  std::vector<std::size_t> degrees;
  for (const auto& answer : validation.front()) {
    degrees.push_back(answer.degree);
  }
  std::ranges::sort(degrees);
  std::vector<degree_choice> choices;
  std::size_t from = 0;
  for (std::size_t third = 1; third <= 3 && !degrees.empty(); ++third) {
    const std::size_t last = third == 3 ? static_cast<std::size_t>(-1) : degrees[third * (degrees.size() - 1) / 3];
    if (third > 1 && last < from) {
      continue;  // one degree fills more than a third
    }
    std::size_t chosen = 0, best = 0;
    for (std::size_t n = 0; n <= std::min(most, validation.size() - 1); ++n) {
      std::size_t right = 0;
      for (const auto& answer : validation[n]) {
        right += answer.right && answer.degree >= from && answer.degree <= last ? 1 : 0;
      }
      if (n == 0 || right >= best) {
        best = right;
        chosen = n;
      }
    }
    choices.push_back({last, chosen});
    from = last + 1;
  }
  return choices;
}

/// Every node's answer with the number of patches that its degree has.
inline std::vector<node_answer> pick_by_degree(const patched_answers& answers, std::span<const degree_choice> choices) {
  std::vector<node_answer> picked = answers.front();
  for (std::size_t i = 0; i < picked.size(); ++i) {
    const auto choice =
        std::ranges::find_if(choices, [&](const degree_choice& c) { return picked[i].degree <= c.last; });
    if (choice != choices.end()) {
      picked[i] = answers[choice->patches][i];
    }
  }
  return picked;
}

}  // namespace graphpatcher
