// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

#include "graphpatcher/core/buffer.hpp"
#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/emptied_by_move.hpp"
#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

namespace detail {

[[noreturn]] inline void throw_null_view(std::size_t rows, std::size_t cols) {
  throw argument_error(text("matrix_view: expected ", rows, " x ", cols, " numbers, got a null pointer"));
}

}  // namespace detail

/// A row-major window onto numbers that somebody else owns.
/// `T` is `float`/`double`, or `const` of those for read-only windows.
template <class T>
class matrix_view {
public:
  using value_type = std::remove_const_t<T>;

  matrix_view() = default;
  matrix_view(T* data, std::size_t rows, std::size_t cols) : matrix_view(data, rows, cols, cols) {}
  /// `stride`: distance between the starts of two rows, at least `cols`.
  matrix_view(T* data, std::size_t rows, std::size_t cols, std::size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {
    if (data == nullptr && rows != 0 && cols != 0) [[unlikely]] {
      detail::throw_null_view(rows, cols);
    }
  }
  /// A writable window can be read through.
  template <std::same_as<std::remove_const_t<T>> U>
  matrix_view(const matrix_view<U>& other) requires std::is_const_v<T>
      : matrix_view(other.data(), other.rows(), other.cols(), other.stride()) {}

  T* data() const noexcept { return data_; }
  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  std::size_t stride() const noexcept { return stride_; }
  std::size_t size() const noexcept { return rows_ * cols_; }
  bool empty() const noexcept { return size() == 0; }
  bool contiguous() const noexcept { return stride_ == cols_ || rows_ <= 1; }

  T& operator()(std::size_t row, std::size_t col) const noexcept { return data_[row * stride_ + col]; }
  std::span<T> row(std::size_t index) const noexcept { return {data_ + index * stride_, cols_}; }

  /// Rows [begin, end), without a copy.
  matrix_view middle_rows(std::size_t begin, std::size_t end) const {
    expects<index_error>(begin <= end && end <= rows_, "rows [", begin, ", ", end, ") of a matrix with ", rows_,
                         " rows");
    return {data_ + begin * stride_, end - begin, cols_, stride_};
  }
  /// Columns [begin, end), without a copy.
  matrix_view middle_cols(std::size_t begin, std::size_t end) const {
    expects<index_error>(begin <= end && end <= cols_, "columns [", begin, ", ", end, ") of a matrix with ", cols_,
                         " columns");
    return {data_ + begin, rows_, end - begin, stride_};
  }

private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t stride_ = 0;
};

/// A row-major matrix that owns its numbers, zero at first, in the memory of an
/// executor: the host's unless told otherwise. Only those of a host matrix can
/// be touched here; to_host() copies the others back. A move leaves 0 x 0.
template <class T>
class matrix {
public:
  using value_type = T;

  matrix() = default;
  matrix(std::size_t rows, std::size_t cols) : matrix(cpu{}, rows, cols) {}
  matrix(executor where, std::size_t rows, std::size_t cols, contents start = contents::zero)
      : rows_(rows), cols_(cols), values_(std::move(where), checked_product<T>("matrix", rows, cols), start) {}
  /// `{{1, 2}, {3, 4}}`; every row must have the same length.
  matrix(std::initializer_list<std::initializer_list<T>> rows)
      : matrix(rows.size(), rows.size() == 0 ? 0 : rows.begin()->size()) {
    auto out = values_.data();
    for (const auto& row : rows) {
      expects<shape_error>(row.size() == cols_, "matrix: expected every row to have ", cols_, " values, got ",
                           row.size());
      out = std::copy(row.begin(), row.end(), out);
    }
  }

  const executor& where() const noexcept { return values_.where(); }
  bool on_host() const noexcept { return values_.on_host(); }
  /// In the memory of where().
  T* data() noexcept { return values_.data(); }
  const T* data() const noexcept { return values_.data(); }
  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  std::size_t size() const noexcept { return values_.size(); }
  bool empty() const noexcept { return size() == 0; }

