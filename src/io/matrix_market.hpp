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

/// What stands behind the row and the column of an entry.
enum class matrix_market_field { pattern, integer, real, complex };

/// What a MatrixMarket file says before its entries.
struct matrix_market_header {
  matrix_market_field field = matrix_market_field::pattern;
  bool symmetric = false;  ///< an entry stands for its mirror image as well, whatever its value becomes there
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
  const auto place_in = [](const auto& names, std::string_view name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  static constexpr std::array<std::string_view, 4> fields{"pattern", "integer", "real", "complex"};
  static constexpr std::array<std::string_view, 4> symmetries{"general", "symmetric", "skew-symmetric", "hermitian"};
  const std::size_t field_place = place_in(fields, field);
  const std::size_t symmetry_place = place_in(symmetries, symmetry);
  if (magic == "%%matrixmarket" && format == "array") {
    source.fail(0, 1,
                "expected a list of entries ('%%MatrixMarket matrix coordinate'), got a dense array; save the "
                "graph as a sparse matrix");
  }
  if (magic != "%%matrixmarket" || object != "matrix" || format != "coordinate" || !rest.empty() ||
      field_place == fields.size() || symmetry_place == symmetries.size() ||
      (field == "pattern" && symmetry_place > 1) || (symmetry == "hermitian" && field != "complex")) {
    source.fail(0, 1,
                "expected '%%MatrixMarket matrix coordinate', then pattern, integer, real or complex, then general, "
                "symmetric, skew-symmetric (with numbers) or hermitian (with complex ones)");
  }
  header.field = static_cast<matrix_market_field>(field_place);
  header.symmetric = symmetry != "general";

  std::size_t begin = std::min(line_at(0).size() + 1, head.size());
  std::size_t number = 2;
  for (; begin < head.size(); begin += line_at(begin).size() + 1, ++number) {
    const auto line = line_at(begin);
    if (!line.starts_with('%') && line.find_first_not_of(" \t\r") != std::string_view::npos) {
      break;
    }
  }
  if (begin >= head.size()) {
    source.fail(source.head_offset() + head.size(), number,
                "expected a line with rows, columns and entries, got the end of the header");
  }
  header.size_offset = source.head_offset() + begin;
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
