// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "io/matrix_market.hpp"
#include "io/text_lines.hpp"
#include "io/text_source.hpp"

namespace graphpatcher {

struct edge_list_options {
  text_header header = text_header::automatic;
  std::int64_t first_id = 0;  ///< what the file calls the first node; 1 in MatrixMarket, always
  text_options text{};
};

/// An edge as a file lists it, its ids counted from 0.
struct listed_edge {
  std::size_t source;
  std::size_t target;
};

/// The edges of a text file, to be gone through as often as wanted:
///
///   csv, tsv, txt   a line an edge: source and target, and nothing else
///   mtx             MatrixMarket coordinates: a line an entry, row and column,
///                   source and target; its value is checked and left out
///
/// each also packed, with .gz at the end of its name. The suffix decides.
class edge_list {
public:
  explicit edge_list(const std::filesystem::path& path, const edge_list_options& options = {})
      : source_(path, options.text), first_id_(options.first_id) {
    const auto plain = path.extension() == ".gz" ? path.stem() : path;
    if (plain.extension() == ".mtx") {
      market_ = read_matrix_market_header(source_);
      is_market_ = true;
      first_id_ = 1;
      source_.skip(market_.length);
    } else {
      source_.skip(detail::header_length(source_.head(), options.header));
    }
  }

  const std::string& path() const noexcept { return source_.path(); }
  const text_options& options() const noexcept { return source_.options(); }

  /// Whether the list names the mirror image of each edge too, though it has one line.
  bool mirrors() const noexcept { return market_.symmetric; }

  /// Bytes of the file.
  std::size_t size() const noexcept { return source_.size(); }

  /// Calls work(state, lane, edges) for at most 256 edges after another; each
  /// piece of the file has a State of its own, and they are returned in their
  /// order. Several pieces are worked on at once, one of each of at most `lanes`
  /// lanes; the pieces of a lane are the same each time. Ids are in [0, nodes):
  /// another one is a format_error with the line.
  template <class State, class Work>
  std::vector<State> map_edges(std::size_t nodes, std::size_t lanes, const Work& work) const {
    check_stated_nodes(nodes);
    std::atomic<std::uint64_t> entries{0};
    const auto read = [&](const text_piece& piece) {
      State state{};
      std::array<listed_edge, 256> edges;
      std::size_t filled = 0;
      std::uint64_t count = 0;
      text_lines lines(piece.lines, source_.options().longest_line);
      for (listed_edge next; read_edge(lines, nodes, next); ++count) {
        edges[filled++] = next;
        if (market_.symmetric && next.source != next.target) {
          edges[filled++] = {next.target, next.source};
        }
        if (filled + 2 > edges.size()) {
          work(state, piece.lane, std::span<const listed_edge>(edges.data(), std::exchange(filled, 0)));
        }
      }
      work(state, piece.lane, std::span<const listed_edge>(edges.data(), filled));
      entries += count;
      return state;
    };
    auto results = source_.map_pieces(read, lanes);
    if (is_market_ && entries != market_.entries) {
      source_.fail(market_.size_offset, market_.size_line,
                   text("expected ", market_.entries, " entries, as this line says, got ", entries.load()));
    }
    return results;
  }

private:
  [[gnu::always_inline]] bool read_edge(text_lines& lines, std::size_t nodes, listed_edge& next) const {
    std::int64_t from = 0;
    std::int64_t to = 0;
    if (market_.field == matrix_market_field::pattern && lines.next_pair(from, to)) [[likely]] {
      next = {place_of(lines, from, nodes, "a source's id"), place_of(lines, to, nodes, "a target's id")};
      return true;
    }
    return read_any_edge(lines, nodes, next);
  }

  [[gnu::noinline]] bool read_any_edge(text_lines& lines, std::size_t nodes, listed_edge& next) const {
    if (!lines.next()) {
      return false;
    }
    next.source = read_id(lines, nodes, "a source's id");
    next.target = read_id(lines, nodes, "a target's id");
    if (is_market_) {
      read_value(lines);
    } else {
      lines.expect_done("two ids on a line (edges have no weights here)");
    }
    return true;
  }

  std::size_t read_id(text_lines& lines, std::size_t nodes, const char* what) const {
    return place_of(lines, lines.number<std::int64_t>(what), nodes, what);
  }

  std::size_t place_of(const text_lines& lines, std::int64_t id, std::size_t nodes, const char* what) const {
    // The difference wraps for ids below the first one, and is then above any count.
    const auto place = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_id_);
    if (place >= nodes) [[unlikely]] {
      refuse(lines, id, nodes, what);
    }
    return static_cast<std::size_t>(place);
  }

  [[noreturn]] void refuse(const text_lines& lines, std::int64_t id, std::size_t nodes, const char* what) const {
    lines.fail(
        text("expected ", what, " in [", first_id_, ", ", first_id_ + static_cast<std::int64_t>(nodes), "), got ", id));
  }

  void read_value(text_lines& lines) const {
    switch (market_.field) {
      case matrix_market_field::pattern:
        lines.expect_done("a row and a column");
        return;
      case matrix_market_field::integer:
        lines.number<std::int64_t>("a value");
        break;
      case matrix_market_field::complex:
        lines.number<double>("the real part of a value");
        lines.number<double>("the imaginary part of a value");
        break;
      case matrix_market_field::real:
        lines.number<double>("a value");
        break;
    }
    lines.expect_done("a row, a column and a value");
  }

  void check_stated_nodes(std::size_t nodes) const {
    if (is_market_ && (market_.rows != nodes || market_.cols != nodes)) {
      source_.fail(market_.size_offset, market_.size_line,
                   text("expected a matrix of ", nodes, " x ", nodes, ", a row and a column for each node, got ",
                        market_.rows, " x ", market_.cols));
    }
  }

  text_source source_;
  std::int64_t first_id_;
  matrix_market_header market_;
  bool is_market_ = false;
};

}  // namespace graphpatcher
