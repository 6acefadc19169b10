// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/feature_table.hpp"

/// How far two ways of computing the same sums may be apart in double.
///
/// A sum of products in which no number goes through more than k roundings is off by at most gamma(k) times the same
/// sum of absolute values, gamma(k) = k u / (1 - k u), u = 2^-53, in whatever order it is added up (Higham, Accuracy
/// and Stability of Numerical Algorithms, 3.1). Maxima and ReLU pass errors on without making them larger. So a network
/// of these is off by at most gamma(k) times what the same network says with absolute values of weights and features.
namespace rounding {

namespace gp = graphpatcher;

/// For two results: each is off by gamma(k), and the sum of absolute values, which is rounded as well, by another.
inline double apart(std::size_t roundings) {
  const double ku = 2 * static_cast<double>(roundings) * 0x1p-53;
  return 2 * ku / (1 - ku);
}

inline gp::matrix<double> absolute(gp::matrix<double> numbers) {
  std::ranges::transform(numbers.values(), numbers.values().begin(), [](double x) { return std::abs(x); });
  return numbers;
}

/// A network with absolute values of its weights.
template <class Model>
Model absolute_network(Model model) {
  for (auto* p : model.parameters()) {
    p->value = absolute(p->value);
  }
  return model;
}

template <class I>
gp::feature_table<double, I> absolute_features(const gp::feature_table<double, I>& table) {
  gp::matrix<double> rows(table.rows(), table.cols());
  for (std::size_t v = 0; v < table.rows(); ++v) {
    table.read_row(v, rows.row(v));
  }
  return gp::sparse_from_dense<I>(absolute(std::move(rows)).view());
}

/// Whether |a - b| <= apart(roundings) * sizes, element by element.
template <class A, class B>
bool close(const A& a, const B& b, std::size_t roundings, const gp::matrix<double>& sizes) {
  bool fine = a.rows() == b.rows() && a.cols() == b.cols() && a.rows() == sizes.rows() && a.cols() == sizes.cols();
  for (std::size_t r = 0; fine && r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.cols(); ++c) {
      fine = fine && std::abs(a(r, c) - b(r, c)) <= apart(roundings) * sizes(r, c);
    }
  }
  return fine;
}

}  // namespace rounding
