// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

/// The edges that one layer sums over, in the memory of the executor that reads
/// them. Row i receives from sources[offsets[i] .. offsets[i + 1]). The same
/// edges seen from their sources stand beside them, for adjoints: source j
/// sends to receivers[reverse_offsets[j] .. reverse_offsets[j + 1]), ascending,
/// through the edges reverse_edges (positions in `sources`). Receivers from
/// rows() on belong to rows that this layer leaves out.
template <graph_index I>
struct edge_view {
  std::span<const I> offsets;  ///< rows() + 1
  std::span<const I> sources;  ///< one an edge
  std::size_t source_rows = 0;
  std::size_t longest_row = 0;  ///< most edges of a row; 0: not known

  std::span<const I> reverse_offsets = {};  ///< at least source_rows + 1, or empty: no adjoint wanted
  std::span<const I> receivers = {};
  std::span<const I> reverse_edges = {};
  std::size_t longest_reverse_row = 0;

  std::size_t rows() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::size_t edges() const noexcept { return sources.size(); }
};

}  // namespace graphpatcher
