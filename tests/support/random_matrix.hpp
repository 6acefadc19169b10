// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
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

/// Whether two matrices have the same shape and the same bits.
template <class A, class B>
bool same_bits(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    return false;
  }
  for (std::size_t r = 0; r < a.rows(); ++r) {
    if (a.cols() > 0 && std::memcmp(a.row(r).data(), b.row(r).data(), a.cols() * sizeof(a.row(r)[0])) != 0) {
      return false;
    }
  }
  return true;
}

/// Largest |a - b|; infinity for other shapes or a NaN.
template <class A, class B>
double largest_difference(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    return std::numeric_limits<double>::infinity();
  }
  double largest = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.cols(); ++c) {
      const double difference = std::abs(static_cast<double>(a(r, c)) - static_cast<double>(b(r, c)));
      if (!(difference <= std::numeric_limits<double>::max())) {
        return std::numeric_limits<double>::infinity();
      }
      largest = std::max(largest, difference);
    }
  }
  return largest;
}

/// The message of the `Error` that `call` throws; fails to match if none.
template <class Error, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& caught) {
    return caught.what();
  }
  return "nothing was thrown";
}

}  // namespace support
