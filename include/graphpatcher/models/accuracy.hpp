// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// Share of rows, in [0, 1], whose largest logit is that of their label: row
/// rows[i] of the logits belongs to labels[i]. Ties go to the lower class.
/// Training chooses its best weights by it; eval/metrics.hpp has the final scores.
template <class T, graph_index I>
double share_right(matrix_view<const T> logits, std::span<const I> rows, std::span<const I> labels) {
  expects<shape_error>(rows.size() == labels.size() && !rows.empty(),
                       "accuracy: expected a label for each of some rows, ", "got ", labels.size(), " for ",
                       rows.size());
  std::size_t right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    expects<index_error>(rows[i] >= 0 && static_cast<std::size_t>(rows[i]) < logits.rows() && logits.cols() > 0,
                         "accuracy: row ", rows[i], " of logits that are ", logits.rows(), " x ", logits.cols());
    const auto row = logits.row(static_cast<std::size_t>(rows[i]));
    expects<numeric_error>(std::ranges::all_of(row, [](T value) { return std::isfinite(value); }),
                           "accuracy: expected finite logits, got others; try a smaller learning rate");
    right += std::ranges::max_element(row) - row.begin() == static_cast<std::ptrdiff_t>(labels[i]) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(rows.size());
}

/// Mean over rows of log softmax(logits)[label]. 0 is perfect; an even guess has log(1 / classes).
template <class T, graph_index I>
double mean_log_likelihood(matrix_view<const T> logits, std::span<const I> rows, std::span<const I> labels) {
  share_right<T, I>(logits, rows, labels);  // says what is wrong with its input
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = logits.row(static_cast<std::size_t>(rows[i]));
    const auto label = static_cast<std::size_t>(labels[i]);
    expects<index_error>(labels[i] >= 0 && label < row.size(), "likelihood: expected labels in [0, ", row.size(),
                         "), got ", labels[i]);
    const T largest = *std::ranges::max_element(row);
    double total = 0;
    for (const T value : row) {
      total += std::exp(static_cast<double>(value - largest));
    }
    sum += static_cast<double>(row[label] - largest) - std::log(total);
  }
  return sum / static_cast<double>(rows.size());
}

}  // namespace graphpatcher
