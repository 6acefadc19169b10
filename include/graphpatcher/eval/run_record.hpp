// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/eval/detail/run_settings.hpp"
#include "graphpatcher/eval/metrics.hpp"
#include "graphpatcher/eval/run_decision.hpp"
#include "graphpatcher/version.hpp"

/// A finished experiment: what was run, and what came out for every seed.
/// Plain data. All accuracies are percent of test nodes.
namespace graphpatcher {

/// Test results with a given number of patches; 0 is the backbone alone.
struct patch_result {
  std::size_t patches = 0;
  double low = undefined_metric;
  double high = undefined_metric;
  double overall = undefined_metric;
  double macro_f1 = undefined_metric;
};

/// Wall-clock time of the three parts of a run.
struct phase_seconds {
  double backbone = 0;
  double patcher = 0;
  double patching = 0;
};

/// Test nodes of one exact degree: accuracy of the backbone alone and of what
/// the run answers.
struct degree_result {
  std::size_t degree = 0;
  std::size_t nodes = 0;
  double before = undefined_metric;
  double after = undefined_metric;
};

/// One evaluation during training. A value that was not measured is NaN.
struct curve_point {
  std::size_t iteration = 0;
  double loss = undefined_metric;
  double validation = undefined_metric;  ///< accuracy, percent
};

/// What came out for one seed.
struct run_result {
  std::uint64_t seed = 0;
  patch_rule rule = patch_rule::validated;
  std::size_t chosen = 0;                ///< number of patches: picked on validation, or given (patch_rule::always)
  std::vector<patch_result> by_patches;  ///< entry n: n patches
  std::optional<patch_result> answer;    ///< of what makes one answer and chooses no number: weighted, spread, ...
  std::optional<run_decision> decision;  ///< of patch_rule::weighted
  phase_seconds seconds;
  std::size_t iterations = 0;      ///< training iterations of the patcher
  std::string path;                ///< that its training took; a record has it once, for all runs
  std::vector<std::string> notes;  ///< what a reader should know of how it was computed (patcher/path_notes.hpp)
  double peak_rss_mb = undefined_metric;
  std::vector<double> validation;  ///< accuracy on validation, entry n: n patches; may be empty
  std::vector<degree_result> by_degree;
  std::vector<curve_point> curves;          ///< of the patcher
  std::vector<curve_point> backbone_curve;  ///< of the backbone; iteration = epoch

  const patch_result& before() const { return by_patches.front(); }
  const patch_result& after() const { return answer ? *answer : by_patches[chosen]; }
};

/// An experiment: one setting, one or more seeds.
struct run_record {
  std::string dataset;
  std::string backbone;
  std::string method;
  std::string loss;
  std::string degree;
  std::string path;
  std::string version = graphpatcher::version;
  std::string command;  ///< command line that makes this record again; may be empty
  run_settings settings;
  std::vector<run_result> runs;
};

/// Throws argument_error unless there is at least one run, every run has a seed of its own and
/// results for 0, 1, .. n patches with the same n, and each choice is among
/// them. Tables, JSON and reports call this first.
inline void check_record(const run_record& record) {
  expects(!record.runs.empty(), "run record: expected at least one run, got none");
  const std::size_t count = record.runs.front().by_patches.size();
  std::set<std::uint64_t> seeds;
  for (const auto& run : record.runs) {
    expects(seeds.insert(run.seed).second, "run record: expected every seed once, got seed ", run.seed, " twice");
    expects(!run.by_patches.empty(), "run record: seed ", run.seed, " has no results, expected at least 0 patches");
    expects(run.by_patches.size() == count, "run record: seed ", run.seed, " has results up to ",
            run.by_patches.size() - 1, " patches, expected ", count - 1, " as for seed ", record.runs.front().seed);
    for (std::size_t n = 0; n < count; ++n) {
      expects(run.by_patches[n].patches == n, "run record: seed ", run.seed,
              ": expected results for 0, 1, 2, ... patches, got ", run.by_patches[n].patches, " at position ", n);
    }
    expects(run.chosen < count, "run record: seed ", run.seed, " chose ", run.chosen, " patches, expected at most ",
            count - 1);
    expects((run.rule == patch_rule::weighted) == run.decision.has_value() && (!run.decision || run.answer),
            "run record: seed ", run.seed, " has the rule ", word_of(run.rule),
            ", expected a decision and an answer with the rule weighted, and no decision without it");
    expects(run.answer.has_value() == record.runs.front().answer.has_value(), "run record: seed ", run.seed,
            run.answer ? " has" : " lacks", " an answer of its own beside those with patches, seed ",
            record.runs.front().seed, " doesn't agree");
    expects(run.validation.empty() || run.validation.size() == count, "run record: seed ", run.seed, " has ",
            run.validation.size(), " validation accuracies, expected ", count, " or none");
  }
}

}  // namespace graphpatcher
