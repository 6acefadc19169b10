// SPDX-License-Identifier: MIT
#include "experiments/report/paired.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

paired_difference paired(const seed_values& a, const seed_values& b) {
  std::vector<double> differences;
  for (const auto& [seed, value] : a) {
    if (const auto other = b.find(seed); other != b.end()) {
      differences.push_back(value - other->second);
    }
  }
  if (differences.empty()) {
    return {};
  }
  const auto [mean, deviation, count] = summarise(differences);
  paired_difference result;
  result.mean = mean;
  result.count = count;
  if (count > 1) {
    const double half = student_t_95(count - 1) * deviation / std::sqrt(static_cast<double>(count));
    result.low = mean - half;
    result.high = mean + half;
  }
  return result;
}

paired_difference mean_of(std::span<const paired_difference> differences) {
  if (differences.empty()) {
    return {};
  }
  const auto count = static_cast<double>(differences.size());
  paired_difference result{.mean = 0, .count = differences.front().count};
  double variance = 0, inverse_freedom = 0;  // of the sum; of the variance, times its square
  for (const auto& d : differences) {
    result.mean += d.mean / count;
    result.count = std::min(result.count, d.count);
    if (d.count > 1) {
      const double error = (d.high - d.low) / 2 / student_t_95(d.count - 1);
      variance += error * error;
      inverse_freedom += std::pow(error, 4) / static_cast<double>(d.count - 1);
    }
  }
  if (result.count > 1) {
    // t is known for whole degrees of freedom: the next smaller, whose interval is the wider. 1e-9: 4 is not 3.999...
    const double freedom = variance > 0 ? std::min(1e6, variance * variance / inverse_freedom + 1e-9) : 1;
    const double half = student_t_95(static_cast<std::size_t>(freedom)) * std::sqrt(variance) / count;
    result.low = result.mean - half;
    result.high = result.mean + half;
  }
  return result;
}

statistics summarise(const seed_values& values) {
  std::vector<double> list;
  for (const auto& [seed, value] : values) {
    list.push_back(value);
  }
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  return list.empty() ? statistics{nothing, nothing, 0} : summarise(list);
}

}  // namespace graphpatcher
