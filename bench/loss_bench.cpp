// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/loss.hpp"

#include <cmath>
#include <memory>
#include <string>

#include "support/rows_workload.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

double softmax_at(gp::matrix_view<const float> x, std::size_t row, std::size_t col) {
  double sum = 0;
  for (const float value : x.row(row)) {
    sum += std::exp(static_cast<double>(value));
  }
  return std::exp(static_cast<double>(x(row, col))) / sum;
}

constexpr std::size_t samples = 10;

/// The patcher's loss: each row of logits against 10 targets.
workload kl(std::size_t rows, std::size_t classes, const run_options& options) {
  struct inputs {
    gp::cpu exec;
    gp::matrix<float> targets, logits, slopes;
    std::vector<float> losses;
  };
  return {"kl_divergence/" + std::to_string(rows) + "x" + std::to_string(classes), [=] {
            auto in = std::make_shared<inputs>();
            in->exec.threads = options.threads;
            in->logits = random_matrix(rows, classes);
            in->slopes = gp::matrix<float>(rows, classes);
            in->losses.resize(rows);
            in->targets = gp::matrix<float>(rows * samples, classes);
            gp::softmax(in->exec, random_matrix(rows * samples, classes, 2), in->targets.view());
            const auto run = [in] {
              gp::kl_divergence(in->exec, in->targets.view(), in->logits.view(), samples, 1e-12f,
                                std::span<float>(in->losses), in->slopes.view());
            };
            const auto check = [=] {
              for (std::size_t r = 0; r < rows; r += 1 + rows / 512) {
                double want = 0;
                for (std::size_t l = 0; l < samples * classes; ++l) {
                  const auto y = static_cast<double>(in->targets(r * samples + l / classes, l % classes));
                  want +=
                      (y + 1e-12) * (std::log(y + 1e-12) - std::log(softmax_at(in->logits, r, l % classes) + 1e-12));
                }
                // terms are below 1, and an exponential and a logarithm are in each
                expects_close(std::abs(want - static_cast<double>(in->losses[r])),
                              1e-6 * static_cast<double>(samples * classes), "kl_divergence");
              }
            };
            const auto numbers = static_cast<double>(rows * classes);
            const auto targets = static_cast<double>(samples);
            return prepared_workload{
                {numbers * (3 + 5 * targets), 4 * numbers * (targets + 2), static_cast<double>(rows), "rows/s"},
                run,
                check};
          }};
}

}  // namespace

std::vector<workload> loss_workloads(const run_options& options) {
  const rows_operation softmax{
      "softmax", 5, 2, [](rows_inputs& in) { gp::softmax(in.exec, in.x.view(), in.y.view()); },
      [](const rows_inputs& in, std::size_t r, std::size_t c) { return softmax_at(in.x, r, c); }};
  return {rows_workload(softmax, 65536, 8, options), rows_workload(softmax, 65536, 64, options), kl(64, 7, options),
          kl(65536, 7, options)};
}

}  // namespace bench
