// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphpatcher/eval/run_record.hpp"

namespace graphpatcher::test {

/// A run with 0..2 patches whose numbers are easy to follow by hand: the low
/// third gains 2 points a patch, the high third loses 0.5, all nodes gain 1.
inline run_result sample_run(std::uint64_t seed, std::size_t chosen, double low) {
  run_result run;
  run.seed = seed;
  run.chosen = chosen;
  for (std::size_t n = 0; n <= 2; ++n) {
    const auto step = static_cast<double>(n);
    run.by_patches.push_back({n, low + 2 * step, 90 - 0.5 * step, 80 + step, 75.5 + step});
  }
  run.seconds = {1.5, 20.25, 0.75};
  run.iterations = 300;
  run.peak_rss_mb = 128.5;
  run.validation = {79, 80.5, 80.25};
  run.by_degree = {{0, 10, 50, 60}, {1, 30, 70, 72}, {5, 20, 80, 80}, {40, 5, 90, 88}};
  run.curves = {{100, 1.5, 78}, {110, 0.75, undefined_metric}, {120, 0.5, 80}};
  run.backbone_curve = {{1, 1.9, 30}, {2, 1.1, 60}};
  return run;
}

/// Two seeds that start at 70 and 74 in the low third and choose 1 and 2 patches.
inline run_record sample_record() {
  run_record record;
  record.dataset = "cora";
  record.backbone = "gcn";
  record.method = "graphpatcher";
  record.loss = "paper";
  record.degree = "graph";
  record.path = "generic";
  record.command = "pipeline --dataset cora --seeds 2";
  record.settings.set("hidden", 1024);
  record.settings.set("learning_rate", 1e-3f);
  record.settings.set("strengths", "0.9,0.6,0.3");
  record.settings.set("quiet", false);
  record.runs = {sample_run(1, 1, 70), sample_run(2, 2, 74)};
  return record;
}

/// The same by the rule, which said yes in the first seed: 75 in its low third; no in the second.
inline run_record sample_weighted_record() {
  auto record = sample_record();
  for (auto& run : record.runs) {
    run.rule = patch_rule::weighted;
    run.answer = run.before();
    run.decision = run_decision{false, 0.5, 1, 0.625, 500, {{"own 3, spread over both", 0.75}, {"backbone", 0.25}}, {}};
  }
  record.runs[0].answer = patch_result{0, 75, 91, 82, 78};
  record.runs[0].decision->accepted = true;
  record.runs[0].decision->evidence = 4.25;
  record.runs[1].decision->warnings = {"only 20 validation nodes: <thin>"};
  return record;
}

}  // namespace graphpatcher::test
