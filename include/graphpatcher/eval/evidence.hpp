// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "graphpatcher/eval/statistics.hpp"
#include "graphpatcher/eval/temperature.hpp"

/// Several answers weighed by what nodes with labels say of them, and how sure it is that the mixture is better than
/// the first of them alone.
namespace graphpatcher {

/// What candidates say of nodes with labels. Candidate 0 is what the others are compared with.
struct judged_answers {
  std::vector<matrix<double>> logs;  ///< entry j: logarithms of candidate j's probabilities, nodes x classes
  std::vector<std::size_t> labels;   ///< a class for each row
};

/// q_j = softmax(beta_j log p_j), L_j = sum_v log q_j,v[y_v], Q = sum_j w_j q_j.
struct answer_weights {
  std::vector<double> beta;
  std::vector<double> log_likelihood;
  std::vector<double> weight;
};

/// w_j = exp(L_j - max L) / sum; those below `least` are 0, and the others add up to 1.
inline std::vector<double> likelihood_weights(std::span<const double> log_likelihoods, double least = 1e-4) {
  expects(!log_likelihoods.empty(), "likelihood_weights: expected at least one candidate, got none");
  const double best = *std::ranges::max_element(log_likelihoods);
  std::vector<double> weights(log_likelihoods.size());
  std::ranges::transform(log_likelihoods, weights.begin(), [&](double now) { return std::exp(now - best); });
  const auto scale = [&] {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::ranges::transform(weights, weights.begin(), [&](double weight) { return weight / sum; });
  };
  scale();
  std::ranges::replace_if(
      weights, [&](double weight) { return weight < least; }, 0.0);
  scale();
  return weights;
}

/// sum over rows of log softmax(beta logs)[y]
inline double log_likelihood(matrix_view<const double> logs, std::span<const std::size_t> labels,
                             std::span<const std::size_t> rows, double beta) {
  return likelihood_of(logs, labels, rows, beta).value;
}

/// A candidate whose log-likelihood is this far below the best has no weight (e^-12 of it), so its temperature need not
/// be precise.
inline constexpr double far_below = 12;

/// Fits every candidate's temperature on some rows, and weighs the candidates by them. Temperatures of candidates that
/// are far below the best are rough. Candidates that stand side by side are taken to be alike: a search begins where
/// that of the one before ended.
inline answer_weights weigh_answers(const cpu& exec, const judged_answers& judged, std::span<const std::size_t> rows) {
  constexpr double rough = 0.05;
  constexpr std::size_t alike = 16;
  const std::size_t count = judged.logs.size();
  answer_weights result{std::vector<double>(count), std::vector<double>(count), {}};
  parallel_for(exec, count, alike, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      const double start = j % alike == 0 ? 1.0 : result.beta[j - 1];
      const auto found = search_temperature(judged.logs[j], judged.labels, rows, {.start = start, .precision = rough});
      result.beta[j] = found.beta;
      result.log_likelihood[j] = found.log_likelihood;
    }
  });
  const double best = *std::ranges::max_element(result.log_likelihood);
  parallel_for(exec, count, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      if (j == 0 || result.log_likelihood[j] >= best - far_below) {  // the first is what others are compared with
        const auto found = search_temperature(judged.logs[j], judged.labels, rows, {.start = result.beta[j]});
        result.beta[j] = found.beta;
        result.log_likelihood[j] = found.log_likelihood;
      }
    }
  });
  result.weight = likelihood_weights(result.log_likelihood);
  return result;
}

/// d = log Q[y] - log q_0[y] of one row.
inline double mixture_gain(const judged_answers& judged, const answer_weights& weights, std::size_t row) {
  const auto share = [&](std::size_t j) {
    return std::exp(log_share(judged.logs[j].row(row), weights.beta[j], judged.labels[row]));
  };
  double mixed = 0;
  for (std::size_t j = 0; j < judged.logs.size(); ++j) {
    mixed += weights.weight[j] > 0 ? weights.weight[j] * share(j) : 0.0;
  }
  return safe_log(mixed) - safe_log(share(0));
}

/// t = mean(d) / (deviation(d) / sqrt(n)); 0 where all are equal, which leaves nothing to judge by.
inline double evidence(std::span<const double> gains) {
  const auto [mean, deviation, count] = summarise(gains);
  return deviation > 0 ? mean / (deviation / std::sqrt(static_cast<double>(count))) : 0.0;
}

/// The gains of all rows over candidate 0 on the rows that were fitted on.
inline std::vector<double> fitted_gains(const judged_answers& judged, const answer_weights& weights) {
  std::vector<double> gains(judged.labels.size());
  for (std::size_t i = 0; i < gains.size(); ++i) {
    gains[i] = mixture_gain(judged, weights, i);
  }
  return gains;
}

/// The same, each with temperatures and weights of the rows outside of its fold; row i is in fold i % folds. `whole`:
/// what weigh_answers() says of all rows. A search begins one of Newton's steps from there, and the parabola of that
/// step tells which candidates are far below the best without the fold. With fewer rows than folds, or one fold, on the
/// rows that were fitted on.
inline std::vector<double> cross_fitted_gains(const cpu& exec, const judged_answers& judged,
                                              const answer_weights& whole, std::size_t folds) {
  const std::size_t count = judged.labels.size(), candidates = judged.logs.size();
  if (folds <= 1 || folds > count) {
    return fitted_gains(judged, whole);
  }
  std::vector<likelihood_at> of_fold(candidates * folds);
  parallel_for(exec, candidates, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      for (std::size_t i = 0; i < count; ++i) {
        of_fold[j * folds + i % folds].add(judged.logs[j].row(i), judged.labels[i], whole.beta[j]);
      }
    }
  });
  std::vector<double> gains(count);
  parallel_for(exec, folds, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t fold = first; fold < last; ++fold) {
      std::vector<std::size_t> fitted;
      for (std::size_t i = 0; i < count; ++i) {
        if (i % folds != fold) {
          fitted.push_back(i);
        }
      }
      answer_weights weights{whole.beta, std::vector<double>(candidates), {}};
      auto& likelihoods = weights.log_likelihood;
      for (std::size_t j = 0; j < candidates; ++j) {
        likelihood_at others;
        for (std::size_t other = 0; other < folds; ++other) {
          others += other == fold ? likelihood_at() : of_fold[j * folds + other];
        }
        const double step = others.curvature > 0 ? others.slope / others.curvature : 0.0;
        weights.beta[j] += step;
        likelihoods[j] = others.value + step * others.slope / 2;
      }
      const double best = *std::ranges::max_element(likelihoods);
      for (std::size_t j = 0; j < candidates; ++j) {
        if (j == 0 || likelihoods[j] >= best - far_below) {
          const auto found = search_temperature(judged.logs[j], judged.labels, fitted, {.start = weights.beta[j]});
          weights.beta[j] = found.beta;
          likelihoods[j] = found.log_likelihood;
        }
      }
      weights.weight = likelihood_weights(likelihoods);
      for (std::size_t i = fold; i < count; i += folds) {
        gains[i] = mixture_gain(judged, weights, i);
      }
    }
  });
  return gains;
}

}  // namespace graphpatcher
