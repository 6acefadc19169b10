// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "report/report_parts.hpp"

/// The head of a report: what was run, and the result in two sentences and three numbers.
namespace graphpatcher::detail {

inline std::string report_title(const run_record& record) {
  const bool named = record.method.find("weighted") != std::string::npos;
  const std::string rule = record.runs.front().decision && !named ? ", weighted" : "";
  const std::string what = (record.backbone.empty() ? "" : record.backbone + " with ") + record.method + rule;
  return record.dataset.empty() ? what : record.dataset + ": " + what;
}

inline std::string headline_card(const char* name, const statistics& before, const statistics& after,
                                 const paired_change& change, bool patched) {
  const std::string spread = after.count > 1 ? " ± " + fixed_text(after.deviation, 2) : "";
  return html::element(
      "div", {{"class", "card"}},
      html::text_element("h3", name) +
          html::element("p", {{"class", "big"}}, fixed_text(after.mean, 2) + html::element("small", " %" + spread)) +
          (patched
               ? html::element("p", {{"class", "from"}}, change_badge(change) + " from " + fixed_text(before.mean, 2))
               : std::string()));
}

/// How many seeds there are, and how each came to its answer.
inline std::string rule_text(const run_record& record) {
  const auto& first = record.runs.front();
  const std::size_t seeds = record.runs.size();
  const std::string means = seeds > 1 ? text(" Means over ", seeds, " seeds") : " One seed";
  if (first.decision) {
    const auto accepted = std::ranges::count_if(record.runs, [](const auto& run) { return run.decision->accepted; });
    const auto weighed = static_cast<std::size_t>(accepted);
    const std::string each = seeds > 1 ? " in each" : "";
    return means + (weighed == seeds ? "; the rule weighed all answers" + each + "."
                    : weighed == 0   ? "; the evidence was thin, so the rule left the backbone alone" + each + "."
                                     : text("; the rule weighed all answers in ", weighed,
                                            " of them, and left the backbone alone in ", seeds - weighed, "."));
  }
  if (first.answer) {
    return means + ".";
  }
  if (first.rule == patch_rule::always) {
    return means + text("; every node has ", first.chosen, " patches.");
  }
  return means + (seeds > 1 ? std::string("; each chose its number of patches on validation nodes.")
                            : text("; the number of patches, ", first.chosen, ", was chosen on validation nodes."));
}

/// The result in two sentences.
inline std::string lead_text(const run_record& record, const record_summary& summary, bool patched) {
  const std::size_t seeds = record.runs.size();
  const auto way = [&](const statistics& before, const statistics& after) {
    return patched ? "from " + fixed_text(before.mean, 2) + " to " + fixed_text(after.mean, 2) + " %"
                   : fixed_text(after.mean, 2) + " %";
  };
  const std::string low = way(summary.before.low, summary.after.low);
  const std::string all = way(summary.before.overall, summary.after.overall);
  if (!patched) {
    return "Accuracy is " + low + " on the third of the test nodes with the lowest degrees and " + all +
           " on all test nodes, without patches." + (seeds > 1 ? text(" Means over ", seeds, " seeds.") : "");
  }
  const auto& first = record.runs.front();
  const std::string how = first.answer ? "With " + (first.decision ? "the rule" : record.method) : "With patches";
  return how + ", accuracy on the third of the test nodes with the lowest degrees goes " + low +
         ", and on all test nodes " + all + "." + rule_text(record);
}

/// When a change has a colour.
inline std::string colour_hint(const run_record& record) {
  return record.runs.size() > 1
             ? "A change has a colour where its 95 % interval over seeds, paired, leaves out zero."
             : "No change has a colour: with one seed nobody knows how much of it is chance. Run more (--seeds).";
}

inline std::string header_section(const run_record& record) {
  const auto summary = summarise(record);
  const auto& [before, after] = summary;
  const bool patched = is_compared(record);
  const auto fact = [](const char* name, const std::string& value) {
    return value.empty() ? std::string()
                         : html::element("li", std::string(name) + " " + html::text_element("b", value));
  };
  const auto counted = [&](const char* name) {
    const auto& all = record.settings.entries();
    const auto found = std::ranges::find(all, name, &run_settings::entry::first);
    return fact(name, found == all.end() ? "" : setting_text(found->second));
  };
  const std::string facts = counted("nodes") + counted("edges") + counted("classes") + fact("loss", record.loss) +
                            fact("degrees", record.degree) + fact("path", record.path) +
                            fact("seeds", std::to_string(record.runs.size())) + fact("version", record.version);
  const auto card = [&, &before = before, &after = after](const char* name, statistics result_statistics::*group,
                                                          double patch_result::*number) {
    return headline_card(name, before.*group, after.*group, change_to(record, number, answer_row), patched);
  };
  const std::string cards = card("Low third by degree", &result_statistics::low, &patch_result::low) +
                            card("High third by degree", &result_statistics::high, &patch_result::high) +
                            card("All test nodes", &result_statistics::overall, &patch_result::overall);
  const std::string hint = patched ? html::text_element("p", {{"class", "hint"}}, colour_hint(record)) : "";
  std::string notes;
  for (const auto& note : notes_of(record)) {
    notes += html::text_element("p", {{"class", "hint"}}, note);
  }
  return html::element("header", html::text_element("p", {{"class", "kind"}}, "GraphPatcher report") +
                                     html::text_element("h1", report_title(record)) +
                                     html::text_element("p", {{"class", "lead"}}, lead_text(record, summary, patched)) +
                                     html::element("ul", {{"class", "facts"}}, facts) + notes +
                                     html::element("div", {{"class", "cards"}}, cards) + hint) +
         "\n";
}

}  // namespace graphpatcher::detail
