// SPDX-License-Identifier: MIT
#include <cmath>
#include <memory>

#include "graphpatcher/nn/optimizer.hpp"
#include "support/closeness.hpp"
#include "support/graphs.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

struct inputs {
  explicit inputs(std::size_t size)
      : weights("weights", size, size), before(random_matrix(size, size)), gradient(random_matrix(size, size, 2)) {
    weights.value = before;
    weights.open_gradient();
    weights.gradient = gradient;
  }

  gp::parameter<float> weights;
  gp::matrix<float> before;
  gp::matrix<float> gradient;
  gp::adamw<float> optimizer{{&weights}, {.learning_rate = 1e-3, .weight_decay = 5e-4}};
};

/// The first step: both moments are corrected for their start, so it is the sign of the gradient, nearly.
void check(const inputs& in) {
  for (std::size_t i = 0; i < in.before.size(); i += 31) {
    const auto g = static_cast<double>(in.gradient.values()[i]);
    const double want =
        (1 - 1e-3 * 5e-4) * static_cast<double>(in.before.values()[i]) - 1e-3 * g / (std::abs(g) + 1e-8);
    expects_close(std::abs(want - static_cast<double>(in.weights.value.values()[i])), 1e-6, "adamw");
  }
}

}  // namespace

std::vector<workload> optimizer_workloads(const run_options& options) {
  std::vector<workload> workloads;
  for (const std::size_t size : {std::size_t{128}, std::size_t{1024}, std::size_t{4096}}) {
    workloads.push_back(
        {"adamw/" + std::to_string(size) + "x" + std::to_string(size), [=] {
           auto in = std::make_shared<inputs>(size);
           const auto run = [in, threads = options.threads] {
             in->weights.has_gradient = true;  // the same one again
             in->optimizer.step(gp::cpu{threads});
           };
           const auto numbers = static_cast<double>(size * size);
           // weights and both moments are read and written, the gradient is read
           return prepared_workload{{13 * numbers, 4 * 7 * numbers, numbers, "weights/s"}, run, [in] { check(*in); }};
         }});
  }
  return workloads;
}

}  // namespace bench
