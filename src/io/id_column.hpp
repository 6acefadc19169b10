// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/feature_table.hpp"
#include "graphpatcher/io/text_options.hpp"

/// Tables whose first column is the id of the row's node. Read as a feature, it has the largest values of all.
namespace graphpatcher::detail {

/// The number that a table has in a row's first column.
template <class T, graph_index I>
T first_number(const feature_table<T, I>& table, std::size_t row) {
  T first = 0;
  if (table.is_dense()) {
    table.dense().visit([&](const auto& numbers) { first = number_as<T>(numbers(row, 0)); });
  } else if (const auto columns = table.sparse().row_columns(row); !columns.empty() && columns[0] == 0) {
    first = table.sparse().row_values(row)[0];
  }
  return first;
}

/// The first row whose first column isn't `begin` + row.
template <class T, graph_index I>
std::optional<std::size_t> first_other_id(const feature_table<T, I>& table, std::int64_t begin) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (first_number(table, row) != static_cast<T>(begin + static_cast<std::int64_t>(row))) {
      return row;
    }
  }
  return std::nullopt;
}

template <class T, graph_index I>
feature_table<T, I> without_first_column(const feature_table<T, I>& table) {
  if (table.is_dense()) {
    feature_table<T, I> result;
    table.dense().visit([&]<class S>(const matrix_view<const S>& numbers) {
      matrix<S> rest(numbers.rows(), numbers.cols() - 1);
      for (std::size_t row = 0; row < numbers.rows(); ++row) {
        std::copy(numbers.row(row).begin() + 1, numbers.row(row).end(), rest.row(row).begin());
      }
      result = std::move(rest);
    });
    return result;
  }
  const auto& all = table.sparse();
  std::vector<I> offsets(all.rows() + 1, 0);
  std::vector<I> columns;
  std::vector<T> values;
  columns.reserve(all.nonzeros());
  values.reserve(all.nonzeros());
  for (std::size_t row = 0; row < all.rows(); ++row) {
    table.for_each_nonzero(row, [&](std::size_t column, T value) {
      if (column > 0) {
        columns.push_back(static_cast<I>(column - 1));
        values.push_back(value);
      }
    });
    offsets[row + 1] = static_cast<I>(columns.size());
  }
  return sparse_matrix<T, I>(all.rows(), all.cols() - 1, std::move(offsets), std::move(columns), std::move(values));
}

/// Whether a line of names begins with one for ids; pandas leaves the name of its index out.
inline bool begins_with_id(std::string_view header) {
  const std::string_view first = header.substr(0, header.find_first_of(",\t\r\n"));
  std::string name;
  for (const char c : first) {
    if (c != ' ' && c != '"' && c != '\'' && c != '_') {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  static constexpr std::array<std::string_view, 6> names{"", "id", "ids", "node", "nodeid", "index"};
  return !header.empty() && std::find(names.begin(), names.end(), name) != names.end();
}

/// The features alone. `header` is the line that names the columns, if there is one.
template <class T, graph_index I>
feature_table<T, I> without_ids(feature_table<T, I> table, const std::string& path, text_ids ids, std::int64_t first_id,
                                std::string_view header) {
  if (ids == text_ids::present) {
    if (table.cols() < 2) {
      throw format_error(path, 0, text("expected an id and features in each row, got ", table.cols(), " column"));
    }
    if (const auto row = first_other_id(table, first_id)) {
      throw format_error(path, 0,
                         text("expected the ids of nodes in their order from ", first_id,
                              ", as graph_files::first_id "
                              "says, got ",
                              first_number(table, *row), " in row ", *row, "; sort the rows"));
    }
    return without_first_column(table);
  }
  constexpr std::size_t few = 3;  // so many may count by chance
  const auto counts = [&](std::int64_t from) { return table.rows() >= few && !first_other_id(table, from); };
  if (ids == text_ids::automatic && table.cols() > 1 && (begins_with_id(header) || counts(0) || counts(1))) {
    throw format_error(path, 0,
                       text("expected features, got a first column that looks like the ids of the nodes; set "
                            "graph_files::ids (pipeline --ids) to present to leave it out, or to absent to take it "
                            "as a feature"));
  }
  return table;
}

}  // namespace graphpatcher::detail
