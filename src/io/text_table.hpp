// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "io/large_array.hpp"
#include "io/text_blocks.hpp"
#include "io/text_lines.hpp"
#include "io/text_source.hpp"

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

/// What visit_table() would count, without reading the numbers: those with a digit other than 0, and lines with
/// anything in them. False if there is anything but digits, points, signs and separators, such as a comment or an
/// exponent, or if numbers are so long that they may be 0 to a float. What is no number is counted somehow; it is
/// refused when it is read.
inline bool tally_plain_table(std::string_view lines, table_tally& tally) {
  field_counter rows;
  field_counter nonzeros;
  std::uint64_t strange = 0;
  const auto add = [&](const char* block) {
    strange |= block_bits(block, [](sixteen_characters c) { return (c > '9') | ((c > ' ') & (c < '+')); });
    const std::uint64_t ends = block_bits(block, [](sixteen_characters c) { return (c <= ' ') | (c == ','); });
    // The smallest float has 44 zeros behind the point. Of so many characters 24 are in one block.
    std::uint64_t runs = ~ends & (~ends >> 1);
    runs &= runs >> 2;
    runs &= runs >> 4;
    strange |= runs & (runs >> 8) & (runs >> 16);
    nonzeros.add(ends, block_bits(block, [](sixteen_characters c) { return c > '0'; }));
    rows.add(block_bits(block, [](sixteen_characters c) { return c == '\n'; }),
             block_bits(block, [](sixteen_characters c) { return c > ' '; }));
  };
  std::size_t done = 0;
  for (; lines.size() - done >= block_size; done += block_size) {
    add(lines.data() + done);
  }
  std::array<char, block_size> rest;
  rest.fill('\n');
  lines.copy(rest.data(), block_size, done);
  add(rest.data());
  tally = {rows.count(), nonzeros.count()};
  return strange == 0;
}

/// The arrays of a table that is read without being counted first.
template <class T, class I>
struct table_arrays {
  std::vector<I> offsets;
  std::vector<I> columns;
  std::vector<T> values;
  bool complete = false;  ///< nothing was left out for want of room

  /// Room for what a packed text holds, judged by its head, and a little more. None if the text is small or packed so
  /// well that a guess may be far off: it is quick to unpack.
  table_arrays(const text_source& source, std::size_t begin) {
    const std::string_view head = source.head().substr(begin);
    const std::string_view whole = head.substr(0, head.rfind('\n') + 1);
    const double share = 1.05 * source.likely_length() / static_cast<double>(std::max<std::size_t>(whole.size(), 1));
    table_tally tally;
    if (source.packed() && source.size() >= std::size_t{1} << 20 && !whole.empty() &&
        source.likely_length() < 20 * static_cast<double>(source.size()) && tally_plain_table(whole, tally)) {
      const auto room = static_cast<std::size_t>(share * static_cast<double>(tally.nonzeros)) + 1;
      offsets.reserve(static_cast<std::size_t>(share * static_cast<double>(tally.rows)) + 2);
      columns.reserve(room);
      values.reserve(room);
      complete = true;
    }
  }

  /// Whether a number could be kept; from the first one that could not, none is.
  bool add(std::size_t column, T value) {
    const bool begins = column == 0;
    complete = complete && offsets.size() + begins < offsets.capacity() && values.size() < values.capacity();
    if (complete) {
      if (begins) {
        offsets.push_back(static_cast<I>(values.size()));
      }
      if (value != T(0)) {
        columns.push_back(static_cast<I>(column));
        values.push_back(value);
      }
    }
    return complete;
  }

  /// Ends the last row. Arrays with much room left are not used either.
  bool finish() {
    complete = complete && values.size() * 5 >= values.capacity() * 4;
    offsets.push_back(static_cast<I>(values.size()));
    return complete;
  }
};

/// Counts what is in a piece, and keeps it as long as there is room.
template <class T, class I>
table_tally tally_table(const text_source& source, const text_piece& piece, std::size_t width,
                        table_arrays<T, I>& kept) {
  table_tally tally;
  if (kept.complete || !tally_plain_table(piece.lines, tally)) {
    tally.nonzeros = 0;
    tally.rows = visit_table<T>(source, piece, width, [&](std::size_t, std::size_t column, T value) {
      tally.nonzeros += value != T(0);
      kept.add(column, value);
    });
  }
  return tally;
}

}  // namespace detail

/// A table of numbers, a line a row, as sparse rows. Goes through the text
/// twice: to count the non-zeros, then to put them in place. A packed text is
/// gone through once if its head tells how much room it needs.
template <class T, graph_index I>
sparse_matrix<T, I> read_text_table(text_source& source, text_header header = text_header::automatic) {
  const std::size_t begin = detail::header_length(source.head(), header);
  source.skip(begin);
  const std::size_t width = detail::table_width<T>(source, begin);
  expects_index_fits<I>(width, "columns");
  std::optional<detail::table_arrays<T, I>> kept(std::in_place, source, begin);
  auto starts = source.map_pieces(
      [&](const text_piece& piece) { return detail::tally_table<T, I>(source, piece, width, *kept); });
  detail::table_tally total;
  for (auto& piece : starts) {  // how much it holds becomes where it begins
    const auto here = std::exchange(piece, total);
    total = {total.rows + here.rows, total.nonzeros + here.nonzeros};
  }
  starts.push_back(total);
  expects_index_fits<I>(total.nonzeros, "numbers other than 0");
  if (kept->finish()) {
    return {total.rows, width, std::move(kept->offsets), std::move(kept->columns), std::move(kept->values)};
  }
  kept.reset();

  std::vector<I> offsets(total.rows + 1, 0);
  auto columns = detail::zeros<I>(source.options().exec, total.nonzeros);
  auto values = detail::zeros<T>(source.options().exec, total.nonzeros);
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
