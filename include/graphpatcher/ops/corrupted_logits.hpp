// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/cpu/corrupted_logits.hpp"
#include "graphpatcher/cuda/corrupted_logits.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/graph_view.hpp"
#include "graphpatcher/operands/frozen_gcn.hpp"
#include "graphpatcher/ops/message_checks.hpp"

namespace graphpatcher {

namespace detail {

template <class T>
void expects_answers(matrix_view<T> answers, std::size_t rows, std::size_t classes, const char* name) {
  if (answers.data() != nullptr) {
    expects_shape(answers, rows, classes, name);
  }
}

}  // namespace detail

/// Answers of a frozen two-layer GCN on corrupted two-hop ego-graphs, without
/// ever building one: what materialise(corrupted_egos(...)) with
/// degree_mode::graph and the model's forward pass would give, to rounding.
///
/// a = anchor, D = its dropped neighbours, S = those that survive; all degrees
/// are those of the whole graph less the edges to D:
///
///   N'(j) = N(j) \ D for j in S,   N'(a) = S
///   only the rows h_a and h_j, j in S, and the logits of a are computed
///
/// Neighbours are drawn with the bits of corrupt() for the same options; with
/// strength 0 every sample is the whole ego-graph. Sums run in the order of
/// message graphs: the row itself, then ascending ids.
///
/// graph, model and answers are in the memory of `exec`; anchors are on the
/// host, any ids, repeats allowed. The graph must be undirected.
template <class T, class S, graph_index I>
void corrupted_logits(const executor& exec, const graph_view<I>& graph, const frozen_gcn<T, S>& model,
                      std::type_identity_t<std::span<const I>> anchors, const corruption_options& options,
                      const std::type_identity_t<corrupted_answers<T>>& answers) {
  expects(graph.undirected,
          "corrupted_logits: expected an undirected graph, every edge in both rows exactly once; "
          "for others use materialise() and the model's forward pass");
  expects(model.norm != normalisation::sum, "corrupted_logits: expected mean or symmetric normalisation, got sum");
  expects<shape_error>(model.projected.rows() == graph.nodes(), "corrupted_logits: expected a projected table of ",
                       graph.nodes(), " nodes, got ", model.projected.rows(), " rows");
  expects<shape_error>(model.hidden() > 0 && model.classes() > 0,
                       "corrupted_logits: expected at least 1 hidden column and 1 class, got ", model.hidden(), " and ",
                       model.classes());
  expects<shape_error>(model.hidden_bias.size() == model.hidden() && model.weight.rows() == model.hidden(),
                       "corrupted_logits: expected ", model.hidden(), " hidden biases and rows of weight, got ",
                       model.hidden_bias.size(), " and ", model.weight.rows());
  expects<shape_error>(model.bias.size() == model.classes(), "corrupted_logits: expected ", model.classes(),
                       " biases, got ", model.bias.size());
  expects_ids(anchors, graph.nodes(), "corrupted_logits: anchors");
  expects(options.strength >= 0.0 && options.strength <= 1.0, "corrupted_logits: expected a strength in [0, 1], got ",
          options.strength);
  expects(options.samples >= 1, "corrupted_logits: expected at least 1 sample, got 0");
  expects(options.estimator == estimator::sampled,
          "corrupted_logits: expected estimator::sampled; exact enumeration needs materialise()");
  const std::size_t pairs = anchors.size() * options.samples;
  detail::expects_answers(answers.logits, pairs, model.classes(), "corrupted_logits: logits");
  detail::expects_answers(answers.probabilities, pairs, model.classes(), "corrupted_logits: probabilities");
  detail::expects_answers(answers.mean_probabilities, anchors.size(), model.classes(),
                          "corrupted_logits: mean_probabilities");
  if (pairs > 0) {
    exec.visit(
        [&](const auto& on) { backend::corrupted_logits<T, S, I>(on, graph, model, anchors, options, answers); });
  }
}

}  // namespace graphpatcher
