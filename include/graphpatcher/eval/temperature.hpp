// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

/// Temperature: how far a model's probabilities p are to be sharpened or flattened, to say what they are worth. One
/// number beta for all nodes, the best on nodes with labels y:
///
///   q_v = softmax(beta log p_v),   beta = argmin over [0.1, 40] of -sum_v log q_v[y_v]
namespace graphpatcher {

/// Probabilities below it count as this much, so that logarithms stay finite.
inline constexpr double least_probability = 1e-12;

inline double safe_log(double probability) {
  return std::log(std::max(probability, least_probability));
}

/// Row i: the logarithms of the probabilities of nodes[i], whose row of `p` that is.
template <class T, graph_index I>
matrix<double> log_probabilities(matrix_view<const T> p, std::span<const I> nodes) {
  matrix<double> logs(nodes.size(), p.cols());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto row = p.row(static_cast<std::size_t>(nodes[i]));
    std::ranges::transform(row, logs.row(i).begin(), [](T value) { return safe_log(static_cast<double>(value)); });
  }
  return logs;
}

/// log softmax(beta logs)[of]
inline double log_share(std::span<const double> logs, double beta, std::size_t of) {
  const double most = *std::ranges::max_element(logs);
  double sum = 0;
  for (const double value : logs) {
    sum += std::exp(beta * (value - most));
  }
  return beta * (logs[of] - most) - std::log(sum);
}

/// beta of the rows of `logs` that are named; labels[i] belongs to row i. The slope is monotone in beta, so its root
/// is found by Newton's steps, and by halves of log beta where such a step leaves the bracket. 1 where nothing speaks
/// for another number: no rows, or rows that are all flat.
inline double fit_temperature(matrix_view<const double> logs, std::span<const std::size_t> labels,
                              std::span<const std::size_t> rows) {
  constexpr double least = 0.1, most = 40;
  struct derivatives {
    double slope = 0, curvature = 0;
  };
  const auto at = [&](double beta) {
    derivatives sum;  // of -sum log q[y]: sum (E_q[log p] - log p[y]), and sum Var_q[log p]
    for (const std::size_t i : rows) {
      const auto row = logs.row(i);
      const double highest = *std::ranges::max_element(row);
      double total = 0, mean = 0, square = 0;
      for (const double value : row) {
        const double share = std::exp(beta * (value - highest));
        total += share;
        mean += share * (value - highest);
        square += share * (value - highest) * (value - highest);
      }
      mean /= total;
      sum.slope += mean - (row[labels[i]] - highest);
      sum.curvature += square / total - mean * mean;
    }
    return sum;
  };
  double low = least, high = most, beta = 1;
  for (int step = 0; step < 100; ++step) {
    const auto [slope, curvature] = at(beta);
    if (slope == 0) {
      return beta;
    }
    (slope > 0 ? high : low) = beta;
    double next = beta - slope / curvature;
    if (next <= least && at(least).slope >= 0) {
      return least;
    }
    if (next >= most && at(most).slope <= 0) {
      return most;
    }
    if (!(next > low && next < high)) {  // or not a number
      next = std::sqrt(low * high);
    }
    if (std::abs(next - beta) <= 1e-12 * beta) {
      return next;
    }
    beta = next;
  }
  return beta;
}

/// q: probabilities of all nodes sharpened by beta.
template <class T>
matrix<T> sharpen(const cpu& exec, const matrix<T>& p, double beta) {
  matrix<T> q(p.rows(), p.cols());
  parallel_for(exec, p.rows(), 256, [&](std::size_t first, std::size_t last) {
    std::vector<double> logs(p.cols());
    for (std::size_t v = first; v < last; ++v) {
      std::ranges::transform(p.row(v), logs.begin(), [](T value) { return safe_log(static_cast<double>(value)); });
      const double most = *std::ranges::max_element(logs);
      double sum = 0;
      for (double& value : logs) {
        value = std::exp(beta * (value - most));
        sum += value;
      }
      std::ranges::transform(logs, q.row(v).begin(), [&](double value) { return static_cast<T>(value / sum); });
    }
  });
  return q;
}

}  // namespace graphpatcher
