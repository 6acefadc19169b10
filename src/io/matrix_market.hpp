// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "graphpatcher/core/error.hpp"
#include "io/text_lines.hpp"
#include "io/text_source.hpp"

namespace graphpatcher {

/// What a MatrixMarket file says before its entries.
struct matrix_market_header {
  bool has_values = false;  ///< real or integer; pattern has none
  bool symmetric = false;   ///< an entry stands for its mirror image as well
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::uint64_t entries = 0;
  std::size_t length = 0;       ///< characters up to the first entry
  std::size_t size_offset = 0;  ///< where the sizes are, for messages
  std::size_t size_line = 1;
};

/// Reads the banner, the comments and the sizes of a coordinate matrix:
///
///   %%MatrixMarket matrix coordinate pattern symmetric
///   % any number of comments
///   rows columns entries
inline matrix_market_header read_matrix_market_header(const text_source& source) {
  matrix_market_header header;
  const std::string_view head = source.head();
  const auto line_at = [&](std::size_t begin) {
    const std::size_t newline = std::min(head.find('\n', begin), head.size());
    return head.substr(begin, newline - begin);
  };

  std::string banner(line_at(0).substr(0, 200));
  std::transform(banner.begin(), banner.end(), banner.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::array<std::string, 6> words;
  std::istringstream stream(banner);
  for (auto& word : words) {
    stream >> word;
  }
  const auto& [magic, object, format, field, symmetry, rest] = words;
  if (magic != "%%matrixmarket" || object != "matrix" || format != "coordinate" || !rest.empty() ||
      (field != "pattern" && field != "real" && field != "integer") ||
      (symmetry != "general" && symmetry != "symmetric")) {
    source.fail(0, 1,
                "expected '%%MatrixMarket matrix coordinate', then pattern, real or integer, then general or "
                "symmetric");
  }
  header.has_values = field != "pattern";
  header.symmetric = symmetry == "symmetric";

  std::size_t begin = std::min(line_at(0).size() + 1, head.size());
  std::size_t number = 2;
  for (; begin < head.size(); begin += line_at(begin).size() + 1, ++number) {
    const auto line = line_at(begin);
    if (!line.starts_with('%') && line.find_first_not_of(" \t\r") != std::string_view::npos) {
      break;
    }
  }
  if (begin >= head.size()) {
    source.fail(head.size(), number, "expected a line with rows, columns and entries, got the end of the header");
  }
  header.size_offset = begin;
  header.size_line = number;
  try {
    text_lines sizes(line_at(begin));
    sizes.next();
    header.rows = sizes.number<std::uint64_t>("a number of rows");
    header.cols = sizes.number<std::uint64_t>("a number of columns");
    header.entries = sizes.number<std::uint64_t>("a number of entries");
    sizes.expect_done("rows, columns and entries");
  } catch (const text_problem& problem) {
    source.fail_at_head(problem);
  }
  header.length = std::min(begin + line_at(begin).size() + 1, head.size());
  return header;
}

}  // namespace graphpatcher
