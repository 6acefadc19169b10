// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "io/byte_reader.hpp"
#include "io/pickle_value.hpp"

namespace graphpatcher {

/// A NumPy array of `N` (int32 or float) in a pickle: a window onto the bytes
/// of its document, which must outlive it.
template <class N>
struct pickle_array {
  std::vector<std::size_t> shape;
  const std::uint8_t* bytes = nullptr;
  std::uint64_t offset = 0;  ///< of `bytes` in the file
  std::size_t size = 0;      ///< number of elements

  N operator[](std::size_t index) const noexcept { return load_little<N>(bytes + index * sizeof(N)); }
  std::uint64_t offset_of(std::size_t index) const noexcept { return offset + index * sizeof(N); }
};

/// Throws unless `value` is the dtype of `N`, little-endian and plain: code 'i4' or
/// 'f4', state (3, '<', None, None, None, -1, -1, 0).
template <class N>
void expect_dtype(const pickle_document& file, const pickle_value& value) {
  const std::string_view expected = std::same_as<N, float> ? "f4" : "i4";
  const auto& node = file.items(value, pickle_kind::dtype, "an array's type");
  if (file.string(node[0], "a dtype's code") != expected) {
    file.fail(node[0].offset, text("expected an array of dtype '", expected, "'"));
  }
  if (node.size() != 2) {
    file.fail(value.offset, "expected a dtype with its state, got none");
  }
  const auto& state = file.items(node[1], pickle_kind::tuple, "a dtype's state");
  if (state.size() != 8 || file.string(state[1], "a byte order") != "<") {
    file.fail(node[1].offset, "expected a little-endian dtype with a state of 8 values");
  }
  constexpr std::int64_t plain[] = {3, 0, 0, 0, 0, -1, -1, 0};
  for (const std::size_t i : {0u, 5u, 6u, 7u}) {
    if (file.integer(state[i], "a dtype's state") != plain[i]) {
      file.fail(state[i].offset, text("expected ", plain[i], " in a dtype's state, got ", state[i].number));
    }
  }
  for (const std::size_t i : {2u, 3u, 4u}) {
    file.expect_kind(state[i], pickle_kind::none, "a plain dtype's sub-array, names and fields");
  }
}

/// The array that `value` is: state (1, shape, dtype, False for C order, bytes).
template <class N>
pickle_array<N> array_in(const pickle_document& file, const pickle_value& value, std::size_t axes) {
  const auto& node = file.items(value, pickle_kind::array, "an array");
  if (node.size() != 1) {
    file.fail(value.offset, "expected an array with its state, got none");
  }
  const auto& state = file.items(node[0], pickle_kind::tuple, "an array's state");
  if (state.size() != 5 || file.integer(state[0], "an array's version") != 1) {
    file.fail(node[0].offset, "expected an array's state of 5 values, version 1");
  }
  expect_dtype<N>(file, state[2]);
  file.expect_kind(state[3], pickle_kind::boolean, "an array's Fortran flag");
  if (state[3].number != 0) {
    file.fail(state[3].offset, "expected an array in C order, got Fortran order");
  }
  const auto& shape = file.items(state[1], pickle_kind::tuple, "an array's shape");
  if (shape.size() != axes) {
    file.fail(state[1].offset, text("expected an array with ", axes, " axes, got ", shape.size()));
  }
  pickle_array<N> array{{}, file.data(state[4], "an array's content"), state[4].offset, 1};
  for (const auto& extent : shape) {  // at most two, each below 2^31: the product can't wrap
    array.shape.push_back(file.count(extent, "an extent"));
    array.size *= array.shape.back();
  }
  if (array.size * sizeof(N) != static_cast<std::uint64_t>(state[4].number)) {
    file.fail(state[4].offset,
              text("expected the bytes of ", array.size, " elements, got ", state[4].number, " bytes"));
  }
  return array;
}

/// The value of `name` in a dict whose keys are strings.
inline pickle_value member_of(const pickle_document& file, const pickle_value& dict, std::string_view name) {
  const auto& items = file.items(dict, pickle_kind::dict, "an object's state");
  std::size_t found = items.size();
  for (std::size_t i = 0; i < items.size(); i += 2) {
    if (file.string(items[i], "a member's name") == name) {
      if (found != items.size()) {
        file.fail(items[i].offset, text("expected one member '", name, "', got a second"));
      }
      found = i;
    }
  }
  if (found == items.size()) {
    file.fail(dict.offset, text("expected a member '", name, "', got none"));
  }
  return items[found + 1];
}

/// The matrix that the document is: the state of a csr_matrix is a dict with
/// `_shape`, `indptr`, `indices`, `data`, and some flags that are not needed.
/// Columns must be inside the matrix and strictly ascending in each row; values
/// finite and not negative, as counts and TF-IDF weights are.
template <class T, class I>
sparse_matrix<T, I> csr_in(const pickle_document& file) {
  const auto& node = file.items(file.root(), pickle_kind::csr, "the file's content");
  if (node.size() != 1) {
    file.fail(file.root().offset, "expected a matrix with its state, got none");
  }
  const auto member = [&](std::string_view name) { return member_of(file, node[0], name); };
  const auto& shape = file.items(member("_shape"), pickle_kind::tuple, "a matrix's shape");
  if (shape.size() != 2 || file.string(member("format"), "a matrix's format") != "csr") {
    file.fail(node[0].offset, "expected a matrix of 2 axes in format 'csr'");
  }
  const std::size_t rows = file.count(shape[0], "rows");
  const std::size_t cols = file.count(shape[1], "columns");
  const auto starts = array_in<std::int32_t>(file, member("indptr"), 1);
  const auto indices = array_in<std::int32_t>(file, member("indices"), 1);
  const auto data = array_in<float>(file, member("data"), 1);
  if (starts.size != rows + 1 || data.size != indices.size || starts[0] != 0 ||
      static_cast<std::size_t>(starts[rows]) != data.size) {
    file.fail(starts.offset,
              text("expected ", rows + 1, " row starts from 0 to ", indices.size, ", and ", indices.size, " values"));
  }

  std::vector<I> offsets(rows + 1, 0);
  std::vector<I> columns(indices.size);
  std::vector<T> values(data.size);
  for (std::size_t r = 0; r < rows; ++r) {
    if (starts[r + 1] < starts[r] || starts[r + 1] > starts[rows]) {
      file.fail(starts.offset_of(r + 1), text("expected row starts that don't fall, at most ", starts[rows], ", got ",
                                              starts[r + 1], " after ", starts[r]));
    }
    offsets[r + 1] = starts[r + 1];
    std::int64_t previous = -1;
    for (auto i = static_cast<std::size_t>(starts[r]); i < static_cast<std::size_t>(starts[r + 1]); ++i) {
      if (indices[i] <= previous || static_cast<std::size_t>(indices[i]) >= cols) {
        file.fail(indices.offset_of(i), text("expected ascending columns below ", cols, " in row ", r, ", got ",
                                             indices[i], " after ", previous));
      }
      if (!std::isfinite(data[i]) || data[i] < 0) {
        file.fail(data.offset_of(i), text("expected a finite number of at least 0, got ", data[i]));
      }
      previous = indices[i];
      columns[i] = indices[i];
      values[i] = data[i];
    }
  }
  return {rows, cols, std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace graphpatcher
