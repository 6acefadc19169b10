// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "io/text_lines.hpp"
#include "io/text_source.hpp"

namespace graphpatcher {

/// Features and classes of all nodes.
template <class T, graph_index I>
struct geom_gcn_nodes {
  sparse_matrix<T, I> features;
  std::vector<I> labels;
};

namespace detail {

/// What the first pass keeps of a line.
struct geom_gcn_line {
  std::int64_t id = 0;
  std::int64_t label = 0;
  std::size_t nonzeros = 0;
};

/// How out1_node_feature_label.txt writes features: a value for each column, or
/// `listed`, the columns that are 1, in any order and some of them twice.
struct geom_gcn_columns {
  bool listed = false;
  std::size_t width = 0;
};

/// The one integer of a field.
inline std::int64_t only_integer(std::string_view part, const char* what) {
  text_lines field(part);
  if (!field.next()) {
    throw text_problem{part.data(), text("expected ", what, ", got nothing")};
  }
  const auto value = field.number<std::int64_t>(what);
  field.expect_done(what);
  return value;
}

/// Reads id TAB features TAB label. The features go to `row`, by column, each
/// column once.
template <class T, class I>
geom_gcn_line read_geom_gcn_line(const text_lines& line, geom_gcn_columns columns, std::vector<std::pair<I, T>>& row) {
  const std::string_view all = line.line();
  const std::size_t first = all.find('\t');
  const std::size_t second = first == std::string_view::npos ? first : all.find('\t', first + 1);
  if (second == std::string_view::npos) {
    line.fail("expected a node's id, its features and its class, with a tab between them");
  }
  row.clear();
  text_lines field(all.substr(first + 1, second - first - 1));
  std::size_t count = 0;
  if (field.next()) {
    for (; !field.done(); ++count) {
      if (columns.listed) {
        const auto column = field.number<std::int64_t>("a feature's column");
        if (column < 0 || static_cast<std::size_t>(column) >= columns.width) {
          line.fail(text("expected a feature's column in [0, ", columns.width, "), got ", column));
        }
        row.emplace_back(static_cast<I>(column), T(1));
      } else if (const T value = field.number<T>("a feature"); value != T(0)) {
        row.emplace_back(static_cast<I>(count), value);
      }
    }
  }
  if (!columns.listed && count != columns.width) {
    line.fail(text("expected ", columns.width, " features, as on the first line, got ", count));
  }
  if (columns.listed) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return {only_integer(all.substr(0, first), "a node's id"), only_integer(all.substr(second + 1), "a class"),
          row.size()};
}

/// From the header, feature_amount:N with the largest column of listed features,
/// or else from the first line.
inline geom_gcn_columns find_geom_gcn_columns(const text_source& source, std::size_t begin) {
  constexpr std::string_view mark = "feature_amount:";
  const std::string_view header = source.head().substr(0, begin);
  if (const std::size_t at = header.find(mark); at != std::string_view::npos) {
    const char* const number = header.data() + at + mark.size();
    std::uint32_t largest = 0;
    if (std::from_chars(number, header.data() + header.size(), largest).ec != std::errc{} || largest > 1u << 30) {
      source.fail_at_head({number, "expected a number of at most 1073741824 after feature_amount:"});
    }
    return {true, std::size_t{largest} + 1};
  }
  text_lines lines(source.head().substr(begin), source.options().longest_line);
  const std::string_view line = lines.next() ? lines.line() : std::string_view{};
  const auto features = line.substr(std::min(line.find('\t'), line.size()), line.rfind('\t') - line.find('\t'));
  return {false, 1 + static_cast<std::size_t>(std::count(features.begin(), features.end(), ','))};
}

/// Throws about line number `index` of a piece, by going there again.
[[noreturn]] inline void fail_at_line(const text_source& source, std::size_t piece_number, std::size_t index,
                                      const std::string& what) {
  source.map_pieces([&](const text_piece& piece) {
    text_lines lines(piece.lines);
    for (std::size_t i = 0; piece.number == piece_number && lines.next(); ++i) {
      if (i == index) {
        lines.fail(what);
      }
    }
    return 0;
  });
  throw format_error(source.path(), 0, what);  // the file has changed since
}

}  // namespace detail

/// Reads out1_node_feature_label.txt: a header, then id TAB features TAB class,
/// in any order of ids, which are those from 0 to one less than there are lines.
/// Goes through the text twice: to count, then to put the features in place.
template <class T, graph_index I>
geom_gcn_nodes<T, I> read_geom_gcn_nodes(text_source& source) {
  const std::size_t begin = detail::header_length(source.head(), text_header::present);
  source.skip(begin);
  const auto format = detail::find_geom_gcn_columns(source, begin);
  const auto pieces = source.map_pieces([&](const text_piece& piece) {
    std::vector<detail::geom_gcn_line> part;
    std::vector<std::pair<I, T>> row;
    text_lines lines(piece.lines, source.options().longest_line);
    while (lines.next()) {
      part.push_back(detail::read_geom_gcn_line(lines, format, row));
    }
    return part;
  });

  std::size_t count = 0;
  for (const auto& piece : pieces) {
    count += piece.size();
  }
  if (count == 0) {
    throw format_error(source.path(), begin, "expected a line for each node, got none");
  }
  expects_index_fits<I>(count, "nodes");
  geom_gcn_nodes<T, I> nodes;
  nodes.labels.resize(count);
  std::vector<std::size_t> ends(count + 1, 0);
  std::vector<char> seen(count, 0);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    for (std::size_t i = 0; i < pieces[p].size(); ++i) {
      const auto& line = pieces[p][i];
      const auto id = static_cast<std::size_t>(line.id);  // a negative one is above any count
      if (id >= count || seen[id] != 0) {
        detail::fail_at_line(source, p, i,
                             text("expected each id in [0, ", count, ") once, one for each line, got ", line.id,
                                  id < count ? " again" : ""));
      }
      if (line.label < -1 || line.label >= static_cast<std::int64_t>(count)) {
        detail::fail_at_line(source, p, i,
                             text("expected a class in [0, ", count, ") or -1 for unknown, got ", line.label));
      }
      seen[id] = 1;
      ends[id + 1] = line.nonzeros;
      nodes.labels[id] = static_cast<I>(line.label);
    }
  }
  for (std::size_t v = 0; v < count; ++v) {
    ends[v + 1] += ends[v];
  }
  expects_index_fits<I>(ends.back(), "features other than 0");
  std::vector<I> columns(ends.back());
  std::vector<T> values(ends.back());
  source.map_pieces([&](const text_piece& piece) {
    std::vector<std::pair<I, T>> row;
    text_lines lines(piece.lines, source.options().longest_line);
    while (lines.next()) {
      const auto line = detail::read_geom_gcn_line(lines, format, row);
      const auto id = static_cast<std::size_t>(line.id);
      if (id >= count || row.size() != ends[id + 1] - ends[id]) {
        throw file_error(source.path(), "was changed while it was read; read it again");
      }
      for (std::size_t i = 0; i < row.size(); ++i) {
        std::tie(columns[ends[id] + i], values[ends[id] + i]) = row[i];
      }
    }
    return 0;
  });
  nodes.features = {count, format.width, std::vector<I>(ends.begin(), ends.end()), std::move(columns),
                    std::move(values)};
  return nodes;
}

}  // namespace graphpatcher
