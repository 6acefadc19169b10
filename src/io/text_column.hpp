// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "io/text_lines.hpp"
#include "io/text_source.hpp"

namespace graphpatcher {

/// Throws about the first empty line if lines follow it: where line i is that of node i, it is a node without anything.
inline void expect_no_empty_line(const text_source& source, const char* wanted) {
  struct finding {
    bool lines = false;   // that are not empty
    bool before = false;  // an empty line before the last of them
    bool empty = false;   // an empty line anywhere
  };
  const auto pieces = source.map_pieces([&](const text_piece& piece) {
    finding found;
    text_lines lines(piece.lines, source.options().longest_line);
    while (lines.next()) {
      found.lines = true;
      found.before = lines.empty_line() != nullptr;
    }
    found.empty = lines.empty_line() != nullptr;
    return found;
  });
  bool empty = false;  // in the pieces so far
  bool before = false;
  for (const auto& found : pieces) {
    before = before || found.before || (empty && found.lines);
    empty = empty || found.empty;
  }
  if (before) {  // then the first of all empty lines is such a one
    source.map_pieces([&](const text_piece& piece) {
      text_lines lines(piece.lines);
      while (lines.next()) {
      }
      if (lines.empty_line() != nullptr) {
        throw text_problem{lines.empty_line(), text("expected ", wanted, ", got an empty line")};
      }
      return 0;
    });
  }
}

/// A column of integers, a line each, all in [least, below). With a `first_id`, a line may have its number before it:
/// first_id, first_id + 1, ...
template <graph_index I>
std::vector<I> read_text_column(text_source& source, const char* what, std::int64_t least, std::int64_t below,
                                text_header header = text_header::automatic,
                                std::optional<std::int64_t> first_id = {}) {
  struct column_part {
    std::vector<I> numbers;
    std::vector<std::int64_t> ids;  // of the lines that have one
    bool empty_line = false;
  };
  source.skip(detail::header_length(source.head(), header));
  const auto pieces = source.map_pieces([&](const text_piece& piece) {
    column_part part;
    text_lines lines(piece.lines, source.options().longest_line);
    while (lines.next()) {
      auto number = lines.number<std::int64_t>(what);
      if (first_id && !lines.done()) {
        part.ids.push_back(number);
        number = lines.number<std::int64_t>(what);
      }
      if (number < least || number >= below) {
        lines.fail(text("expected ", what, " in [", least, ", ", below, "), got ", number));
      }
      lines.expect_done("one number on a line",
                        first_id ? "" : "; if the first column is the node's id, say so: graph_files::ids");
      part.numbers.push_back(static_cast<I>(number));
    }
    part.empty_line = lines.empty_line() != nullptr;
    return part;
  });
  std::vector<I> all;
  std::vector<std::int64_t> ids;
  bool empty_line = false;
  for (const auto& part : pieces) {
    all.insert(all.end(), part.numbers.begin(), part.numbers.end());
    ids.insert(ids.end(), part.ids.begin(), part.ids.end());
    empty_line = empty_line || part.empty_line;
  }
  if (empty_line) {
    expect_no_empty_line(source, what);
  }
  if (!ids.empty() && ids.size() != all.size()) {
    throw format_error(source.path(), 0,
                       text("expected an id on every line or on none, got ", ids.size(), " of ", all.size()));
  }
  for (std::size_t v = 0; v < ids.size(); ++v) {
    if (const auto id = *first_id + static_cast<std::int64_t>(v); ids[v] != id) {
      throw format_error(source.path(), 0,
                         text("expected the ids of nodes in their order, got ", ids[v], " where that of node ", id,
                              " should be; sort the lines"));
    }
  }
  return all;
}

}  // namespace graphpatcher
