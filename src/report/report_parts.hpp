// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "graphpatcher/eval/number_text.hpp"
#include "graphpatcher/eval/summary.hpp"
#include "report/html.hpp"
#include "report/paired_change.hpp"

/// What sections of a report are made of: numbers with their changes, tables.
namespace graphpatcher::detail {

/// A difference to the backbone: the arrow says which way it goes, colour that it is sure.
inline std::string change_badge(const paired_change& change) {
  const std::string number = signed_text(change.mean, 2);
  const bool gain = number.front() == '+';
  const bool loss = number.front() == '-';
  return html::text_element("span",
                            {{"class", !change.sure || (!gain && !loss) ? "change same"
                                       : gain                           ? "change gain"
                                                                        : "change loss"}},
                            gain   ? "▲ " + number
                            : loss ? "▼ −" + number.substr(1)
                                   : number);
}

/// Keeps the column of numbers straight where there is nothing to compare.
inline std::string no_badge() {
  return html::text_element("span", {{"class", "change none"}, {"aria-hidden", "true"}}, "▲ +0.00");
}

inline std::string spread_markup(const statistics& value) {
  return fixed_text(value.mean, 2) +
         (value.count > 1 ? html::element("small", " ± " + fixed_text(value.deviation, 2)) : std::string());
}

/// How one number differs between two rows of every run.
template <class Row>
paired_change change_to(const run_record& record, double patch_result::*number, const Row& row) {
  std::vector<double> differences;
  for (const auto& run : record.runs) {
    differences.push_back(row(run).*number - run.before().*number);
  }
  return change_of(differences);
}

/// What a run answers.
inline const patch_result& answer_row(const run_result& run) {
  return run.after();
}

/// Whether there is anything beside the backbone alone.
inline bool is_compared(const run_record& record) {
  return record.runs.front().by_patches.size() > 1 || record.runs.front().answer.has_value();
}

/// A table in a box that scrolls sideways on a narrow screen.
inline std::string scrolling_table(const std::string& head, const std::string& body, const char* label,
                                   const char* style = "") {
  return html::element("div", {{"class", "sheet"}, {"role", "region"}, {"aria-label", label}, {"tabindex", "0"}},
                       html::element("table", {{"class", style}},
                                     html::element("thead", html::element("tr", head)) + html::element("tbody", body)));
}

inline std::string column_heads(std::initializer_list<const char*> names) {
  std::string out;
  for (const char* name : names) {
    out += html::text_element("th", {{"scope", "col"}}, name);
  }
  return out;
}

}  // namespace graphpatcher::detail
