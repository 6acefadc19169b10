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

/// The logarithm of the likelihood of labels, sum log q[y], as a function of beta: with its slope, sum (log p[y] -
/// E_q[log p]), and its curvature, sum Var_q[log p], by which the slope falls.
struct likelihood_at {
  double value = 0;
  double slope = 0;
  double curvature = 0;

  /// Adds a row with its label.
  void add(std::span<const double> logs, std::size_t label, double beta) {
    const double highest = *std::ranges::max_element(logs);
    double total = 0, mean = 0, square = 0;
    for (const double log : logs) {
      const double below = log - highest, share = below < 0 ? std::exp(beta * below) : 1.0;
      total += share;
      mean += share * below;
      square += share * below * below;
    }
    mean /= total;
    const double own = logs[label] - highest;
    value += std::max(beta * own - std::log(total), std::log(least_probability));
    slope += own - mean;
    curvature += square / total - mean * mean;
  }

  likelihood_at& operator+=(const likelihood_at& other) {
    value += other.value;
    slope += other.slope;
    curvature += other.curvature;
    return *this;
  }
};

/// Of the rows of `logs` that are named; labels[i] belongs to row i.
inline likelihood_at likelihood_of(matrix_view<const double> logs, std::span<const std::size_t> labels,
                                   std::span<const std::size_t> rows, double beta) {
  likelihood_at sum;
  for (const std::size_t i : rows) {
    sum.add(logs.row(i), labels[i], beta);
  }
  return sum;
}

/// Where a search for a temperature begins and ends. The last step is at most `precision` of beta; the error that is
/// left is about the square of that.
struct temperature_search {
  double start = 1;
  double precision = 1e-6;
};

struct fitted_temperature {
  double beta = 1;
  double log_likelihood = 0;  ///< by the last step's parabola
};

/// beta of the rows of `logs` that are named; labels[i] belongs to row i. The slope is monotone in beta, so its root
/// is found by Newton's steps, and by halves of log beta where such a step leaves the bracket. The start where nothing
/// speaks for another number: no rows, or rows that are all flat.
inline fitted_temperature search_temperature(matrix_view<const double> logs, std::span<const std::size_t> labels,
                                             std::span<const std::size_t> rows, const temperature_search& search) {
  constexpr double least = 0.1, most = 40;
  const auto at = [&](double beta) { return likelihood_of(logs, labels, rows, beta); };
  double low = least, high = most, beta = std::clamp(search.start, least, most);
  likelihood_at now;
  for (int step = 0; step < 100; ++step) {
    now = at(beta);
    if (now.slope == 0) {
      break;
    }
    (now.slope < 0 ? high : low) = beta;
    double next = beta + now.slope / now.curvature;
    for (const double end : {least, most}) {
      if (end == least ? next <= least : next >= most) {
        const auto there = at(end);
        if (end == least ? there.slope <= 0 : there.slope >= 0) {
          return {end, there.value};
        }
      }
    }
    if (!(next > low && next < high)) {  // or not a number
      next = std::sqrt(low * high);
    }
    const double change = next - beta;
    if (std::abs(change) <= search.precision * beta) {
      return {next, now.value + change * (now.slope - change * now.curvature / 2)};
    }
    beta = next;
  }
  return {beta, now.value};
}
inline double fit_temperature(matrix_view<const double> logs, std::span<const std::size_t> labels,
                              std::span<const std::size_t> rows, const temperature_search& search = {}) {
  return search_temperature(logs, labels, rows, search).beta;
}

/// softmax(beta log p) of a row of probabilities.
template <class T>
void sharpen_row(std::span<const T> p, double beta, std::span<T> q) {
  double most = least_probability;
  for (const T value : p) {
    most = std::max(most, static_cast<double>(value));
  }
  double sum = 0;
  for (std::size_t c = 0; c < p.size(); ++c) {
    const double share = std::max(static_cast<double>(p[c]), least_probability) / most;
    const double power = share < 1 ? std::exp(beta * std::log(share)) : 1.0;
    q[c] = static_cast<T>(power);
    sum += power;
  }
  for (T& value : q) {
    value = static_cast<T>(static_cast<double>(value) / sum);
  }
}

/// q: probabilities of all nodes sharpened by beta.
template <class T>
matrix<T> sharpen(const cpu& exec, const matrix<T>& p, double beta) {
  matrix<T> q(p.rows(), p.cols());
  parallel_for(exec, p.rows(), 256, [&](std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
      sharpen_row<T>(p.row(v), beta, q.row(v));
    }
  });
  return q;
}

}  // namespace graphpatcher
