// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <utility>

#include "graphpatcher/autodiff/parameter.hpp"
#include "graphpatcher/core/matrix.hpp"

/// Matrices for tests, the same on every run.
namespace support {

/// Numbers in [-1, 1), at least 0.01 away from 0: finite differences must not
/// step over the kink of a ReLU.
template <class T>
graphpatcher::matrix<T> random_matrix(std::size_t rows, std::size_t cols, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> size(0.01, 1.0);
  std::bernoulli_distribution negative(0.5);
  graphpatcher::matrix<T> result(rows, cols);
  for (T& value : result.values()) {
    const double magnitude = size(random);
    value = static_cast<T>(negative(random) ? -magnitude : magnitude);
  }
  return result;
}

template <class T>
graphpatcher::parameter<T> random_parameter(std::string name, std::size_t rows, std::size_t cols, unsigned seed) {
  graphpatcher::parameter<T> result(std::move(name), rows, cols);
  result.value = random_matrix<T>(rows, cols, seed);
  return result;
}

}  // namespace support
