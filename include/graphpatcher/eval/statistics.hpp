// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

/// Mean and sample standard deviation of one number over seeds.
struct statistics {
  double mean = 0;
  double deviation = 0;
  std::size_t count = 0;
};

/// mean = (1/n) sum x, deviation = sqrt(sum (x - mean)^2 / (n - 1)); a single
/// value has deviation 0. A NaN among the values makes both NaN; no values at
/// all are an argument_error.
inline statistics summarise(std::span<const double> values) {
  expects<argument_error>(!values.empty(), "statistics: expected at least one value, got none");
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  const double mean = sum / count;
  if (values.size() == 1) {
    return {mean, std::isnan(mean) ? mean : 0.0, 1};
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return {mean, std::sqrt(squares / (count - 1)), values.size()};
}

}  // namespace graphpatcher
