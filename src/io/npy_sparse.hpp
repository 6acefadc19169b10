// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "io/mapped_file.hpp"
#include "io/npy_values.hpp"

namespace graphpatcher {

namespace detail {

/// Calls visit(row, column, value) for the non-zeros of an array of two axes and
/// returns its layout. A NaN or an infinity is a format_error with its place.
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
  read_npy_values<T>(file, layout, npy_rounding::to_float, [&](std::span<const T> values) {
    for (const T value : values) {
      if (!std::isfinite(value)) [[unlikely]] {
        file.fail(file.position(), text("expected finite numbers, got ", value, " in row ", row, ", column ", column));
      }
      if (value != T(0)) {
        visit(row, column, value);
      }
      if (++column == layout.shape[1]) {
        column = 0;
        ++row;
      }
    }
  });
  return layout;
}

}  // namespace detail

/// A dense matrix of an .npy file as sparse rows, without the dense one ever
/// being in memory: read twice, to count and to fill. `open(use)` calls
/// use(reader) with a reader at the beginning of the file.
template <class T, graph_index I, class Open>
sparse_matrix<T, I> sparse_from_npy(const Open& open) {
  std::size_t nonzeros = 0;
  npy_layout layout;
  open([&](auto& file) {
    layout = detail::visit_npy_matrix<T>(file, [&](std::size_t, std::size_t, T) { ++nonzeros; });
  });
  expects_index_fits<I>(nonzeros, "numbers other than 0");
  expects_index_fits<I>(layout.shape[1], "columns");
  std::vector<I> offsets(layout.shape[0] + 1, 0);
  std::vector<I> columns(nonzeros);
  std::vector<T> values(nonzeros);
  std::size_t next = 0;
  open([&](auto& file) {
    detail::visit_npy_matrix<T>(file, [&](std::size_t row, std::size_t column, T value) {
      if (next == nonzeros || row >= layout.shape[0]) {
        throw file_error(file.path(), "was changed while it was read; read it again");
      }
      columns[next] = static_cast<I>(column);
      values[next++] = value;
      ++offsets[row + 1];
    });
  });
  for (std::size_t row = 0; row < layout.shape[0]; ++row) {
    offsets[row + 1] += offsets[row];
  }
  return {layout.shape[0], layout.shape[1], std::move(offsets), std::move(columns), std::move(values)};
}

/// The same of a file of its own.
template <class T, graph_index I>
sparse_matrix<T, I> read_npy_sparse(const std::filesystem::path& path) {
  const mapped_file file(path);
  return sparse_from_npy<T, I>([&](const auto& use) {
    byte_reader reader(file.path(), file.bytes());
    use(reader);
  });
}

}  // namespace graphpatcher
