// SPDX-License-Identifier: MIT
//
// Dense matrices in device memory, and on the host while a library call computes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../engine.hpp"
#include "memory.hpp"

namespace gpu_host::runtime {

// On the host, column after column.
template <class T>
struct dense {
  dense(std::int64_t row_count, std::int64_t col_count)
      : rows(row_count), cols(col_count), values(static_cast<std::size_t>(row_count * col_count)) {}
  T& operator()(std::int64_t row, std::int64_t col) { return values[static_cast<std::size_t>(col * rows + row)]; }
  T operator()(std::int64_t row, std::int64_t col) const { return values[static_cast<std::size_t>(col * rows + row)]; }

  std::int64_t rows, cols;
  std::vector<T> values;
};

// In device memory: `ld` elements from one column (row, if row_major) to the next.
struct device_matrix {
  const void* data;
  std::int64_t rows, cols, ld;
  bool row_major;
  std::string name;  // for faults: "cublasSgemm: A"

  std::int64_t inner() const { return row_major ? cols : rows; }
  std::int64_t outer() const { return row_major ? rows : cols; }
  std::int64_t index(std::int64_t row, std::int64_t col) const { return row_major ? row * ld + col : col * ld + row; }

  template <class T>
  std::size_t bytes() const {
    return inner() == 0 || outer() == 0 ? 0 : static_cast<std::size_t>((outer() - 1) * ld + inner()) * sizeof(T);
  }
};

// op(M). A fault if M isn't wholly inside one allocation, or wasn't written; the gaps of `ld` don't matter.
template <class T>
dense<T> load(const device_matrix& m, bool transposed = false) {
  dense<T> result = transposed ? dense<T>(m.cols, m.rows) : dense<T>(m.rows, m.cols);
  if (m.bytes<T>() == 0) {
    return result;
  }
  const auto* content = reinterpret_cast<const T*>(readable(m.data, m.bytes<T>(), m.name));
  for (std::int64_t i = 0; i < m.outer(); ++i) {
    require_written(static_cast<const T*>(m.data) + i * m.ld, m.inner() * sizeof(T), m.name);
  }
  for (std::int64_t col = 0; col < m.cols; ++col) {
    for (std::int64_t row = 0; row < m.rows; ++row) {
      (transposed ? result(col, row) : result(row, col)) = content[m.index(row, col)];
    }
  }
  return result;
}

template <class T>
void store(const device_matrix& m, const dense<T>& values) {
  if (m.bytes<T>() == 0) {
    return;
  }
  auto* data = static_cast<T*>(const_cast<void*>(m.data));
  auto* content = reinterpret_cast<T*>(writable(data, m.bytes<T>(), m.name));
  for (std::int64_t col = 0; col < m.cols; ++col) {
    for (std::int64_t row = 0; row < m.rows; ++row) {
      content[m.index(row, col)] = values(row, col);
    }
  }
  for (std::int64_t i = 0; i < m.outer(); ++i) {
    device_heap::mark_written(data + i * m.ld, m.inner() * sizeof(T));
  }
}

// sum += factor op(M). As in BLAS, what is multiplied by zero isn't read.
template <class T>
void add_scaled(dense<T>& sum, T factor, const device_matrix& m, bool transposed = false) {
  if (factor == T(0)) {
    return;
  }
  const dense<T> added = load<T>(m, transposed);
  for (std::size_t i = 0; i < sum.values.size(); ++i) {
    sum.values[i] += factor * added.values[i];
  }
}

// alpha op(A) op(B) + beta C, for float and double; what is multiplied by zero isn't read.
template <class T>
dense<T> product(T alpha, const device_matrix& a, bool transpose_a, const device_matrix& b, bool transpose_b, T beta,
                 const device_matrix& c);

}  // namespace gpu_host::runtime
