// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/report_parts.hpp"

namespace graphpatcher::detail {

/// What the rule decided, a row a seed: verdict, evidence, agreement, the largest weights, warnings. Nothing where no
/// rule weighed.
inline std::string decision_section(const run_record& record) {
  std::string body;
  for (const auto& run : record.runs) {
    if (!run.decision) {
      continue;
    }
    const auto& d = *run.decision;
    std::string weights, warnings;
    for (const auto& [name, weight] : d.weights) {
      weights += html::element("div", html::text_element("b", fixed_text(weight, 3)) + " " + html::escape(name));
    }
    for (const auto& warning : d.warnings) {
      warnings += html::element("div", html::escape(warning));
    }
    const auto cell = [](const std::string& content) { return html::element("td", content); };
    body += html::element(
        "tr", html::text_element("th", {{"scope", "row"}}, std::to_string(run.seed)) +
                  cell(d.accepted ? "weighted" : "backbone alone") +
                  cell(fixed_text(d.evidence, 2) + html::text_element("small", " needed " + fixed_text(d.needed, 1))) +
                  cell(fixed_text(d.agreement, 2)) + cell(std::to_string(d.validation_nodes)) +
                  html::element("td", {{"class", "list"}}, weights) +
                  html::element("td", {{"class", "words"}}, warnings.empty() ? "none" : warnings));
  }
  return body.empty()
             ? ""
             : html::element(
                   "section",
                   html::text_element("h2", "What the rule decided") +
                       html::text_element(
                           "p", {{"class", "hint"}},
                           "All answers are weighed by the likelihood that they give the labels of validation nodes; "
                           "the mixture is used where the evidence t is above what is needed, elsewhere the backbone "
                           "answers alone, bit for bit. H: how well neighbours agree with a node's label, over chance. "
                           "The weights are those of the mixture, the five largest.") +
                       scrolling_table(
                           column_heads({"seed", "verdict", "evidence t", "agreement H", "validation nodes"}) +
                               html::text_element("th", {{"scope", "col"}, {"class", "list"}}, "largest weights") +
                               html::text_element("th", {{"scope", "col"}, {"class", "words"}}, "warnings"),
                           body, "What the rule decided", "dense")) +
                   "\n";
}

}  // namespace graphpatcher::detail
