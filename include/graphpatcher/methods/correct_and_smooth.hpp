// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "graphpatcher/methods/propagate.hpp"

/// Correct and smooth (Huang et al., ICLR 2021). It uses the labels of training nodes at test time, which no other
/// method here does. With P the answers, Y the labels of the training nodes L as rows of 0 and 1, S symmetric:
///
///   correct  E_0 = Y - P on L, 0 elsewhere; E spread by propagated(alpha); each row of E outside of L scaled to
///            sigma = mean over L of |E_0 row|_1; P' = P + E
///   smooth   G_0 = Y on L, P' elsewhere; G = propagated(alpha); below 0 is 0, rows scaled to add up to 1
namespace graphpatcher {

template <class T, graph_index I>
matrix<T> corrected_and_smoothed(const cpu& exec, const dataset<T, I>& data, const matrix<T>& p, double correct,
                                 double smooth, std::size_t steps = 50) {
  const auto row_length = [](std::span<const T> row) {
    double sum = 0;
    for (const T value : row) {
      sum += std::abs(static_cast<double>(value));
    }
    return sum;
  };
  std::vector<char> known(data.nodes(), 0);
  matrix<T> error(p.rows(), p.cols());
  double sigma = 0;
  for (const I node : data.split.train) {
    const auto v = static_cast<std::size_t>(node);
    known[v] = 1;
    std::ranges::transform(p.row(v), error.row(v).begin(), [](T value) { return -value; });
    error(v, static_cast<std::size_t>(data.labels[v])) += T(1);
    sigma += row_length(error.row(v)) / static_cast<double>(data.split.train.size());
  }
  const auto spread = propagated(exec, data.graph, error, correct, steps, propagation::symmetric);
  matrix<T> start = p;
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    const double length = row_length(spread.row(v));
    for (std::size_t c = 0; c < p.cols(); ++c) {
      if (known[v] != 0) {
        start(v, c) = static_cast<std::size_t>(data.labels[v]) == c ? T(1) : T(0);
      } else if (length > 0) {
        start(v, c) += static_cast<T>(sigma / length * static_cast<double>(spread(v, c)));
      }
    }
  }
  auto result = propagated(exec, data.graph, start, smooth, steps, propagation::symmetric);
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    const auto row = result.row(v);
    std::ranges::transform(row, row.begin(), [](T value) { return std::max(value, T(0)); });
    const T sum = static_cast<T>(row_length(row));
    std::ranges::transform(row, row.begin(), [&](T value) { return sum > 0 ? value / sum : T(1) / T(p.cols()); });
  }
  return result;
}

/// The alphas are the likeliest on validation nodes, and so is whether it is done.
struct correct_and_smooth {
  static constexpr method_info info{"correct-and-smooth",
                                    "answers corrected by the errors on training nodes; uses their labels at test time",
                                    method_role::control};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    const auto own = answers_so_far(run);
    likeliest<T, I> choice(*run.data);
    choice.offer(own, "no");
    for (const double correct : {0.1, 0.5}) {
      for (const double smooth : {0.1, 0.2, 0.5}) {
        choice.offer(corrected_and_smoothed(run.exec.host(), *run.data, own, correct, smooth),
                     text("alpha ", correct, " and ", smooth));
      }
    }
    run.settings.set("correct_and_smooth", choice.name());
    run.answer_with(choice.logits());
  }
};

}  // namespace graphpatcher
