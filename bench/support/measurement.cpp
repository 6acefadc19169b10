// SPDX-License-Identifier: MIT
#include "measurement.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>

namespace bench {

double median_of(std::vector<double> values) {
  if (values.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double measurement::median() const {
  return median_of(seconds);
}

double measurement::least() const {
  return seconds.empty() ? std::numeric_limits<double>::quiet_NaN() : *std::min_element(seconds.begin(), seconds.end());
}

nlohmann::ordered_json to_json(const machine& where, const limits& bound, const std::vector<measurement>& results) {
  auto list = nlohmann::ordered_json::array();
  for (const measurement& each : results) {
    nlohmann::ordered_json entry{{"work", each.workload}};
    if (!each.error.empty()) {
      entry["error"] = each.error;
    } else if (!each.skipped.empty()) {
      entry["skipped"] = each.skipped;
    } else {
      entry["seconds"] = each.median();
      entry["min"] = each.least();
      entry["runs"] = each.seconds.size();
      entry["rate"] = each.rate();
      entry["unit"] = each.size.unit;
      entry["flops"] = each.size.flops;
      entry["bytes"] = each.size.bytes;
      entry["share_of_limit"] = each.share_of_limit(bound);
      entry["peers"] = nlohmann::ordered_json::array();
    }
    list.push_back(std::move(entry));
  }
  return {
      {"machine", {{"cpu", where.cpu}, {"cores", where.cores}, {"compiler", where.compiler}, {"flags", where.flags}}},
      {"threads", bound.threads},
      {"fma_peak_gflops", bound.fma_peak_gflops},
      {"fma_best_gflops", bound.fma_best_gflops},
      {"read_gbps", bound.read_gbps},
      {"results", std::move(list)}};
}

}  // namespace bench
