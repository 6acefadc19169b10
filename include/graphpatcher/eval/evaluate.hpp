// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "graphpatcher/eval/degree_groups.hpp"
#include "graphpatcher/eval/report.hpp"
#include "graphpatcher/eval/run_record.hpp"
#include "graphpatcher/eval/table.hpp"
#include "graphpatcher/patcher/config_words.hpp"
#include "graphpatcher/patcher/path_notes.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"

namespace graphpatcher {

struct evaluate_options {
  std::size_t patches = 5;                  ///< report 0, 1, ..., this many
  std::size_t batch = 64;                   ///< anchors at once; changes memory and speed, never a result
  patch_rule rule = patch_rule::validated;  ///< or always; weighted is evaluate() with a list of patchers
};

namespace detail {

/// Predicted class of `nodes`, at their places in a vector over all nodes.
template <class T, graph_index I>
std::vector<I> predicted_classes(matrix_view<const T> logits, std::span<const I> nodes, std::size_t total) {
  std::vector<I> classes(total, I(-1));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto row = logits.row(i);
    classes[static_cast<std::size_t>(nodes[i])] =
        static_cast<I>(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return classes;
}

/// A model's `name` where it has one.
template <class Backbone>
std::string backbone_name() {
  if constexpr (requires { std::string(Backbone::name); }) {
    return std::string(Backbone::name);
  } else {
    return "own backbone";
  }
}

}  // namespace detail

/// The number of patches with the best validation accuracy; of equals the
/// larger, because each further patch was trained to change good predictions
/// less. Entry n of `validation` is the accuracy with n patches.
inline std::size_t choose_patches(std::span<const double> validation) {
  std::size_t chosen = 0;
  for (std::size_t n = 1; n < validation.size(); ++n) {
    if (validation[n] >= validation[chosen]) {
      chosen = n;
    }
  }
  return chosen;
}

/// Scores predictions by degree: `predict(nodes)` gives the logits of nodes with
/// 0, 1, ... patches. Those of validation nodes choose the number of patches,
/// unless it is always the largest; those of test nodes make the scores.
template <class T, graph_index I, class Predict>
run_result score_predictions(const dataset<T, I>& data, Predict&& predict, patch_rule rule = patch_rule::validated) {
  expects(rule != patch_rule::weighted, "score_predictions: expected the rule validated or always, got weighted; ",
          "evaluate() with a list of patchers weighs");
  data.check();
  expects(!data.split.test.empty(), data.name, ": expected test nodes to evaluate on, got none");
  run_result run;
  run.rule = rule;
  if (!data.split.validation.empty()) {
    const progress_label part("validation");
    for (const matrix<T>& logits : predict(data.split.validation)) {
      const auto classes = detail::predicted_classes<T, I>(logits, data.split.validation, data.nodes());
      run.validation.push_back(accuracy(classes, data.labels, data.split.validation));
    }
  }
  const progress_label part("test");
  const auto started = std::chrono::steady_clock::now();
  const std::vector<matrix<T>> patched = predict(data.split.test);
  run.seconds.patching = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  run.chosen = rule == patch_rule::always ? patched.size() - 1 : choose_patches(run.validation);

  const auto groups = make_degree_groups(data.graph, data.split.test);
  std::vector<std::vector<degree_count>> by_degree;
  for (std::size_t n = 0; n < patched.size(); ++n) {
    const auto classes = detail::predicted_classes<T, I>(patched[n], data.split.test, data.nodes());
    const auto scores = grouped_accuracy(groups, classes, data.labels);
    run.by_patches.push_back(
        {n, scores.low, scores.high, scores.overall, macro_f1(classes, data.labels, data.split.test, data.classes)});
    by_degree.push_back(accuracy_by_degree(data.graph, classes, data.labels, data.split.test));
  }
  const auto percent = [](const degree_count& count) {
    return 100.0 * static_cast<double>(count.correct) / static_cast<double>(count.nodes);
  };
  for (std::size_t d = 0; d < by_degree.front().size(); ++d) {
    const auto& before = by_degree.front()[d];
    run.by_degree.push_back({before.degree, before.nodes, percent(before), percent(by_degree[run.chosen][d])});
  }
  return run;
}

/// The evaluations of a training as points of a curve.
inline std::vector<curve_point> curve_of(const std::vector<patcher_evaluation>& evaluations) {
  std::vector<curve_point> curve;
  for (const auto& evaluation : evaluations) {
    const auto& shares = evaluation.validation_accuracies;
    curve.push_back({evaluation.iteration, evaluation.training_loss,
                     shares.empty() ? undefined_metric : *std::max_element(shares.begin(), shares.end())});
  }
  return curve;
}

/// Patches the validation nodes to choose how many patches to use, unless all
/// are, then the test nodes, and scores every number of patches by degree.
template <class T, graph_index I, backbone_for<T, I> Backbone>
run_result evaluate_run(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                        const trained_patcher<T>& patcher, const evaluate_options& options = {}) {
  auto patching = patching_as(patcher.config);
  patching.patches = options.patches;
  patching.batch = options.batch;
  patching.quiet = patcher.config.quiet;
  const auto predict = [&](const std::vector<I>& nodes) {
    return patch_nodes(exec, data.graph, data.features, model, patcher.generator, nodes, patching).logits;
  };
  auto run = score_predictions(data, predict, options.rule);
  run.seed = patcher.config.seed;
  run.iterations = patcher.iterations;
  run.path = word_of(patcher.path);
  run.notes = path_notes(exec, data, model, patcher.config);
  run.seconds.patcher = patcher.seconds;
  run.curves = curve_of(patcher.evaluations);
  return run;
}

/// Writes the options of a patcher into a record: all that bears on what comes
/// out. The seed is each run's own.
inline void describe(const patcher_config& config, run_record& record) {
  record.loss = word_of(config.loss);
  record.degree = word_of(config.degree);
  record.path = word_of(config.path);
  for_each_option(config, [&](const option& o, const auto& value) {
    if (o.changes_results && o.name != "seed") {
      record.settings.set(o.name, value);
    }
  });
}

/// Writes into a record how large the data is that it is about.
template <class T, graph_index I>
void describe(const dataset<T, I>& data, run_record& record) {
  record.settings.set("nodes", data.nodes());
  record.settings.set("edges", data.graph.entries() / 2);
  record.settings.set("features", data.features.cols());
  record.settings.set("classes", data.classes);
}

/// The result of evaluate(): a record of one run that can show itself. The two
/// writers are functions of graphpatcher::io (eval/report.hpp).
struct evaluation {
  run_record record;

  const run_result& run() const { return record.runs.front(); }
  std::string table() const { return text_table(record); }
  void write_html(const std::string& path) const { graphpatcher::write_html(record, path); }
  void write_json(const std::string& path) const { graphpatcher::write_json(record, path); }
};

/// A record without runs: what was evaluated.
template <class T, graph_index I, backbone_for<T, I> Backbone>
run_record describe_evaluation(const dataset<T, I>& data, const Backbone&, const trained_patcher<T>& patcher) {
  run_record record;
  record.dataset = data.name;
  record.backbone = detail::backbone_name<Backbone>();
  record.method = "graphpatcher";
  describe(patcher.config, record);
  describe(data, record);
  record.path = word_of(patcher.path);
  return record;
}

/// Scores a backbone with and without its patcher on the test nodes.
template <class T, graph_index I, backbone_for<T, I> Backbone>
evaluation evaluate(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                    const trained_patcher<T>& patcher, const evaluate_options& options = {}) {
  evaluation result{describe_evaluation(data, model, patcher)};
  result.record.runs.push_back(evaluate_run(exec, data, model, patcher, options));
  return result;
}

}  // namespace graphpatcher
