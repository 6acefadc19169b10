// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "graphpatcher/graph/feature_table.hpp"
#include "io/feature_storage.hpp"
#include "io/mapped_file.hpp"
#include "io/npy_values.hpp"

namespace graphpatcher {

namespace detail {

/// Calls visit(row, column, value) for all numbers of an array of two axes, in the order of the file, and returns its
/// layout. A NaN or an infinity is a format_error with its place.
template <class T, class Reader, class Visit>
npy_layout visit_npy_matrix(Reader& file, Visit&& visit) {
  auto layout = read_npy_layout(file);
  if (layout.shape.size() != 2) {
    file.fail(file.position(), text("expected two axes, rows and columns, got ", layout.shape.size()));
  }
  if (layout.count == 0 && layout.shape[0] != 0) {  // any number of rows would be believed: there are no bytes to count
    file.fail(file.position(), text("expected at least one column, got ", layout.shape[0], " x 0"));
  }
  std::size_t row = 0;
  std::size_t column = 0;
  auto& fast = layout.fortran_order ? row : column;
  auto& slow = layout.fortran_order ? column : row;
  const std::size_t run = layout.shape[layout.fortran_order ? 0 : 1];
  read_npy_values<T>(file, layout, npy_rounding::to_float, [&](std::span<const T> values) {
    for (const T value : values) {
      if (!std::isfinite(value)) [[unlikely]] {
        file.fail(file.position(), text("expected finite numbers, got ", value, " in row ", row, ", column ", column));
      }
      visit(row, column, value);
      if (++fast == run) {
        fast = 0;
        ++slow;
      }
    }
  });
  return layout;
}

inline file_error changed_while_read(const std::string& path) {
  return {path, "was changed while it was read; read it again"};
}

/// All numbers of the array, as S.
template <class S, class T, class Open>
matrix<S> dense_from_npy(const Open& open, std::size_t rows, std::size_t cols) {
  matrix<S> result(cpu{}, rows, cols, contents::anything);
  open([&](auto& file) {
    const auto layout = visit_npy_matrix<T>(file, [&](std::size_t row, std::size_t column, T value) {
      if (row >= rows || column >= cols) [[unlikely]] {
        throw changed_while_read(file.path());
      }
      if constexpr (std::is_same_v<S, float16>) {
        result.data()[row * cols + column] = to_float16(static_cast<float>(value));  // what the file has
      } else {
        result.data()[row * cols + column] = static_cast<S>(value);
      }
    });
    if (layout.shape[0] != rows || layout.shape[1] != cols) {
      throw changed_while_read(file.path());
    }
  });
  return result;
}

/// Its non-zeros, of which row r has offsets[r + 1] - offsets[r].
template <class T, class I, class Open>
sparse_matrix<T, I> sparse_from_npy(const Open& open, std::vector<I> offsets, std::size_t cols) {
  std::vector<I> columns(static_cast<std::size_t>(offsets.back()));
  std::vector<T> values(columns.size());
  std::vector<I> next(offsets.begin(), offsets.end() - 1);
  open([&](auto& file) {
    visit_npy_matrix<T>(file, [&](std::size_t row, std::size_t column, T value) {
      if (value == T(0)) {
        return;
      }
      if (row >= next.size() || next[row] == offsets[row + 1]) {
        throw changed_while_read(file.path());
      }
      const auto place = static_cast<std::size_t>(next[row]++);
      columns[place] = static_cast<I>(column);
      values[place] = value;
    });
  });
  const std::size_t rows = next.size();
  return {rows, cols, std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace detail

/// A matrix of an .npy file, rows or columns first, as features: dense in the type that the file has, or the non-zeros
/// alone (detail::stays_dense), in which case the dense one is never in memory. Read twice, to count and to fill.
/// `open(use)` calls use(reader) with a reader at the beginning of the file.
template <class T, graph_index I, class Open>
feature_table<T, I> features_from_npy(const Open& open) {
  npy_layout layout;
  std::size_t nonzeros = 0;
  std::vector<std::size_t> of_row;
  open([&](auto& file) {
    layout = detail::visit_npy_matrix<T>(file, [&](std::size_t row, std::size_t, T value) {
      if (value != T(0)) {
        if (row >= of_row.size()) {
          of_row.resize(row + 1, 0);
        }
        ++of_row[row];
        ++nonzeros;
      }
    });
    if (!std::in_range<I>(layout.shape[1])) {
      file.fail(0, text("expected columns that an index of ", 8 * sizeof(I), " bits can count, got ", layout.shape[1]));
    }
  });
  const std::size_t rows = layout.shape[0], cols = layout.shape[1];
  if (detail::stays_dense(nonzeros, rows, cols)) {
    if (layout.kind == 'f' && layout.width == 2) {
      return detail::dense_from_npy<float16, T>(open, rows, cols);
    }
    if (layout.kind == 'f' && layout.width == 4) {
      return detail::dense_from_npy<float, T>(open, rows, cols);
    }
    return detail::dense_from_npy<T, T>(open, rows, cols);
  }
  expects_index_fits<I>(nonzeros, "numbers other than 0");
  of_row.resize(rows, 0);
  std::vector<I> offsets(rows + 1, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    offsets[row + 1] = offsets[row] + static_cast<I>(of_row[row]);
  }
  return detail::sparse_from_npy<T, I>(open, std::move(offsets), cols);
}

/// The same of a file of its own.
template <class T, graph_index I>
feature_table<T, I> read_npy_features(const std::filesystem::path& path) {
  const mapped_file file(path);
  return features_from_npy<T, I>([&](const auto& use) {
    byte_reader reader(file.path(), file.bytes());
    use(reader);
  });
}

}  // namespace graphpatcher
