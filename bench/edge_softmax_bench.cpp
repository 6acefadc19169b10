// SPDX-License-Identifier: MIT
// Attention: softmax over the edges of each row, 1 and 8 heads, and its adjoint.
#include <cmath>
#include <memory>
#include <string>

#include "graphpatcher/ops/edge_softmax.hpp"
#include "support/closeness.hpp"
#include "support/graphs.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

struct inputs {
  gp::cpu exec;
  gp::message_graph<index> messages;
  gp::matrix<float> scores;
  gp::matrix<float> gradient;
  gp::matrix<float> out;
};

std::shared_ptr<inputs> make_inputs(const std::string& name, std::size_t heads, const run_options& options) {
  auto in = std::make_shared<inputs>();
  in->exec.threads = options.threads;
  in->messages = messages_of(graph(name, options));
  in->scores = random_matrix(in->messages.sources.size(), heads);
  in->gradient = random_matrix(in->messages.sources.size(), heads, 2);
  in->out = gp::matrix<float>(in->messages.sources.size(), heads);
  return in;
}

/// Counted: maximum, difference, exponential (as one), sum, quotient.
amount size_of(const inputs& in, double matrices) {
  const auto numbers = static_cast<double>(in.out.size());
  return {5 * numbers, 4 * (matrices * numbers + static_cast<double>(in.messages.offsets.size())),
          static_cast<double>(in.out.rows()), "edges/s"};
}

/// want(e) of the edges [first, last) of a row and a head.
template <class Want>
void check(const inputs& in, const Want& want) {
  for (std::size_t i = 0; i < in.messages.nodes(); i += 1 + in.messages.nodes() / 4096) {
    const auto first = static_cast<std::size_t>(in.messages.offsets[i]);
    const auto last = static_cast<std::size_t>(in.messages.offsets[i + 1]);
    for (std::size_t h = 0; h < in.out.cols(); ++h) {
      for (std::size_t e = first; e < last; e += 1 + (last - first) / 16) {
        // results are at most 1; the sum below them has one rounding a term
        const double tolerance = 1e-6 + static_cast<double>(last - first) * 0x1.0p-23;
        expects_close(std::abs(want(first, last, e, h) - static_cast<double>(in.out(e, h))), tolerance, "edge softmax");
      }
    }
  }
}

workload forward(const std::string& name, std::size_t heads, const run_options& options) {
  return {"edge_softmax/" + name + "/h" + std::to_string(heads), [=] {
            const auto in = make_inputs(name, heads, options);
            const auto run = [in] {
              gp::edge_softmax<float, index>(in->exec, in->messages.all(), in->scores.view(), in->out.view());
            };
            const auto softmax = [in](std::size_t first, std::size_t last, std::size_t edge, std::size_t h) {
              double sum = 0;
              for (std::size_t e = first; e < last; ++e) {
                sum += std::exp(static_cast<double>(in->scores(e, h)));
              }
              return std::exp(static_cast<double>(in->scores(edge, h))) / sum;
            };
            return prepared_workload{size_of(*in, 2), run, [=] { check(*in, softmax); }};
          }};
}

/// The scores are a softmax themselves, alpha. The result is 0 until after the check.
workload adjoint(const std::string& name, std::size_t heads, const run_options& options) {
  return {"edge_softmax_adjoint/" + name + "/h" + std::to_string(heads), [=] {
            const auto in = make_inputs(name, heads, options);
            gp::edge_softmax<float, index>(in->exec, in->messages.all(), random_matrix(in->scores.rows(), heads, 3),
                                           in->scores.view());
            const auto run = [in] {
              gp::edge_softmax_adjoint<float, index>(in->exec, in->messages.all(), in->scores.view(),
                                                     in->gradient.view(), in->out.view());
            };
            const auto slope = [in](std::size_t first, std::size_t last, std::size_t edge, std::size_t h) {
              double sum = 0;
              for (std::size_t e = first; e < last; ++e) {
                sum += static_cast<double>(in->scores(e, h)) * static_cast<double>(in->gradient(e, h));
              }
              return static_cast<double>(in->scores(edge, h)) * (static_cast<double>(in->gradient(edge, h)) - sum);
            };
            return prepared_workload{size_of(*in, 4), run, [=] { check(*in, slope); }};
          }};
}

}  // namespace

std::vector<workload> edge_softmax_workloads(const run_options& options) {
  std::vector<workload> workloads;
  for (const char* name : {"pubmed", "rmat-1e6"}) {
    workloads.push_back(forward(name, 1, options));
    workloads.push_back(forward(name, 8, options));
    workloads.push_back(adjoint(name, 8, options));
  }
  return workloads;
}

}  // namespace bench
