// SPDX-License-Identifier: MIT
// Sparse features times dense weights, and the gradient of the weights.
#include <memory>
#include <numeric>
#include <string>

#include "graphpatcher/ops/sparse_gemm.hpp"
#include "support/closeness.hpp"
#include "support/graphs.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

struct inputs {
  gp::cpu exec;
  gp::dataset<float, index> data;
  std::vector<index> ids;
  gp::matrix<float> w;
  gp::matrix<float> out;

  gp::feature_rows<float, index> rows() const { return {&data.features, ids}; }
  gp::sparse_rows<float, index> sparse() const { return {&data.features.sparse(), ids}; }
  std::size_t nonzeros() const {
    return std::accumulate(ids.begin(), ids.end(), std::size_t{0}, [&](std::size_t sum, index id) {
      return sum + data.features.sparse().row_columns(static_cast<std::size_t>(id)).size();
    });
  }
};

/// Every node of a dataset, or a batch of them.
std::shared_ptr<inputs> make_inputs(const std::string& name, std::size_t batch, const run_options& options) {
  auto in = std::make_shared<inputs>();
  in->exec.threads = options.threads;
  in->data = load(name, options);
  in->ids = anchors_of(in->data.graph, batch == 0 ? in->data.nodes() : batch);
  return in;
}

amount size_of(const inputs& in, double dense_rows) {
  const auto stored = static_cast<double>(in.nonzeros());
  const auto width = static_cast<double>(in.w.cols());
  const auto rows = static_cast<double>(in.ids.size());
  return {2 * stored * width, 8 * stored + 4 * width * (dense_rows + rows), rows, "rows/s"};
}

void check_forward(const inputs& in) {
  for (std::size_t r = 0; r < in.out.rows(); r += 1 + in.out.rows() / 256) {
    const auto row = in.sparse().row(r);
    for (std::size_t c = 0; c < in.out.cols(); ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        sum +=
            static_cast<double>(row.values[k]) * static_cast<double>(in.w(static_cast<std::size_t>(row.columns[k]), c));
      }
      expects_close(std::abs(sum - static_cast<double>(in.out(r, c))), rounding_of(row.columns.size()), "sparse_gemm");
    }
  }
}

/// w holds the gradient of the result, out that of the weights, 0 until after the check.
void check_adjoint(const inputs& in) {
  const std::size_t column_step = 1 + in.out.cols() / 8;
  for (std::size_t c = 0; c < in.out.cols(); c += column_step) {
    std::vector<double> sums(in.out.rows(), 0.0);
    for (std::size_t r = 0; r < in.ids.size(); ++r) {
      const auto row = in.sparse().row(r);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        sums[static_cast<std::size_t>(row.columns[k])] +=
            static_cast<double>(row.values[k]) * static_cast<double>(in.w(r, c));
      }
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
      expects_close(std::abs(sums[k] - static_cast<double>(in.out(k, c))), rounding_of(in.ids.size()),
                    "sparse_gemm_adjoint");
    }
  }
}

std::string name_of(const std::string& operation, const std::string& name, std::size_t batch, std::size_t width) {
  return operation + "/" + name + (batch == 0 ? "" : "/b" + std::to_string(batch)) + "/w" + std::to_string(width);
}

workload forward(const std::string& name, std::size_t batch, std::size_t width, const run_options& options) {
  return {
      name_of("sparse_gemm", name, batch, width), [=] {
        auto in = make_inputs(name, batch, options);
        in->w = random_matrix(in->data.features.cols(), width);
        in->out = gp::matrix<float>(in->ids.size(), width);
        const auto run = [in] { gp::sparse_gemm(in->exec, in->rows(), in->w.view(), in->out.view()); };
        return prepared_workload{size_of(*in, static_cast<double>(in->w.rows())), run, [in] { check_forward(*in); }};
      }};
}

workload adjoint(const std::string& name, std::size_t batch, std::size_t width, const run_options& options) {
  return {name_of("sparse_gemm_adjoint", name, batch, width), [=] {
            auto in = make_inputs(name, batch, options);
            in->w = random_matrix(in->ids.size(), width);
            in->out = gp::matrix<float>(in->data.features.cols(), width);
            const auto run = [in] { gp::sparse_gemm_adjoint(in->exec, in->rows(), in->w.view(), in->out.view()); };
            return prepared_workload{size_of(*in, 2 * static_cast<double>(in->out.rows())), run,
                                     [in] { check_adjoint(*in); }};
          }};
}

}  // namespace

std::vector<workload> sparse_gemm_workloads(const run_options& options) {
  const std::size_t pooled = 3703;  // GraphSAGE's pooling is as wide as the features
  return {forward("cora", 0, 64, options),         forward("cora", 64, 1024, options),
          forward("pubmed", 0, 64, options),       forward("coauthor-cs", 0, 64, options),
          forward("citeseer", 0, pooled, options), adjoint("cora", 64, 1024, options),
          adjoint("cora", 0, 64, options),         adjoint("citeseer", 0, pooled, options)};
}

}  // namespace bench
