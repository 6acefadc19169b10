// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/eval/metrics.hpp"

namespace graphpatcher {

/// Area under the ROC curve, in percent: the share of pairs of a positive and a negative in which the positive has the
/// higher score, equal scores counted half. By ranks (Mann and Whitney): with R the sum of the positives' ranks, equal
/// scores at their mean rank, (R - p (p + 1) / 2) / (p n). undefined_metric without a positive or without a negative.
inline double roc_auc(std::span<const double> scores, const std::vector<bool>& positive) {
  expects<shape_error>(scores.size() == positive.size(), "roc_auc: expected a score for each of ", positive.size(),
                       " labels, got ", scores.size());
  expects(std::ranges::none_of(scores, [](double score) { return std::isnan(score); }),
          "roc_auc: expected scores that can be compared, got NaN");
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return scores[i]; });
  double ranks = 0, positives = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    double here = 0;
    for (; last < order.size() && scores[order[last]] == scores[order[first]]; ++last) {
      here += positive[order[last]] ? 1 : 0;
    }
    ranks += here * static_cast<double>(first + 1 + last) / 2;  // ranks first + 1 .. last
    positives += here;
    first = last;
  }
  const double negatives = static_cast<double>(scores.size()) - positives;
  return positives == 0 || negatives == 0 ? undefined_metric
                                          : 100 * (ranks - positives * (positives + 1) / 2) / (positives * negatives);
}

}  // namespace graphpatcher
