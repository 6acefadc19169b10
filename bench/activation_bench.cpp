// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/activation.hpp"

#include <algorithm>
#include <cmath>

#include "support/rows_workload.hpp"
#include "workloads.hpp"

namespace bench {

std::vector<workload> activation_workloads(const run_options& options) {
  const auto x = [](const rows_inputs& in, std::size_t r, std::size_t c) { return static_cast<double>(in.x(r, c)); };
  const auto g = [](const rows_inputs& in, std::size_t r, std::size_t c) { return static_cast<double>(in.g(r, c)); };
  return rows_workloads(
      {{"relu", 1, 2, [](rows_inputs& in) { gp::relu(in.exec, in.x.view(), in.y.view()); },
        [=](const rows_inputs& in, std::size_t r, std::size_t c) { return std::max(x(in, r, c), 0.0); }},
       {"relu_adjoint", 1, 4, [](rows_inputs& in) { gp::relu_adjoint(in.exec, in.x.view(), in.g.view(), in.y.view()); },
        [=](const rows_inputs& in, std::size_t r, std::size_t c) { return x(in, r, c) > 0 ? g(in, r, c) : 0.0; }},
       {"elu", 2, 2, [](rows_inputs& in) { gp::elu(in.exec, in.x.view(), 1.0f, in.y.view()); },
        [=](const rows_inputs& in, std::size_t r, std::size_t c) {
          return x(in, r, c) > 0 ? x(in, r, c) : std::expm1(x(in, r, c));
        }},
       {"leaky_relu", 1, 2, [](rows_inputs& in) { gp::leaky_relu(in.exec, in.x.view(), 0.2f, in.y.view()); },
        [=](const rows_inputs& in, std::size_t r, std::size_t c) {
          return x(in, r, c) > 0 ? x(in, r, c) : 0.2 * x(in, r, c);
        }}},
      options);
}

}  // namespace bench
