// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "graphpatcher/autodiff/common_tape.hpp"
#include "graphpatcher/autodiff/tape.hpp"
#include "graphpatcher/ops/elementwise.hpp"
#include "graphpatcher/ops/gather.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"

/// Dense algebra on a tape. g stands for the gradient of the result.
namespace graphpatcher {

/// a b;  da += g b^T, db += a^T g
template <class T>
variable<T> matmul(const variable<T>& a, const variable<T>& b) {
  auto& t = common_tape("matmul", a, b);
  auto y = t.allocate(a.rows(), b.cols());
  gemm(t.exec(), a.value(), b.value(), y);
  return t.record(y, {a, b}, [a, b](const variable<T>& result) {
    if (a.needs_gradient()) {
      gemm_abt_add(result.exec(), result.gradient(), b.value(), a.gradient());
    }
    if (b.needs_gradient()) {
      gemm_atb_add(result.exec(), a.value(), result.gradient(), b.gradient());
    }
  });
}

/// a w with a constant table a, which must outlive the tape's use;  dw += a^T g
template <class T, graph_index I>
variable<T> matmul(const feature_table<T, I>& a, const variable<T>& w) {
  auto& t = common_tape("matmul", w);
  const feature_rows<T, I> rows_of_a{
      &a, t.host_memory().template generate<I>(a.rows(), [](std::size_t i) { return static_cast<I>(i); })};
  auto y = t.allocate(a.rows(), w.cols());
  sparse_gemm(t.exec(), rows_of_a, w.value(), y);
  return t.record(y, {w}, [rows_of_a, w](const variable<T>& result) {
    sparse_gemm_adjoint(result.exec(), rows_of_a, result.gradient(), w.gradient());
  });
}
template <class T, graph_index I>
variable<T> matmul(const feature_table<T, I>&& a, const variable<T>& w) = delete;

/// x + bias, the 1 x n bias added to every row;  dx += g, dbias += column sums of g
template <class T>
variable<T> add_bias(const variable<T>& x, const variable<T>& bias) {
  auto& t = common_tape("add_bias", x, bias);
  auto y = t.allocate(x.rows(), x.cols());
  add_bias(t.exec(), x.value(), bias.value(), y);
  return t.record(y, {x, bias}, [x, bias](const variable<T>& result) {
    if (x.needs_gradient()) {
      accumulate(result.exec(), result.gradient(), x.gradient());
    }
    if (bias.needs_gradient()) {
      add_column_sums(result.exec(), result.gradient(), bias.gradient());
    }
  });
}

/// a + b
template <class T>
variable<T> add(const variable<T>& a, const variable<T>& b) {
  auto& t = common_tape("add", a, b);
  auto y = t.allocate(a.rows(), a.cols());
  add(t.exec(), a.value(), b.value(), y);
  return t.record(y, {a, b}, [a, b](const variable<T>& result) {
    if (a.needs_gradient()) {
      accumulate(result.exec(), result.gradient(), a.gradient());
    }
    if (b.needs_gradient()) {
      accumulate(result.exec(), result.gradient(), b.gradient());
    }
  });
}

/// a - b
template <class T>
variable<T> subtract(const variable<T>& a, const variable<T>& b) {
  auto& t = common_tape("subtract", a, b);
  auto y = t.allocate(a.rows(), a.cols());
  subtract(t.exec(), a.value(), b.value(), y);
  return t.record(y, {a, b}, [a, b](const variable<T>& result) {
    if (a.needs_gradient()) {
      accumulate(result.exec(), result.gradient(), a.gradient());
    }
    if (b.needs_gradient()) {
      add_scaled(result.exec(), result.gradient(), T(-1), b.gradient());
    }
  });
}

/// a * b, element by element;  da += g * b, db += g * a
template <class T>
variable<T> multiply(const variable<T>& a, const variable<T>& b) {
  auto& t = common_tape("multiply", a, b);
  auto y = t.allocate(a.rows(), a.cols());
  multiply(t.exec(), a.value(), b.value(), y);
  return t.record(y, {a, b}, [a, b](const variable<T>& result) {
    if (a.needs_gradient()) {
      multiply_add(result.exec(), result.gradient(), b.value(), a.gradient());
    }
    if (b.needs_gradient()) {
      multiply_add(result.exec(), result.gradient(), a.value(), b.gradient());
    }
  });
}

/// factor * x
template <class T>
variable<T> scale(const variable<T>& x, std::type_identity_t<T> factor) {
  auto& t = common_tape("scale", x);
  auto y = t.allocate(x.rows(), x.cols());
  scale(t.exec(), x.value(), factor, y);
  return t.record(y, {x}, [x, factor](const variable<T>& result) {
    add_scaled(result.exec(), result.gradient(), factor, x.gradient());
  });
}

/// [a, b]: the columns of a, then those of b.
template <class T>
variable<T> concat_cols(const variable<T>& a, const variable<T>& b) {
  auto& t = common_tape("concat_cols", a, b);
  expects<shape_error>(a.rows() == b.rows(), "concat_cols: expected as many rows in both, got ", a.rows(), " and ",
                       b.rows());
  auto y = t.allocate(a.rows(), a.cols() + b.cols());
  const auto part = [](matrix_view<T> joined, std::size_t begin, std::size_t cols) {
    return matrix_view<T>(joined.data() + begin, joined.rows(), cols, joined.stride());
  };
  copy(t.exec(), a.value(), part(y, 0, a.cols()));
  copy(t.exec(), b.value(), part(y, a.cols(), b.cols()));
  return t.record(y, {a, b}, [a, b, part](const variable<T>& result) {
    const auto g = result.gradient();
    if (a.needs_gradient()) {
      accumulate(result.exec(), part(g, 0, a.cols()), a.gradient());
    }
    if (b.needs_gradient()) {
      accumulate(result.exec(), part(g, a.cols(), b.cols()), b.gradient());
    }
  });
}

/// Rows [begin, end) of x: a window, nothing is copied.
template <class T>
variable<T> rows(const variable<T>& x, std::size_t begin, std::size_t end) {
  return common_tape("rows", x).window(x, begin, end);
}

/// Row i of the result is x[ids[i], :]; ids in any order, with repeats.
template <class T, graph_index I>
variable<T> gather_rows(const variable<T>& x, std::span<const I> ids) {
  auto& t = common_tape("gather_rows", x);
  auto y = t.allocate(ids.size(), x.cols());
  gather_rows(t.exec(), x.value(), ids, y);
  const auto kept = t.host_memory().keep(ids);
  return t.record(y, {x}, [x, kept](const variable<T>& result) {
    scatter_add_rows(result.exec(), result.gradient(), kept, x.gradient());
  });
}

/// Sum of all elements, 1 x 1.
template <class T>
variable<T> sum_all(const variable<T>& x) {
  auto& t = common_tape("sum_all", x);
  auto y = t.allocate(1, 1);
  sum_all(t.exec(), x.value(), T(1), y);
  return t.record(y, {x},
                  [x](const variable<T>& result) { add_scalar(result.exec(), result.gradient(), x.gradient()); });
}

/// Mean of all elements, 1 x 1.
template <class T>
variable<T> mean_all(const variable<T>& x) {
  common_tape("mean_all", x);
  expects<shape_error>(!x.value().empty(), "mean_all: expected at least one element, got ", x.rows(), " x ", x.cols());
  return scale(sum_all(x), T(1) / static_cast<T>(x.value().size()));
}

}  // namespace graphpatcher
