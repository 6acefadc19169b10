// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/progress.hpp"
#include "experiments/experiment_plan.hpp"
#include "experiments/results_file.hpp"
#include "experiments/run_cell.hpp"
#include "experiments/stored_backbone.hpp"

namespace graphpatcher {

struct experiment_options {
  std::filesystem::path backbones;  ///< folder in which trained backbones are kept; empty: nowhere
  int jobs = hardware_threads();    ///< units at once, each on one thread; changes no result
  cell_options cell{};
  fit_options fit{};
  progress_options progress{};
};

/// How an experiment ended.
struct experiment_outcome {
  std::size_t run = 0;                ///< cells that were run now
  std::size_t known = 0;              ///< cells that were in the file before
  std::vector<std::string> failures;  ///< one line for each unit that broke
};

namespace detail {

template <class T, graph_index I, class Show>
void run_unit(const dataset<T, I>& data, const experiment_unit& unit, const std::vector<cell_key>& missing,
              results_file& results, const experiment_options& options, Show&& show) {
  const cpu exec{1};
  const auto file = options.backbones.empty()
                        ? std::filesystem::path()
                        : options.backbones / text(unit.dataset, "-", unit.backbone, "-", unit.seed, ".safetensors");
  const std::string name = text(unit.dataset, " ", unit.backbone, " seed ", unit.seed);
  show(name + ": training the backbone", 0);
  auto fitting = options.fit;
  fitting.watch = [&](const training_history& history) {
    show(history.epochs() % 10 == 0 ? text(name, ": training the backbone, epoch ", history.epochs()) : "", 0);
    if (options.fit.watch) {
      options.fit.watch(history);
    }
  };
  with_backbone(exec, data, unit.backbone, unit.seed, fitting, file, [&](const auto& model) {
    const cell_scorer<T, I> scorer(data);
    for (const auto& key : missing) {
      throw_if_interrupted("experiments");
      show(text(name, ": ", key.method, " ", key.setting), 0);
      auto cell = run_cell(exec, data, model, scorer, key, options.cell);
      cell.backbone_seconds = model.history.seconds;
      cell.settings.set("backbone epochs", model.history.epochs());
      cell.settings.set("training nodes", data.split.train.size());
      cell.settings.set("validation nodes", data.split.validation.size());
      cell.settings.set("test nodes", data.split.test.size());
      results.add(std::move(cell));
      show("", 1);
    }
  });
}

}  // namespace detail

/// Runs the cells that are not in the file yet, or there with other options than
/// their setting stands for now, several units at once.
/// `load(dataset, seed)` gives the data of a unit; data without a public split
/// may have another split for each seed. A unit that breaks is reported, the
/// others go on. Ctrl-C inside an interrupt_scope ends it with an
/// interrupted_error; finished cells are in the file, whoever calls again with
/// the same file goes on from there.
template <class Load>
experiment_outcome run_experiment(const std::vector<experiment_unit>& units, results_file& results, Load&& load,
                                  const experiment_options& options = {}) {
  expects(options.jobs >= 1, "experiment: expected at least 1 job, got ", options.jobs);
  experiment_outcome outcome;
  std::vector<std::pair<const experiment_unit*, std::vector<cell_key>>> work;
  const auto is_finished = [&](const cell_key& key) {
    const auto cell = results.find(key);
    return cell && is_current(*cell, options.cell);
  };
  for (const auto& unit : units) {
    std::vector<cell_key> missing;
    for (const auto& key : unit.cells) {
      is_finished(key) ? void(++outcome.known) : missing.push_back(key);
    }
    outcome.run += missing.size();
    if (!missing.empty()) {
      work.emplace_back(&unit, std::move(missing));
    }
  }
  progress bar("experiments", outcome.run, options.progress);
  std::atomic<std::size_t> next{0}, finished{0};
  std::mutex mutex;
  std::exception_ptr interrupted;
  const auto work_through = [&] {
    for (std::size_t i = next++; i < work.size(); i = next++) {
      const auto& [unit, missing] = work[i];
      try {
        const auto data = load(unit->dataset, unit->seed);
        detail::run_unit(data, *unit, missing, results, options, [&](const std::string& what, std::size_t count) {
          finished += count;
          bar.advance(count, what);
        });
      } catch (const interrupted_error&) {
        const std::lock_guard<std::mutex> lock(mutex);
        interrupted = std::current_exception();
        next = work.size();
      } catch (const std::exception& problem) {
        const std::lock_guard<std::mutex> lock(mutex);
        outcome.failures.push_back(
            text(unit->dataset, " ", unit->backbone, " seed ", unit->seed, ": ", problem.what()));
      }
    }
  };
  std::vector<std::thread> helpers;
  for (int job = 1; job < options.jobs && static_cast<std::size_t>(job) < work.size(); ++job) {
    helpers.emplace_back(work_through);
  }
  work_through();
  for (auto& helper : helpers) {
    helper.join();
  }
  outcome.run = finished;
  bar.finish();
  if (interrupted) {
    std::rethrow_exception(interrupted);
  }
  return outcome;
}

}  // namespace graphpatcher