  T& operator()(std::size_t row, std::size_t col) { return host_data()[row * cols_ + col]; }
  const T& operator()(std::size_t row, std::size_t col) const { return host_data()[row * cols_ + col]; }
  std::span<T> row(std::size_t index) { return {host_data() + index * cols_, cols_}; }
  std::span<const T> row(std::size_t index) const { return {host_data() + index * cols_, cols_}; }
  std::span<T> values() { return {host_data(), size()}; }
  std::span<const T> values() const { return {host_data(), size()}; }

  matrix_view<T> view() noexcept { return {data(), rows_, cols_}; }
  matrix_view<const T> view() const noexcept { return {data(), rows_, cols_}; }
  operator matrix_view<T>() noexcept { return view(); }
  operator matrix_view<const T>() const noexcept { return view(); }

  void fill(T value) { std::ranges::fill(values(), value); }
  /// Zero everywhere, wherever the numbers are.
  void clear() { values_.clear(); }

  /// The same numbers in the memory of another executor.
  matrix copy_on(const executor& target) const {
    matrix result;
    result.rows_ = rows_;
    result.cols_ = cols_;
    result.values_ = values_.copy_on(target);
    return result;
  }

private:
  T* host_data() {
    expects_host();
    return values_.data();
  }
  const T* host_data() const {
    expects_host();
    return values_.data();
  }
  void expects_host() const {
    if (!on_host()) [[unlikely]] {
      throw backend_error(
          "matrix: these numbers are in a device's memory; copy them with copy_on(cpu{}) to touch them");
    }
  }

  emptied_by_move<std::size_t> rows_ = 0;
  emptied_by_move<std::size_t> cols_ = 0;
  buffer<T> values_;
};

/// A read-only argument of an operation whose result is a matrix_view<T>: T
/// comes from the result alone, so a matrix or a writable view can be passed.
template <class T>
using input_view = std::type_identity_t<matrix_view<const T>>;

/// A matrix of its own with the same values.
template <class T>
matrix<std::remove_const_t<T>> copy_of(matrix_view<T> source) {
  matrix<std::remove_const_t<T>> result(source.rows(), source.cols());
  for (std::size_t r = 0; r < source.rows(); ++r) {
    std::copy(source.row(r).begin(), source.row(r).end(), result.row(r).begin());
  }
  return result;
}

/// A copy on the host of numbers in the memory of `exec`; waits for them.
template <class T>
matrix<std::remove_const_t<T>> to_host(const executor& exec, matrix_view<T> source) {
  if (exec.on_host()) {
    return copy_of(source);
  }
  matrix<std::remove_const_t<T>> result(source.rows(), source.cols());
  expects<shape_error>(source.contiguous(), "to_host: expected rows that stand together, got a stride of ",
                       source.stride(), " for ", source.cols(), " columns");
  exec.visit([&](const auto& on) { backend::download(on, result.data(), source.data(), source.size() * sizeof(T)); });
  return result;
}

/// Throws unless `values` has the expected shape; `name` is the argument's.
template <class T>
void expects_shape(matrix_view<T> values, std::size_t rows, std::size_t cols, const char* name) {
  expects<shape_error>(values.rows() == rows && values.cols() == cols, name, ": expected ", rows, " x ", cols, ", got ",
                       values.rows(), " x ", values.cols());
}

/// Throws if any value is NaN or infinite, and says which.
template <class T>
void expects_finite(matrix_view<T> values, const char* name) {
  for (std::size_t r = 0; r < values.rows(); ++r) {
    bool infinite = false;  // a loop without a branch
    for (const auto value : values.row(r)) {
      infinite |= !std::isfinite(value);
    }
    for (std::size_t c = 0; infinite && c < values.cols(); ++c) {
      expects<numeric_error>(std::isfinite(values(r, c)), name, ": expected finite numbers, got ", values(r, c),
                             " at row ", r, ", column ", c);
    }
  }
}

}  // namespace graphpatcher
