// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/data/text_lines.hpp"
#include "graphpatcher/data/text_source.hpp"
#include "graphpatcher/graph/csr_graph.hpp"

namespace graphpatcher {

namespace detail {

/// How much of a table a piece of its text holds.
struct table_tally {
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
};

inline file_error changed_while_read(const text_source& source) {
  return {source.path(), "was changed while it was read; read it again"};
}

/// Numbers on the first line: what every other line must have too.
template <class T>
std::size_t table_width(const text_source& source, std::size_t begin) {
  text_lines lines(source.head().substr(begin), source.options().longest_line);
  std::size_t width = 0;
  try {
    if (lines.next()) {
      for (; !lines.done(); ++width) {
        lines.number<T>("a number");
      }
    }
  } catch (const text_problem& problem) {
    source.fail_at_head(problem);
  }
  return width;
}

/// Calls visit(row of the piece, column, value) for all numbers of a piece and
/// returns the number of rows.
template <class T, class Visit>
std::size_t visit_table(const text_source& source, const text_piece& piece, std::size_t width, Visit&& visit) {
  text_lines lines(piece.lines, source.options().longest_line);
  std::size_t row = 0;
  for (; lines.next(); ++row) {
    std::size_t column = 0;
    for (; !lines.done(); ++column) {
      const T value = lines.number<T>("a number");
      if (column < width) {
        visit(row, column, value);
      }
    }
    if (column != width) {
      lines.fail(text("expected ", width, " numbers, as on the first line, got ", column));
    }
  }
  return row;
}

}  // namespace detail

/// A table of numbers, a line a row, as sparse rows. Goes through the text
/// twice: to count the non-zeros, then to put them in place.
template <class T, graph_index I>
sparse_matrix<T, I> read_text_table(text_source& source, text_header header = text_header::automatic) {
  const std::size_t begin = detail::header_length(source.head(), header);
  source.skip(begin);
  const std::size_t width = detail::table_width<T>(source, begin);
  detail::expects_index_fits<I>(width, "columns");
  auto starts = source.map_pieces([&](const text_piece& piece) {
    detail::table_tally tally;
    tally.rows = detail::visit_table<T>(source, piece, width,
                                        [&](std::size_t, std::size_t, T value) { tally.nonzeros += value != T(0); });
    return tally;
  });
  detail::table_tally total;
  for (auto& piece : starts) {  // how much it holds becomes where it begins
    const auto here = std::exchange(piece, total);
    total = {total.rows + here.rows, total.nonzeros + here.nonzeros};
  }
  starts.push_back(total);
  detail::expects_index_fits<I>(total.nonzeros, "numbers other than 0");

  std::vector<I> offsets(total.rows + 1, 0);
  std::vector<I> columns(total.nonzeros);
  std::vector<T> values(total.nonzeros);
  source.map_pieces([&](const text_piece& piece) {
    if (piece.number + 1 >= starts.size()) {
      throw detail::changed_while_read(source);
    }
    const auto [first_row, first_value] = starts[piece.number];
    const auto [end_row, end_value] = starts[piece.number + 1];
    std::size_t next = first_value;
    const std::size_t rows = detail::visit_table<T>(
        source, piece, width,
        [&, first = first_row, last = end_row, end = end_value](std::size_t row, std::size_t column, T value) {
          if (first + row >= last || (value != T(0) && next == end)) [[unlikely]] {
            throw detail::changed_while_read(source);
          }
          if (value != T(0)) {
            columns[next] = static_cast<I>(column);
            values[next++] = value;
          }
          offsets[first + row + 1] = static_cast<I>(next);
        });
    if (first_row + rows != end_row || next != end_value) {
      throw detail::changed_while_read(source);
    }
    return 0;
  });
  return {total.rows, width, std::move(offsets), std::move(columns), std::move(values)};
}

/// A column of integers, a line each, all in [least, below).
template <graph_index I>
std::vector<I> read_text_column(text_source& source, const char* what, std::int64_t least, std::int64_t below,
                                text_header header = text_header::automatic) {
  source.skip(detail::header_length(source.head(), header));
  const auto pieces = source.map_pieces([&](const text_piece& piece) {
    std::vector<I> numbers;
    text_lines lines(piece.lines, source.options().longest_line);
    while (lines.next()) {
      const auto number = lines.number<std::int64_t>(what);
      if (number < least || number >= below) {
        lines.fail(text("expected ", what, " in [", least, ", ", below, "), got ", number));
      }
      lines.expect_done("one number on a line");
      numbers.push_back(static_cast<I>(number));
    }
    return numbers;
  });
  std::vector<I> all;
  for (const auto& piece : pieces) {
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

}  // namespace graphpatcher
