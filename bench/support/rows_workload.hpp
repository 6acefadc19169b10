// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "closeness.hpp"
#include "graphs.hpp"

namespace bench {

/// Operations that go over the numbers of a matrix once: what they read and write, and what each number should be.
struct rows_inputs {
  gp::cpu exec;
  gp::matrix<float> x;
  gp::matrix<float> g;  ///< a second factor or a gradient
  gp::matrix<float> y;  ///< 0 at first; adjoints add to it
};

struct rows_operation {
  std::string name;
  double flops = 1;     ///< for a number
  double matrices = 2;  ///< read or written
  std::function<void(rows_inputs&)> run;
  std::function<double(const rows_inputs&, std::size_t row, std::size_t col)> want;  ///< after one run
  double tolerance = 1e-6;
};

/// The workload on `rows` x `cols` numbers.
inline workload rows_workload(const rows_operation& operation, std::size_t rows, std::size_t cols,
                              const run_options& options) {
  return {operation.name + "/" + std::to_string(rows) + "x" + std::to_string(cols), [=] {
            auto in = std::make_shared<rows_inputs>();
            in->exec.threads = options.threads;
            in->x = random_matrix(rows, cols);
            in->g = random_matrix(rows, cols, 2);
            in->y = gp::matrix<float>(rows, cols);
            const auto numbers = static_cast<double>(rows * cols);
            const amount size{operation.flops * numbers, 4 * operation.matrices * numbers, static_cast<double>(rows),
                              "rows/s"};
            const auto check = [=] {
              for (std::size_t r = 0; r < rows; r += 1 + rows / 512) {
                for (std::size_t c = 0; c < cols; c += 1 + cols / 512) {
                  expects_close(std::abs(operation.want(*in, r, c) - static_cast<double>(in->y(r, c))),
                                operation.tolerance, operation.name);
                }
              }
            };
            return prepared_workload{size, [=] { operation.run(*in); }, check};
          }};
}

/// Every operation on a matrix that stays in a cache and on one that does not.
inline std::vector<workload> rows_workloads(const std::vector<rows_operation>& operations, const run_options& options) {
  std::vector<workload> workloads;
  for (const rows_operation& each : operations) {
    workloads.push_back(rows_workload(each, 64, 1024, options));
    workloads.push_back(rows_workload(each, 65536, 256, options));
  }
  return workloads;
}

}  // namespace bench
