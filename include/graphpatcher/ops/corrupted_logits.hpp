// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <type_traits>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/device/corrupted_logits.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/graph_view.hpp"
#include "graphpatcher/operands/frozen_gcn.hpp"
#include "graphpatcher/ops/answer_checks.hpp"

namespace graphpatcher {

/// Answers of a frozen two-layer GCN on corrupted two-hop ego-graphs, on a device
/// and without ever building one: the kernel behind frozen_model there
/// (patcher/frozen_model.hpp). They are what materialise(corrupted_egos(...)) with
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
void corrupted_logits(const device& exec, const graph_view<I>& graph, const frozen_gcn<T, S>& model,
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
  check_answers<T, I>(anchors, graph.nodes(), model.classes(), options, answers, "corrupted_logits");
  expects(options.estimator == estimator::sampled,
          "corrupted_logits: expected estimator::sampled; exact enumeration needs materialise()");
  if (!anchors.empty()) {
    backend::corrupted_logits<T, S, I>(exec, graph, model, anchors, options, answers);
  }
}

}  // namespace graphpatcher
