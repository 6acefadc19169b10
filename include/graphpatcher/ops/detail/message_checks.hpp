// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/cpu/id_checks.hpp"
#include "graphpatcher/graph/message_graph.hpp"

/// What operations over edges check before they trust their indices. The cost
/// is one pass over the indices, small beside the rows they point to.
namespace graphpatcher {

/// Throws unless every id lies in [0, count).
template <graph_index I>
void expects_ids(std::span<const I> ids, std::size_t count, const char* name) {
  if (!backend::ids_are_below<I>(ids, count)) [[unlikely]] {
    const auto outside = [count](I id) { return id < 0 || static_cast<std::size_t>(id) >= count; };
    const auto first = std::find_if(ids.begin(), ids.end(), outside);
    throw index_error(
        text(name, ": expected ids in [0, ", count, "), got ", *first, " at position ", first - ids.begin()));
  }
}

/// Throws unless `offsets` cut `entries` items into `segments` segments.
template <graph_index I>
void expects_offsets(std::span<const I> offsets, std::size_t segments, std::size_t entries, const char* name) {
  expects<shape_error>(!offsets.empty() && offsets.size() - 1 == segments, name, ": expected ", segments + 1,
                       " offsets for ", segments, " rows, got ", offsets.size());
  expects<shape_error>(offsets.front() == 0 && static_cast<std::size_t>(offsets.back()) == entries, name,
                       ": expected offsets from 0 to ", entries, ", got ", offsets.front(), " to ", offsets.back());
  if (!backend::offsets_rise<I>(offsets)) [[unlikely]] {
    const auto at = std::adjacent_find(offsets.begin(), offsets.end(), std::greater<>()) - offsets.begin();
    throw shape_error(text(name, ": offsets fall at row ", at));
  }
}

/// Throws unless the rows of `block` exist in its graph and their edges are there.
template <graph_index I>
void expects_rows(const message_block<I>& block, const char* name) {
  const auto& graph = block.graph();
  expects<shape_error>(block.rows() < graph.offsets.size() && block.rows() <= block.source_rows() &&
                           block.source_rows() <= graph.nodes(),
                       name, ": a block of ", block.rows(), " rows with ", block.source_rows(),
                       " source rows does not fit a message graph of ", graph.nodes(), " nodes");
  expects<shape_error>(graph.offsets[block.rows()] >= 0 && block.edges() <= graph.sources.size(), name, ": expected ",
                       graph.offsets[block.rows()], " sources, got ", graph.sources.size());
  expects_offsets(block.offsets(), block.rows(), block.edges(), name);
}

/// The same of an operation that reads from the sources of a block: all must be among its source rows.
template <graph_index I>
void expects_block(const message_block<I>& block, const char* name) {
  expects_rows(block, name);
  expects_ids(block.sources(), block.source_rows(), name);
}

}  // namespace graphpatcher
