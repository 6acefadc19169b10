// SPDX-License-Identifier: MIT
#include "experiments/run/combine.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace graphpatcher {

matrix<float> average(std::span<const matrix<float>> probabilities, std::size_t count) {
  expects(count >= 1 && count <= probabilities.size(), "average: expected between 1 and ", probabilities.size(),
          " predictions, got ", count);
  matrix<float> mean = probabilities.front();
  for (std::size_t i = 0; i < mean.rows(); ++i) {
    for (std::size_t c = 0; c < mean.cols(); ++c) {
      for (std::size_t n = 1; n < count; ++n) {
        mean(i, c) += probabilities[n](i, c);
      }
      mean(i, c) /= static_cast<float>(count);
    }
  }
  return mean;
}

std::size_t choose_by_likelihood(const patched_answers& validation, std::size_t most) {
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

std::vector<degree_choice> choose_by_degree(const patched_answers& validation, std::size_t most) {
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

std::vector<node_answer> pick_by_degree(const patched_answers& answers, std::span<const degree_choice> choices) {
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
