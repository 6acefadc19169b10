// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/degrees.hpp"
#include "graphpatcher/patcher/config.hpp"
#include "graphpatcher/patcher/detail/rows_of.hpp"

/// Which path is taken, and why.
namespace graphpatcher {

/// A backbone that the fast path can take if it has two layers: a GCN, GraphSAGE
/// or GAT of this library, or one with a member rows() of its own, which gives a
/// row_model (patcher/row_model.hpp). A class derived from one may compute
/// something else, so it isn't.
template <class Backbone>
concept has_rows = fast::has_rows<Backbone>;

/// Why test-time patching can't take the fast path; empty if it can.
template <class Backbone>
std::string why_not_fast(const executor& exec, const Backbone& model, degree_mode degree, patch_edge edge) {
  if constexpr (!has_rows<Backbone>) {
    return std::string(fast::why_no_rows<Backbone>());
  } else {
    if (!exec.on_host()) {
      return "it is for the processor, not for a GPU";
    }
    if (model.hops() != 2) {
      return text("it is for backbones of 2 layers, this one has ", model.hops(),
                  model.hops() > 2 ? ": a patch changes more than its anchor then" : "");
    }
    if (edge == patch_edge::undirected) {
      return "an undirected patch changes more than its anchor";
    }
    if (degree == degree_mode::ego && fast::scales_sources_in(model)) {
      return "degrees of the ego-graph differ for every anchor under symmetric normalisation";
    }
    return {};
  }
}

/// Why training can't; empty if it can.
template <class Backbone, graph_index I>
std::string why_not_fast(const executor& exec, const Backbone& model, const csr_graph<I>& graph,
                         const patcher_config& config) {
  if (auto reason = why_not_fast(exec, model, config.degree, config.edge); !reason.empty()) {
    return reason;
  }
  if (config.backprop_through_steps) {
    return "it takes patches as constants for later steps";
  }
  return is_symmetric(graph) ? "" : "the graph is directed";
}

/// The path to take: generic or fast, never automatic. Throws if the fast path
/// was asked for and can't be taken.
inline patch_path choose_path(patch_path wanted, std::string_view why_not) {
  expects(wanted != patch_path::fast || why_not.empty(), "the fast path can't be taken: ", why_not,
          "; use the generic path");
  return wanted != patch_path::generic && why_not.empty() ? patch_path::fast : patch_path::generic;
}

}  // namespace graphpatcher
