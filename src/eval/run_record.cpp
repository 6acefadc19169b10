// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/run_record.hpp"

#include <set>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

void check_record(const run_record& record) {
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
