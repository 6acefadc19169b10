// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/matrix.hpp"

namespace graphpatcher {

/// A matrix that training changes. Weights are [in, out], biases [1, out].
template <class T>
struct parameter {
  std::string name;
  matrix<T> value;

  /// Where backward passes add up, until an optimiser takes it. It is scratch
  /// space of training and not part of the value, hence mutable: a frozen
  /// model is `const` and its gradient stays untouched.
  mutable matrix<T> gradient;
  mutable bool has_gradient = false;

  parameter() = default;
  parameter(std::string parameter_name, std::size_t rows, std::size_t cols)
      : name(std::move(parameter_name)), value(rows, cols) {}

  /// Moves the value to the memory of another executor; a gradient that was
  /// collected is dropped.
  void move_to(const executor& target) {
    if (!value.on_host() || !target.on_host()) {
      value = value.copy_on(target);
    }
    gradient = {};
    has_gradient = false;
  }

  /// The gradient, zero at the start of a step.
  matrix_view<T> open_gradient() const {
    if (!has_gradient) {
      if (gradient.rows() != value.rows() || gradient.cols() != value.cols() || gradient.on_host() != value.on_host()) {
        gradient = matrix<T>(value.where(), value.rows(), value.cols());
      } else {
        gradient.clear();
      }
      has_gradient = true;
    }
    return gradient.view();
  }
};

/// The parameters of a model, in a fixed order.
template <class T>
using parameter_list = std::vector<parameter<T>*>;

}  // namespace graphpatcher
