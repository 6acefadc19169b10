// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/elementwise.hpp"

#include "support/rows_workload.hpp"
#include "workloads.hpp"

namespace bench {

std::vector<workload> elementwise_workloads(const run_options& options) {
  const auto x = [](const rows_inputs& in, std::size_t r, std::size_t c) { return static_cast<double>(in.x(r, c)); };
  const auto g = [](const rows_inputs& in, std::size_t r, std::size_t c) { return static_cast<double>(in.g(r, c)); };
  return rows_workloads(
      {{"add", 1, 3, [](rows_inputs& in) { gp::add(in.exec, in.x.view(), in.g.view(), in.y.view()); },
        [=](const rows_inputs& in, std::size_t r, std::size_t c) { return x(in, r, c) + g(in, r, c); }},
       {"multiply", 1, 3, [](rows_inputs& in) { gp::multiply(in.exec, in.x.view(), in.g.view(), in.y.view()); },
        [=](const rows_inputs& in, std::size_t r, std::size_t c) { return x(in, r, c) * g(in, r, c); }},
       {"add_scaled", 2, 3, [](rows_inputs& in) { gp::add_scaled(in.exec, in.x.view(), 0.5f, in.y.view()); },
        [=](const rows_inputs& in, std::size_t r, std::size_t c) { return 0.5 * x(in, r, c); }},
       {"add_bias", 1, 2,
        [](rows_inputs& in) { gp::add_bias(in.exec, in.x.view(), in.g.view().middle_rows(0, 1), in.y.view()); },
        [=](const rows_inputs& in, std::size_t r, std::size_t c) { return x(in, r, c) + g(in, 0, c); }}},
      options);
}

}  // namespace bench
