// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/dropout.hpp"

#include "support/rows_workload.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

const gp::dropout_options dropping{gp::random_stream(1, gp::purpose::dropout), 0.2};

void drop(rows_inputs& in) {
  gp::dropout<float, index>(in.exec, dropping, {}, in.x.view(), in.y.view());
}

/// What is kept is x / 0.8. Which numbers are kept is for the tests to say; here, that a row alone keeps the same ones.
double want(const rows_inputs& in, std::size_t row, std::size_t col) {
  const index key = static_cast<index>(row);
  gp::matrix<float> alone(1, in.x.cols());
  gp::dropout<float, index>(gp::cpu{1}, dropping, std::span<const index>(&key, 1),
                            in.x.view().middle_rows(row, row + 1), alone.view());
  return alone(0, col) == 0.0f ? 0.0 : static_cast<double>(in.x(row, col)) / 0.8;
}

}  // namespace

std::vector<workload> dropout_workloads(const run_options& options) {
  return rows_workloads({{"dropout", 2, 2, drop, want}}, options);
}

}  // namespace bench
