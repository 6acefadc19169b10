// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "graphpatcher/autodiff/common_tape.hpp"
#include "graphpatcher/autodiff/tape.hpp"
#include "graphpatcher/ops/activation.hpp"
#include "graphpatcher/ops/dropout.hpp"

/// Activations and dropout on a tape: see ops/activation.hpp, ops/dropout.hpp.
namespace graphpatcher {

template <class T>
variable<T> relu(const variable<T>& x) {
  auto& t = common_tape("relu", x);
  auto y = t.allocate(x.rows(), x.cols());
  relu(t.exec(), x.value(), y);
  return t.record(y, {x}, [x](const variable<T>& result) {
    relu_adjoint(result.exec(), result.value(), result.gradient(), x.gradient());
  });
}

template <class T>
variable<T> elu(const variable<T>& x, std::type_identity_t<T> alpha = T(1)) {
  auto& t = common_tape("elu", x);
  auto y = t.allocate(x.rows(), x.cols());
  elu(t.exec(), x.value(), alpha, y);
  return t.record(y, {x}, [x, alpha](const variable<T>& result) {
    elu_adjoint(result.exec(), x.value(), result.value(), alpha, result.gradient(), x.gradient());
  });
}

template <class T>
variable<T> leaky_relu(const variable<T>& x, std::type_identity_t<T> slope = T(0.2)) {
  auto& t = common_tape("leaky_relu", x);
  auto y = t.allocate(x.rows(), x.cols());
  leaky_relu(t.exec(), x.value(), slope, y);
  return t.record(y, {x}, [x, slope](const variable<T>& result) {
    leaky_relu_adjoint(result.exec(), x.value(), slope, result.gradient(), x.gradient());
  });
}

/// The learnt slope is 1 x 1 or 1 x n.
template <class T>
variable<T> prelu(const variable<T>& x, const variable<T>& slope) {
  auto& t = common_tape("prelu", x, slope);
  auto y = t.allocate(x.rows(), x.cols());
  prelu(t.exec(), x.value(), slope.value(), y);
  return t.record(y, {x, slope}, [x, slope](const variable<T>& result) {
    if (x.needs_gradient()) {
      prelu_adjoint(result.exec(), x.value(), slope.value(), result.gradient(), x.gradient());
    }
    if (slope.needs_gradient()) {
      prelu_slope_adjoint(result.exec(), x.value(), result.gradient(), slope.gradient());
    }
  });
}

/// In training, drops elements with probability p and divides the others by
/// 1 - p; else x itself. Each call takes a stream of its own from the tape.
/// Masks belong to (row key, column); keys should be node ids, so that a node
/// gets the same mask in any batch. Without keys they are row numbers.
template <class T, graph_index I = std::int32_t>
variable<T> dropout(const variable<T>& x, std::type_identity_t<T> p, std::span<const I> row_keys = {}) {
  auto& t = common_tape("dropout", x);
  check_dropout_probability(static_cast<double>(p));
  expects<shape_error>(row_keys.empty() || row_keys.size() == x.rows(), "dropout: expected no row keys or ", x.rows(),
                       ", got ", row_keys.size());
  if (!t.training() || p == T(0)) {
    return x;
  }
  const dropout_options options{t.next_dropout_stream(), static_cast<double>(p)};
  auto y = t.allocate(x.rows(), x.cols());
  dropout(t.exec(), options, row_keys, x.value(), y);
  const auto kept = t.host_memory().keep(row_keys);
  return t.record(y, {x}, [x, options, kept](const variable<T>& result) {
    dropout_adjoint(result.exec(), options, kept, result.gradient(), x.gradient());
  });
}

}  // namespace graphpatcher
