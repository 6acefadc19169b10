// SPDX-License-Identifier: MIT
// A training iteration of the patcher and test-time patching: what users wait for.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "support/closeness.hpp"
#include "support/patcher_setup.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

constexpr double patches = 5;

/// Widths of the dense products.
struct widths {
  double batch;     ///< anchors
  double steps;     ///< patches made in an iteration
  double features;  ///< of a node
  double hidden;    ///< of the patcher
  double backbone;  ///< hidden units of the backbone

  explicit widths(const patcher_setup& setup)
      : batch(static_cast<double>(setup.batch(0).size())),
        steps(static_cast<double>(setup.steps())),
        features(static_cast<double>(setup.data().features.cols())),
        hidden(static_cast<double>(setup.generator_parameters().front().values->cols())),
        backbone(static_cast<double>(setup.backbone_hidden())) {}

  /// Generator, for one anchor: encoder 2, the dense half of decoder 1, decoder 2, decoder 3.
  double generator() const { return 3 * 2 * hidden * hidden + 2 * hidden * features; }

  /// A training iteration. Each product of the generator comes three times, forward and for both gradients; patches go
  /// through the first layer of the backbone. 5.35 GFLOP on Cora with 1024 hidden units and a batch of 64.
  double training_flops() const { return batch * steps * (3 * generator() + 2 * features * backbone); }

  /// Patching a node five times: five patches are made, go through the first layer of the backbone, and all but the
  /// last through that of the encoder. 58.8 MFLOP on Cora with 1024 hidden units.
  double patching_flops() const {
    return patches * (generator() + 2 * features * backbone) + (patches - 1) * 2 * features * hidden;
  }
};

/// Weights, gradients and moments move through memory once: read, and written but for the gradient.
amount training_size(const patcher_setup& setup) {
  const widths w(setup);
  const double weights = static_cast<double>(setup.bytes_of_model()) / 4;
  return {w.training_flops(), 6 * weights, w.batch, "anchors/s"};
}

/// Of the backbone: none where there is nothing to train on, or where it would take minutes.
std::size_t epochs_for(const std::string& name) {
  return name == "coauthor-cs" || name.starts_with("ogbn-") ? 0 : 200;
}

/// `iterations`: how many are compared with the generic path's; the second and third see the weights that were learnt.
workload train_workload(const std::string& name, std::size_t hidden, const run_options& options,
                        std::size_t iterations = 3) {
  return {"train_iteration/" + name + "/h" + std::to_string(hidden), [=] {
            patcher_setup::options how{.hidden = hidden, .epochs = epochs_for(name), .threads = options.threads};
            const auto setup = std::make_shared<patcher_setup>(load(name, options), how);
            const auto losses = std::make_shared<std::vector<double>>();
            const auto run = [=] { losses->push_back(setup->train_iteration()); };
            const auto check = [=] {  // one of them has been run
              for (std::size_t i = 1; i < iterations; ++i) {
                run();
              }
              const auto want = setup->generic_losses(losses->size());
              for (std::size_t i = 0; i < want.size(); ++i) {
                expects_close(std::abs(want[i] - (*losses)[i]), 1e-3 * std::abs(want[i]),
                              "loss of iteration " + std::to_string(i));
              }
              losses->reserve(1 << 20);
            };
            return prepared_workload{training_size(*setup), run, check};
          }};
}

void check_patching(const patcher_setup& setup, const std::vector<index>& nodes,
                    const std::vector<gp::matrix<float>>& got) {
  std::vector<std::size_t> rows;
  std::vector<index> some;
  for (std::size_t i = 0; i < nodes.size(); i += 1 + nodes.size() / 64) {
    rows.push_back(i);
    some.push_back(nodes[i]);
  }
  const auto want = setup.patch_generically(some);
  for (std::size_t k = 0; k < want.size(); ++k) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = want[k].view().middle_rows(i, i + 1);
      double largest = 1;
      for (const float logit : row.row(0)) {
        largest = std::max(largest, std::abs(static_cast<double>(logit)));
      }
      expects_close(got[k].view().middle_rows(rows[i], rows[i] + 1), row, 1e-3 * largest,
                    "logits of node " + std::to_string(some[i]) + " with " + std::to_string(k) + " patches");
    }
  }
}

/// Test nodes of the split; every node of Coauthor-CS.
workload patch_workload(const std::string& name, std::size_t hidden, bool slow, const run_options& options) {
  return {"patching/" + name + "/h" + std::to_string(hidden),
          [=] {
            auto data = load(name, options);
            const auto nodes = std::make_shared<std::vector<index>>(data.split.test);
            const patcher_setup::options how{.hidden = hidden, .epochs = epochs_for(name), .threads = options.threads};
            const auto setup = std::make_shared<patcher_setup>(std::move(data), how);
            const auto logits = std::make_shared<std::vector<gp::matrix<float>>>();
            const auto run = [=] { *logits = setup->patch(*nodes); };
            const auto count = static_cast<double>(nodes->size());
            const amount size{count * widths(*setup).patching_flops(),
                              static_cast<double>(setup->bytes_of_data() + setup->bytes_of_model() / 4), count,
                              "nodes/s"};
            return prepared_workload{size, run, [=] { check_patching(*setup, *nodes, *logits); }};
          },
          slow};
}

}  // namespace

std::vector<workload> patcher_workloads(const run_options& options) {
  std::vector<workload> workloads{train_workload("cora", 1024, options), train_workload("cora", 128, options),
                                  patch_workload("cora", 1024, false, options),
                                  patch_workload("cora", 128, false, options),
                                  patch_workload("coauthor-cs", 1024, true, options)};
  for (const char* name : {"ogbn-arxiv", "ogbn-arxiv-sparse"}) {
    for (const std::size_t hidden : {128, 1024}) {
      workloads.push_back(train_workload(name, hidden, options, 1));
      workloads.push_back(patch_workload(name, hidden, false, options));
    }
  }
  return workloads;
}

}  // namespace bench
