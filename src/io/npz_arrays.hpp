// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "io/npy_features.hpp"
#include "io/npz_file.hpp"

namespace graphpatcher {

/// The arrays of an npz file that holds a dataset. Whatever is missing or does
/// not fit together is a format_error that names the array.
class npz_dataset_file {
public:
  explicit npz_dataset_file(const std::filesystem::path& path, const progress_options& display = {})
      : path_(path.string()), archive_(path, display) {}

  const std::string& path() const noexcept { return path_; }
  bool contains(const std::string& name) const noexcept { return archive_.contains(name); }

  /// An array with the given number of axes.
  template <npy_scalar T>
  npy_array<T> array(const std::string& name, std::size_t axes, npy_rounding rounding = npy_rounding::none) const {
    expect_array(name);
    auto result = archive_.read<T>(name, rounding);
    if (result.shape.size() != axes) {
      fail(name, text("expected ", axes, " axes, got ", result.shape.size()));
    }
    return result;
  }

  /// A SciPy CSR matrix saved as PREFIX_data, _indices, _indptr and _shape. Rows
  /// may be in any order, as SciPy allows, but name no column twice.
  template <class T, graph_index I>
  sparse_matrix<T, I> csr(const std::string& prefix) const {
    const auto shape = array<std::int64_t>(prefix + "_shape", 1).values;
    auto offsets = array<I>(prefix + "_indptr", 1).values;
    auto columns = array<I>(prefix + "_indices", 1).values;
    auto values = array<T>(prefix + "_data", 1, npy_rounding::to_float).values;
    if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) {
      fail(prefix + "_shape", "expected a number of rows and one of columns");
    }
    if (!std::in_range<I>(shape[1])) {
      fail(prefix + "_shape",
           text("expected columns that an index of ", 8 * sizeof(I), " bits can count, got ", shape[1]));
    }
    const auto rows = static_cast<std::size_t>(shape[0]);
    if (columns.size() != values.size()) {
      fail(prefix + "_indices", text("expected a column for each of ", values.size(), " values, got ", columns.size()));
    }
    if (offsets.empty() || offsets.size() - 1 != rows || offsets.front() != 0 ||
        static_cast<std::uint64_t>(offsets.back()) != values.size() ||
        !std::is_sorted(offsets.begin(), offsets.end())) {
      fail(prefix + "_indptr", text("expected ", rows, " + 1 positions that rise from 0 to ", values.size()));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] < 0 || columns[i] >= shape[1]) {
        fail(prefix + "_indices", text("expected columns in [0, ", shape[1], "), got ", columns[i], " at place ", i));
      }
      if (!std::isfinite(values[i])) {
        fail(prefix + "_data", text("expected finite numbers, got ", values[i], " at place ", i));
      }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const auto begin = static_cast<std::size_t>(offsets[r]);
      const auto end = static_cast<std::size_t>(offsets[r + 1]);
      sort_row<T, I>({columns.data() + begin, end - begin}, {values.data() + begin, end - begin});
      const auto again = std::adjacent_find(columns.begin() + offsets[r], columns.begin() + offsets[r + 1]);
      if (again != columns.begin() + offsets[r + 1]) {
        fail(prefix + "_indices", text("expected each column once, got ", *again, " again in row ", r));
      }
    }
    return {rows, static_cast<std::size_t>(shape[1]), std::move(offsets), std::move(columns), std::move(values)};
  }

  /// An array with every number of the features, as what suits them: see features_from_npy().
  template <class T, graph_index I>
  feature_table<T, I> features(const std::string& name) const {
    expect_array(name);
    return features_from_npy<T, I>([&](const auto& use) { archive_.open(name, use); });
  }

  /// Classes of `nodes` nodes, -1 for unknown.
  template <graph_index I>
  std::vector<I> labels(const std::string& name, std::size_t nodes) const {
    auto numbers = array<I>(name, 1).values;
    if (numbers.size() != nodes) {
      fail(name, text("expected the classes of ", nodes, " nodes, got ", numbers.size()));
    }
    for (std::size_t v = 0; v < nodes; ++v) {
      if (numbers[v] < -1 || std::cmp_greater_equal(numbers[v], nodes)) {
        fail(name, text("expected classes in [0, ", nodes, ") or -1 for unknown, got ", numbers[v], " for node ", v));
      }
    }
    return numbers;
  }

  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw format_error(path_ + "/" + name + ".npy", 0, what);
  }

private:
  void expect_array(const std::string& name) const {
    if (!archive_.contains(name)) {
      std::string known;
      for (const auto& each : archive_.names()) {
        known += (known.empty() ? "" : ", ") + each;
      }
      throw format_error(path_, 0, text("expected an array called '", name, "', got only ", known));
    }
  }

  template <class T, class I>
  static void sort_row(std::span<I> columns, std::span<T> values) {
    if (std::is_sorted(columns.begin(), columns.end())) {
      return;
    }
    std::vector<std::pair<I, T>> row(columns.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = {columns[i], values[i]};
    }
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::tie(columns[i], values[i]) = row[i];
    }
  }

  std::string path_;
  npz_file archive_;
};

}  // namespace graphpatcher
