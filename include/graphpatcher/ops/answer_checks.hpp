// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/operands/frozen_gcn.hpp"
#include "graphpatcher/ops/detail/message_checks.hpp"

/// What everybody who answers for corrupted ego-graphs checks before writing;
/// `name` stands in front of the message.
namespace graphpatcher {

/// Whether anybody wants these numbers: a view of nothing at all says no.
template <class T>
bool is_wanted(matrix_view<T> answers) noexcept {
  return answers.data() != nullptr || answers.rows() != 0 || answers.cols() != 0;
}

namespace detail {

template <class T>
void expects_answer(matrix_view<T> answer, std::size_t rows, std::size_t classes, const char* name, const char* part,
                    const char* rows_are) {
  expects<shape_error>(!is_wanted(answer) || (answer.rows() == rows && answer.cols() == classes), name, ": ", part,
                       ": expected ", rows, " x ", classes, " (", rows_are, " x classes), got ", answer.rows(), " x ",
                       answer.cols());
}

}  // namespace detail

/// Throws unless the anchors are nodes, the options make sense and what is
/// wanted has a row for every pair, or for every anchor.
template <class T, graph_index I>
void check_answers(std::span<const I> anchors, std::size_t nodes, std::size_t classes,
                   const corruption_options& options, const std::type_identity_t<corrupted_answers<T>>& answers,
                   const char* name) {
  expects_ids(anchors, nodes, name);
  expects(options.strength >= 0.0 && options.strength <= 1.0, name, ": expected a strength in [0, 1], got ",
          options.strength);
  expects(options.samples >= 1, name, ": expected at least 1 sample, got 0");
  const std::size_t pairs = checked_product<T>(name, anchors.size(), options.samples);
  detail::expects_answer(answers.logits, pairs, classes, name, "logits", "anchors * samples");
  detail::expects_answer(answers.probabilities, pairs, classes, name, "probabilities", "anchors * samples");
  detail::expects_answer(answers.mean_probabilities, anchors.size(), classes, name, "mean_probabilities", "anchors");
  expects(options.estimator == estimator::sampled || (!is_wanted(answers.logits) && !is_wanted(answers.probabilities)),
          name, ": expected estimator::sampled for answers sample by sample; estimator::exact has ",
          "mean_probabilities only");
}

}  // namespace graphpatcher
