// SPDX-License-Identifier: MIT
// Sum, mean and maximum over the rows of segments that are as long as a graph's rows.
#include <algorithm>
#include <memory>
#include <string>

#include "graphpatcher/ops/segment_reduce.hpp"
#include "support/closeness.hpp"
#include "support/graphs.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

struct inputs {
  gp::cpu exec;
  gp::message_graph<index> messages;
  gp::matrix<float> x;
  gp::matrix<float> out;
  std::vector<index> winners;

  std::span<const index> offsets() const { return messages.offsets; }
};

/// x has a row an edge for sum and mean, a row a node for the maximum, which gathers.
std::shared_ptr<inputs> make_inputs(const std::string& name, std::size_t width, bool gathers,
                                    const run_options& options) {
  auto in = std::make_shared<inputs>();
  in->exec.threads = options.threads;
  in->messages = messages_of(graph(name, options));
  in->x = random_matrix(gathers ? in->messages.nodes() : in->messages.sources.size(), width);
  in->out = gp::matrix<float>(in->messages.nodes(), width);
  in->winners.resize(gathers ? in->out.size() : 0);
  return in;
}

amount size_of(const inputs& in) {
  const auto edges = static_cast<double>(in.messages.sources.size());
  const auto width = static_cast<double>(in.x.cols());
  const auto stored = static_cast<double>(in.x.size() + in.out.size() + in.winners.size() + in.offsets().size());
  return {edges * width, 4 * stored, edges, "edges/s"};
}

/// One segment after another in double; `how` as the operation was told.
void check(const inputs& in, gp::reduction how) {
  for (std::size_t s = 0; s < in.out.rows(); s += 1 + in.out.rows() / 4096) {
    const auto first = static_cast<std::size_t>(in.offsets()[s]);
    const auto last = static_cast<std::size_t>(in.offsets()[s + 1]);
    for (std::size_t c = 0; c < in.out.cols(); ++c) {
      double sum = 0;
      float largest = first == last ? 0.0f : -2.0f;
      for (std::size_t e = first; e < last; ++e) {
        const std::size_t row = how == gp::reduction::max ? static_cast<std::size_t>(in.messages.sources[e]) : e;
        sum += static_cast<double>(in.x(row, c));
        largest = std::max(largest, in.x(row, c));
      }
      const double mean = first == last ? 0 : sum / static_cast<double>(last - first);
      const double want = how == gp::reduction::max    ? static_cast<double>(largest)
                          : how == gp::reduction::mean ? mean
                                                       : sum;
      const double tolerance = how == gp::reduction::max ? 0 : rounding_of(last - first);
      expects_close(std::abs(want - static_cast<double>(in.out(s, c))), tolerance, "segment " + std::to_string(s));
    }
  }
}

workload reduce(const std::string& operation, gp::reduction how, const std::string& name, std::size_t width,
                const run_options& options) {
  return {operation + "/" + name + "/w" + std::to_string(width), [=] {
            const bool largest = how == gp::reduction::max;
            const auto in = make_inputs(name, width, largest, options);
            const auto run = [=] {
              if (largest) {
                gp::segment_max<float, index>(in->exec, in->messages.all(), in->x.view(), std::span<index>(in->winners),
                                              in->out.view());
              } else {
                gp::segment_reduce<float, index>(in->exec, in->offsets(), in->x.view(), how, in->out.view());
              }
            };
            return prepared_workload{size_of(*in), run, [=] { check(*in, how); }};
          }};
}

}  // namespace

std::vector<workload> segment_reduce_workloads(const run_options& options) {
  std::vector<workload> workloads;
  for (const char* name : {"pubmed", "rmat-1e6"}) {
    workloads.push_back(reduce("segment_sum", gp::reduction::sum, name, 64, options));
    workloads.push_back(reduce("segment_mean", gp::reduction::mean, name, 64, options));
    workloads.push_back(reduce("segment_max", gp::reduction::max, name, 64, options));
  }
  return workloads;
}

}  // namespace bench
