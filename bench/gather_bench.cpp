// SPDX-License-Identifier: MIT
// Rows picked by id, and added back by id.
#include "graphpatcher/ops/gather.hpp"

#include <memory>
#include <string>

#include "support/closeness.hpp"
#include "support/graphs.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

struct inputs {
  gp::cpu exec;
  std::vector<index> ids;  ///< the sources of a graph's edges
  gp::matrix<float> table;
  gp::matrix<float> rows;
};

std::shared_ptr<inputs> make_inputs(const std::string& name, std::size_t width, const run_options& options) {
  const auto& from = graph(name, options);
  auto in = std::make_shared<inputs>();
  in->exec.threads = options.threads;
  in->ids.assign(from.neighbors().begin(), from.neighbors().end());
  in->table = random_matrix(from.nodes(), width);
  in->rows = gp::matrix<float>(in->ids.size(), width);
  return in;
}

amount size_of(const inputs& in, double flops, double tables) {
  const auto rows = static_cast<double>(in.rows.rows());
  return {flops * static_cast<double>(in.rows.size()),
          4 * (rows + static_cast<double>(in.rows.size()) + tables * static_cast<double>(in.table.size())), rows,
          "rows/s"};
}

workload gather(const std::string& name, const run_options& options) {
  return {"gather_rows/" + name + "/w64", [=] {
            const auto in = make_inputs(name, 64, options);
            const auto run = [in] {
              gp::gather_rows<float, index>(in->exec, in->table.view(), std::span<const index>(in->ids),
                                            in->rows.view());
            };
            const auto check = [in] {
              for (std::size_t i = 0; i < in->ids.size(); i += 97) {
                const auto id = static_cast<std::size_t>(in->ids[i]);
                expects_close(in->rows.view().middle_rows(i, i + 1), in->table.view().middle_rows(id, id + 1), 0,
                              "gather_rows");
              }
            };
            return prepared_workload{size_of(*in, 0, 1), run, check};
          }};
}

workload scatter(const std::string& name, const run_options& options) {
  return {"scatter_add_rows/" + name + "/w64", [=] {
            const auto in = make_inputs(name, 64, options);
            in->rows.fill(1.0f);
            in->table.clear();
            const auto run = [in] {
              gp::scatter_add_rows<float, index>(in->exec, in->rows.view(), std::span<const index>(in->ids),
                                                 in->table.view());
            };
            const auto check = [in] {  // sums of ones are exact
              std::vector<double> counts(in->table.rows(), 0.0);
              for (const index id : in->ids) {
                counts[static_cast<std::size_t>(id)] += 1;
              }
              for (std::size_t v = 0; v < counts.size(); ++v) {
                expects_close(std::abs(counts[v] - static_cast<double>(in->table(v, v % 64))), 0, "scatter_add_rows");
              }
            };
            return prepared_workload{size_of(*in, 1, 2), run, check};
          }};
}

}  // namespace

std::vector<workload> gather_workloads(const run_options& options) {
  return {gather("pubmed", options), gather("rmat-1e6", options), scatter("pubmed", options),
          scatter("rmat-1e6", options)};
}

}  // namespace bench
