// SPDX-License-Identifier: MIT
// y = A x with the rows of A all ones: sums over neighbours, on whole graphs.
#include <memory>
#include <string>

#include "graphpatcher/ops/spmm.hpp"
#include "support/closeness.hpp"
#include "support/graphs.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

struct spmm_inputs {
  gp::cpu exec;
  gp::message_graph<index> messages;
  gp::matrix<float> x;
  gp::matrix<float> y;
};

std::shared_ptr<spmm_inputs> make_inputs(const std::string& name, std::size_t width, const run_options& options) {
  auto in = std::make_shared<spmm_inputs>();
  in->exec.threads = options.threads;
  in->messages = messages_of(graph(name, options));
  in->x = random_matrix(in->messages.nodes(), width);
  in->y = gp::matrix<float>(in->messages.nodes(), width);
  return in;
}

/// Additions are counted; x and the edges are read once, y is written once.
amount size_of(const spmm_inputs& in) {
  const auto edges = static_cast<double>(in.messages.sources.size());
  const auto rows = static_cast<double>(in.x.rows());
  const auto width = static_cast<double>(in.x.cols());
  return {edges * width, 4 * (2 * rows * width + edges + rows), edges, "edges/s"};
}

/// Row by row in double, by the definition. A is symmetric, so it is its own adjoint.
void check(const spmm_inputs& in) {
  for (std::size_t i = 0; i < in.y.rows(); i += 1 + in.y.rows() / 4096) {
    const auto first = static_cast<std::size_t>(in.messages.offsets[i]);
    const auto last = static_cast<std::size_t>(in.messages.offsets[i + 1]);
    double difference = 0;
    for (std::size_t c = 0; c < in.y.cols(); ++c) {
      double sum = 0;
      for (std::size_t e = first; e < last; ++e) {
        sum += static_cast<double>(in.x(static_cast<std::size_t>(in.messages.sources[e]), c));
      }
      difference = std::max(difference, std::abs(sum - static_cast<double>(in.y(i, c))));
    }
    expects_close(difference, rounding_of(last - first), "row " + std::to_string(i));
  }
}

workload forward(const std::string& name, std::size_t width, const run_options& options) {
  return {"spmm/" + name + "/w" + std::to_string(width), [=] {
            const auto in = make_inputs(name, width, options);
            const auto run = [in] {
              gp::spmm<float, index>(in->exec, in->messages.all(), {}, in->x.view(), in->y.view());
            };
            return prepared_workload{size_of(*in), run, [in] { check(*in); }};
          }};
}

/// It adds to what is there, which is 0 until after the check.
workload adjoint(const std::string& name, std::size_t width, const run_options& options) {
  return {"spmm_adjoint/" + name + "/w" + std::to_string(width), [=] {
            const auto in = make_inputs(name, width, options);
            const auto run = [in] {
              gp::spmm_adjoint<float, index>(in->exec, in->messages.all(), {}, in->x.view(), in->y.view());
            };
            amount size = size_of(*in);
            size.bytes += 4 * static_cast<double>(in->y.size());
            return prepared_workload{size, run, [in] { check(*in); }};
          }};
}

}  // namespace

std::vector<workload> spmm_workloads(const run_options& options) {
  std::vector<workload> workloads;
  const std::vector<std::size_t> widths =
      options.quick ? std::vector<std::size_t>{16, 64, 256} : std::vector<std::size_t>{16, 32, 64, 128, 256, 512, 1024};
  for (const char* name : {"cora", "pubmed", "coauthor-cs", "rmat-1e6"}) {
    for (const std::size_t width : widths) {
      workloads.push_back(forward(name, width, options));
    }
  }
  for (const char* name : {"pubmed", "rmat-1e6"}) {
    workloads.push_back(adjoint(name, 64, options));
  }
  return workloads;
}

}  // namespace bench
