// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "graphpatcher/eval/run_record.hpp"
#include "graphpatcher/eval/statistics.hpp"

/// What a record says over all its seeds: the numbers behind table, JSON and
/// report, computed in one place.
namespace graphpatcher {

/// Mean and deviation over seeds of one row of results.
struct result_statistics {
  statistics low;
  statistics high;
  statistics overall;
  statistics macro_f1;
};

/// The backbone alone, and what each seed answers: with the number of patches it chose, or as the rule weighs.
struct record_summary {
  result_statistics before;
  result_statistics after;
};

/// Results with n patches, and how many seeds chose that n.
struct patch_summary {
  std::size_t patches = 0;
  std::size_t chosen_by = 0;
  result_statistics results;
};

/// Test nodes whose degree falls into one interval.
struct degree_bin {
  std::string label;  ///< "3", "4-5", "11+"
  double nodes = 0;   ///< mean number a seed
  double before = undefined_metric;
  double after = undefined_metric;
  std::vector<double> differences{};  ///< after - before, of each seed that has such nodes
};

namespace detail {

/// `pick(run)` gives the row of each run to summarise.
template <class Pick>
result_statistics summarise_rows(const run_record& record, const Pick& pick) {
  std::vector<double> values(record.runs.size());
  const auto over_seeds = [&](double patch_result::*field) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = pick(record.runs[i]).*field;
    }
    return summarise(values);
  };
  return {over_seeds(&patch_result::low), over_seeds(&patch_result::high), over_seeds(&patch_result::overall),
          over_seeds(&patch_result::macro_f1)};
}

}  // namespace detail

inline record_summary summarise(const run_record& record) {
  check_record(record);
  return {detail::summarise_rows(record, [](const run_result& run) -> const patch_result& { return run.before(); }),
          detail::summarise_rows(record, [](const run_result& run) -> const patch_result& { return run.after(); })};
}

/// One entry for each number of patches, 0 first.
inline std::vector<patch_summary> summarise_patches(const run_record& record) {
  check_record(record);
  std::vector<patch_summary> rows;
  for (std::size_t n = 0; n < record.runs.front().by_patches.size(); ++n) {
    patch_summary row{n, 0, detail::summarise_rows(record, [n](const run_result& run) -> const patch_result& {
                        return run.by_patches[n];
                      })};
    for (const auto& run : record.runs) {
      row.chosen_by += !run.answer && run.chosen == n;
    }
    rows.push_back(row);
  }
  return rows;
}

/// Accuracy by degree in the intervals 0, 1, 2, 3, 4-5, 6-10, 11+, every node
/// of every seed with the same weight; intervals without nodes are left out.
inline std::vector<degree_bin> bin_by_degree(const run_record& record) {
  struct interval {
    std::size_t last;
    const char* label;
  };
  constexpr std::array<interval, 7> intervals{{{0, "0"},
                                               {1, "1"},
                                               {2, "2"},
                                               {3, "3"},
                                               {5, "4-5"},
                                               {10, "6-10"},
                                               {std::numeric_limits<std::size_t>::max(), "11+"}}};
  std::array<double, intervals.size()> nodes{}, before{}, after{};
  std::array<std::vector<double>, intervals.size()> differences;
  for (const auto& run : record.runs) {
    std::array<double, intervals.size()> own_nodes{}, gained{};
    for (const auto& row : run.by_degree) {
      std::size_t bin = 0;
      while (row.degree > intervals[bin].last) {
        ++bin;
      }
      const auto weight = static_cast<double>(row.nodes);
      if (weight > 0) {
        nodes[bin] += weight;
        before[bin] += weight * row.before;
        after[bin] += weight * row.after;
        own_nodes[bin] += weight;
        gained[bin] += weight * (row.after - row.before);
      }
    }
    for (std::size_t b = 0; b < intervals.size(); ++b) {
      if (own_nodes[b] > 0) {
        differences[b].push_back(gained[b] / own_nodes[b]);
      }
    }
  }
  std::vector<degree_bin> bins;
  for (std::size_t b = 0; b < intervals.size(); ++b) {
    if (nodes[b] > 0) {
      bins.push_back({intervals[b].label, nodes[b] / static_cast<double>(record.runs.size()), before[b] / nodes[b],
                      after[b] / nodes[b], differences[b]});
    }
  }
  return bins;
}

/// The notes of all runs, each once.
inline std::vector<std::string> notes_of(const run_record& record) {
  std::vector<std::string> notes;
  for (const auto& run : record.runs) {
    for (const auto& note : run.notes) {
      if (std::ranges::find(notes, note) == notes.end()) {
        notes.push_back(note);
      }
    }
  }
  return notes;
}

}  // namespace graphpatcher
