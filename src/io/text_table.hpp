// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/feature_table.hpp"
#include "io/feature_storage.hpp"
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

/// The arrays of a table that is read without being counted first: sparse rows, or all numbers of a dense one.
template <class T, class I>
struct table_arrays {
  std::vector<I> offsets;
  std::vector<I> columns;
  std::vector<T> values;
  bool dense = false;
  bool complete = false;  ///< nothing was left out for want of room

  /// Room for what a packed text holds, judged by its head, and a little more. None if the text is small or packed so
  /// well that a guess may be far off: it is quick to unpack.
  table_arrays(const text_source& source, std::size_t begin, std::size_t width) {
    const std::string_view head = source.head().substr(begin);
    const std::string_view whole = head.substr(0, head.rfind('\n') + 1);
    const double share = 1.05 * source.likely_length() / static_cast<double>(std::max<std::size_t>(whole.size(), 1));
    table_tally tally;
    if (source.packed() && source.size() >= std::size_t{1} << 20 && !whole.empty() &&
        source.likely_length() < 20 * static_cast<double>(source.size()) && tally_plain_table(whole, tally)) {
      dense = stays_dense(tally.nonzeros, tally.rows, width);
      const std::size_t kept = dense ? tally.rows * width : tally.nonzeros;
      const auto room = static_cast<std::size_t>(share * static_cast<double>(kept)) + 1;
      values.reserve(room);
      if (!dense) {
        offsets.reserve(static_cast<std::size_t>(share * static_cast<double>(tally.rows)) + 2);
        columns.reserve(room);
      }
      complete = true;
    }
  }

  /// Whether a number could be kept; from the first one that could not, none is.
  bool add(std::size_t column, T value) {
    if (dense) {
      complete = complete && values.size() < values.capacity();
      if (complete) {
        values.push_back(value);
      }
      return complete;
    }
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

  /// Ends the last row. Arrays with much room left are not used either, nor those of a table of the other kind than its
  /// head.
  bool finish(bool is_dense) {
    complete = complete && dense == is_dense && values.size() * 5 >= values.capacity() * 4;
    if (complete && !dense) {
      offsets.push_back(static_cast<I>(values.size()));
    }
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

/// Calls fill(piece, first row, first value, end row, end value) for every piece of a text that has been tallied;
/// `starts` has where each begins, and the end. It returns where its piece ended.
template <class Fill>
void fill_pieces(text_source& source, const std::vector<table_tally>& starts, Fill&& fill) {
  source.map_pieces([&](const text_piece& piece) {
    if (piece.number + 1 >= starts.size()) {
      throw changed_while_read(source);
    }
    const table_tally end = fill(piece, starts[piece.number], starts[piece.number + 1]);
    if (end.rows != starts[piece.number + 1].rows || end.nonzeros != starts[piece.number + 1].nonzeros) {
      throw changed_while_read(source);
    }
    return 0;
  });
}

/// All numbers of a table that has been tallied.
template <class T>
matrix<T> fill_dense_table(text_source& source, const std::vector<table_tally>& starts, std::size_t width) {
  matrix<T> result(cpu{}, starts.back().rows, width, contents::anything);
  want_large_pages(source.options().exec, result.data(), result.size() * sizeof(T));
  fill_pieces(source, starts, [&](const text_piece& piece, const table_tally& begin, const table_tally& end) {
    std::size_t nonzeros = begin.nonzeros;
    const std::size_t rows = visit_table<T>(source, piece, width, [&](std::size_t row, std::size_t column, T value) {
      if (begin.rows + row >= end.rows) [[unlikely]] {
        throw changed_while_read(source);
      }
      result.data()[(begin.rows + row) * width + column] = value;
      nonzeros += value != T(0);
    });
    return table_tally{begin.rows + rows, nonzeros};
  });
  return result;
}

/// The non-zeros of such a table.
template <class T, class I>
sparse_matrix<T, I> fill_sparse_table(text_source& source, const std::vector<table_tally>& starts, std::size_t width) {
  const table_tally total = starts.back();
  std::vector<I> offsets(total.rows + 1, 0);
  auto columns = zeros<I>(source.options().exec, total.nonzeros);
  auto values = zeros<T>(source.options().exec, total.nonzeros);
  fill_pieces(source, starts, [&](const text_piece& piece, const table_tally& begin, const table_tally& end) {
    std::size_t next = begin.nonzeros;
    const std::size_t rows = visit_table<T>(
        source, piece, width,
        [&, first = begin.rows, last = end.rows, stop = end.nonzeros](std::size_t row, std::size_t column, T value) {
          if (first + row >= last || (value != T(0) && next == stop)) [[unlikely]] {
            throw changed_while_read(source);
          }
          if (value != T(0)) {
            columns[next] = static_cast<I>(column);
            values[next++] = value;
          }
          offsets[first + row + 1] = static_cast<I>(next);
        });
    return table_tally{begin.rows + rows, next};
  });
  return {total.rows, width, std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace detail

/// A table of numbers, a line a row: dense, or the non-zeros alone (stays_dense).
/// Goes through the text twice: to count the non-zeros, then to put the numbers in
/// place. A packed text is gone through once if its head tells how much room it needs.
template <class T, graph_index I>
feature_table<T, I> read_text_table(text_source& source, text_header header = text_header::automatic) {
  const std::size_t begin = detail::header_length(source.head(), header);
  source.skip(begin);
  const std::size_t width = detail::table_width<T>(source, begin);
  expects_index_fits<I>(width, "columns");
  std::optional<detail::table_arrays<T, I>> kept(std::in_place, source, begin, width);
  auto starts = source.map_pieces(
      [&](const text_piece& piece) { return detail::tally_table<T, I>(source, piece, width, *kept); });
  detail::table_tally total;
  for (auto& piece : starts) {  // how much it holds becomes where it begins
    const auto here = std::exchange(piece, total);
    total = {total.rows + here.rows, total.nonzeros + here.nonzeros};
  }
  starts.push_back(total);
  const bool dense = detail::stays_dense(total.nonzeros, total.rows, width);
  if (!dense) {
    expects_index_fits<I>(total.nonzeros, "numbers other than 0");
  }
  if (kept->finish(dense)) {
    if (dense) {
      const auto numbers = std::make_shared<const std::vector<T>>(std::move(kept->values));
      return dense_table::view_of(matrix_view<const T>(numbers->data(), total.rows, width), numbers);
    }
    return sparse_matrix<T, I>(total.rows, width, std::move(kept->offsets), std::move(kept->columns),
                               std::move(kept->values));
  }
  kept.reset();
  if (dense) {
    return detail::fill_dense_table<T>(source, starts, width);
  }
  return detail::fill_sparse_table<T, I>(source, starts, width);
}

}  // namespace graphpatcher
