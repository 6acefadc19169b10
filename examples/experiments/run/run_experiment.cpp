// SPDX-License-Identifier: MIT
#include "experiments/run/run_experiment.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/progress.hpp"

namespace graphpatcher {

namespace {

void run_unit(const unit_run& run) {
  const auto& backbone = run.unit.backbone;
  expects(std::ranges::count(experiment_backbones, backbone) == 1, "experiment: no backbone is called '", backbone,
          "'; there are gcn, sage and gat");
  backbone == "gcn" ? run_on_gcn(run) : backbone == "sage" ? run_on_sage(run) : run_on_gat(run);
}

}  // namespace

experiment_outcome run_experiment(const std::vector<experiment_unit>& units, results_file& results,
                                  const load_function& load, const experiment_options& options) {
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
        throw_if_interrupted("experiments");
        const auto data = load(unit->dataset, unit->seed);
        run_unit({data, *unit, missing, results, options, [&](const std::string& what, std::size_t count) {
                    finished += count;
                    bar.advance(count, what);
                  }});
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
  {
    std::vector<std::jthread> helpers;  // joined on every way out
    try {
      for (int job = 1; job < options.jobs && static_cast<std::size_t>(job) < work.size(); ++job) {
        helpers.emplace_back(work_through);
      }
    } catch (const std::system_error&) {
      // The system gives no more threads: those there are do all of it.
    }
    work_through();
  }
  outcome.run = finished;
  bar.finish();
  if (interrupted) {
    std::rethrow_exception(interrupted);
  }
  return outcome;
}

}  // namespace graphpatcher
