// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "graphpatcher/autodiff/parameter.hpp"
#include "graphpatcher/autodiff/tape.hpp"

namespace graphpatcher {

namespace detail {

template <class Build>
double loss_value(tape<double>& scratch, Build& build) {
  scratch.reset();
  const variable<double> loss = build(scratch);
  expects<shape_error>(loss.rows() == 1 && loss.cols() == 1, "gradient_check: expected a 1 x 1 loss, got ", loss.rows(),
                       " x ", loss.cols());
  return loss.value()(0, 0);
}

/// (loss(x + step) - loss(x - step)) / (2 step) for every element of `p`.
template <class Build>
matrix<double> central_differences(tape<double>& scratch, parameter<double>& p, Build& build, double step) {
  matrix<double> result(p.value.rows(), p.value.cols());
  for (std::size_t i = 0; i < p.value.size(); ++i) {
    double& element = p.value.values()[i];
    const double before = element;
    const double above = before + step;
    const double below = before - step;
    element = above;
    const double loss_above = loss_value(scratch, build);
    element = below;
    const double loss_below = loss_value(scratch, build);
    element = before;
    result.values()[i] = (loss_above - loss_below) / (above - below);
  }
  return result;
}

/// Largest |a - n| / max(0.001 * largest gradient, |a|, |n|, 1e-8).
inline double largest_relative_difference(const matrix<double>& analytic, const matrix<double>& numeric) {
  double scale = 1e-8;
  for (std::size_t i = 0; i < analytic.size(); ++i) {
    scale = std::max({scale, 1e-3 * std::abs(analytic.values()[i]), 1e-3 * std::abs(numeric.values()[i])});
  }
  double largest = 0;
  for (std::size_t i = 0; i < analytic.size(); ++i) {
    const double a = analytic.values()[i];
    const double n = numeric.values()[i];
    const double difference = std::abs(a - n) / std::max({scale, std::abs(a), std::abs(n)});
    if (!std::isfinite(difference)) {
      return std::numeric_limits<double>::infinity();
    }
    largest = std::max(largest, difference);
  }
  return largest;
}

}  // namespace detail

/// Largest relative difference between the tape's gradient and central
/// differences, over every element of every parameter; infinity if either has
/// a NaN. `build(tape)` makes the 1 x 1 loss and must use the parameters with
/// `tape.use()`; for dropout it calls `tape.train()` with a fixed stream.
/// Values are restored and gradients left closed.
///
/// A right adjoint gives less than 1e-6 with the default step; one wrong
/// factor gives something near 1. Keep elements a few steps away from kinks.
template <class Build>
double gradient_check(const parameter_list<double>& parameters, Build&& build, double step = 1e-5) {
  expects(step > 0, "gradient_check: expected a positive step, got ", step);
  tape<double> scratch(cpu{.threads = 1});
  for (const auto* p : parameters) {
    expects(p != nullptr, "gradient_check: expected parameters, got a null pointer");
    p->has_gradient = false;
  }
  scratch.backward(build(scratch));
  std::vector<matrix<double>> analytic;
  for (const auto* p : parameters) {
    analytic.push_back(p->has_gradient ? p->gradient : matrix<double>(p->value.rows(), p->value.cols()));
    p->has_gradient = false;
  }
  double largest = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto numeric = detail::central_differences(scratch, *parameters[i], build, step);
    largest = std::max(largest, detail::largest_relative_difference(analytic[i], numeric));
  }
  return largest;
}

}  // namespace graphpatcher
