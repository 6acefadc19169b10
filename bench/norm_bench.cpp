// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/norm.hpp"

#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "support/rows_workload.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr float eps = 1e-5f;

/// g gives gain and shift, its first two rows.
void normalise(rows_inputs& in, gp::norm_statistics<float> used) {
  gp::layer_norm<float>(in.exec, in.x.view(), in.g.view().middle_rows(0, 1), in.g.view().middle_rows(1, 2), eps, used,
                        in.y.view());
}

double want(const rows_inputs& in, std::size_t row, std::size_t col) {
  const auto values = in.x.row(row);
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const float value : values) {
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  }
  const double deviation = std::sqrt(squares / count + static_cast<double>(eps));
  return (static_cast<double>(values[col]) - mean) / deviation * static_cast<double>(in.g(0, col)) +
         static_cast<double>(in.g(1, col));
}

}  // namespace

std::vector<workload> norm_workloads(const run_options& options) {
  // mean and inverse deviation of each row, room for the largest workload
  const auto mean = std::make_shared<std::vector<float>>(65536);
  const auto inverse = std::make_shared<std::vector<float>>(65536);
  const rows_operation layer_norm{
      "layer_norm",
      8,
      2,
      [=](rows_inputs& in) {
        normalise(in, {std::span<float>(*mean).first(in.x.rows()), std::span<float>(*inverse).first(in.x.rows())});
      },
      want,
      1e-5};
  return rows_workloads({layer_norm}, options);
}

}  // namespace bench
