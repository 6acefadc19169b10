// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/report.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/eval/number_text.hpp"
#include "graphpatcher/eval/summary.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "report/decision_section.hpp"
#include "report/html.hpp"
#include "report/report_header.hpp"
#include "report/report_parts.hpp"
#include "report/report_plots.hpp"
#include "report/report_style.hpp"
#include "report/reproduce_section.hpp"

namespace graphpatcher {

namespace {

using namespace detail;

std::string results_section(const run_record& record) {
  const auto summary = summarise(record);
  const auto rows = summarise_patches(record);
  const std::size_t seeds = record.runs.size();
  const bool compared = is_compared(record);
  const auto row_markup = [&](const std::string& head, const result_statistics& row, const auto& row_of, bool patched,
                              const char* style) {
    const auto cell = [&](statistics result_statistics::*group, double patch_result::*number) {
      const std::string change = patched ? change_badge(change_to(record, number, row_of)) : no_badge();
      return html::element("td", spread_markup(row.*group) + (compared ? change : std::string()));
    };
    return html::element("tr", {{"class", style}},
                         html::element("th", {{"scope", "row"}}, head) +
                             cell(&result_statistics::low, &patch_result::low) +
                             cell(&result_statistics::high, &patch_result::high) +
                             cell(&result_statistics::overall, &patch_result::overall) +
                             cell(&result_statistics::macro_f1, &patch_result::macro_f1));
  };
  std::string body;
  for (const auto& row : rows) {
    const bool marked = compared && row.chosen_by > 0;
    const std::string choice = !marked                                          ? ""
                               : seeds == 1                                     ? "chosen"
                               : record.runs.front().rule == patch_rule::always ? "given"
                                                                                : text("chosen by ", row.chosen_by);
    body += row_markup(
        std::to_string(row.patches) + (marked ? " " + html::text_element("small", choice) : ""), row.results,
        [&](const run_result& run) -> const patch_result& { return run.by_patches[row.patches]; }, row.patches > 0,
        marked && seeds == 1 ? "picked" : "");
  }
  const auto& first = record.runs.front();
  if (first.answer) {
    body += row_markup(first.decision ? "weighted" : html::escape(record.method), summary.after, answer_row, true,
                       "chosen");
  } else if (compared && seeds > 1 && first.rule == patch_rule::validated) {
    body += row_markup("as chosen", summary.after, answer_row, true, "chosen");
  }
  return html::element("section", html::text_element("h2", "Results by number of patches") +
                                      html::text_element("p", {{"class", "hint"}},
                                                         "Accuracy and macro-F1 on test nodes, in percent; changes are "
                                                         "to 0 patches. Thirds are by degree, ties by node id.") +
                                      scrolling_table(
                                          column_heads({"patches", "low third", "high third", "all nodes", "macro-F1"}),
                                          body, "Results by number of patches")) +
         "\n";
}

std::string plots_section(const char* title, const std::string& figures) {
  return figures.empty() ? ""
                         : html::element("section", html::text_element("h2", title) +
                                                        html::element("div", {{"class", "plots"}}, "\n" + figures)) +
                               "\n";
}

std::string runs_section(const run_record& record) {
  std::string body;
  for (const auto& run : record.runs) {
    const auto cell = [](const std::string& content) { return html::element("td", content); };
    const auto pair = [&](double before, double after) {
      return cell(fixed_text(after, 2) + change_badge({after - before, false}));
    };
    body +=
        html::element("tr", html::text_element("th", {{"scope", "row"}}, std::to_string(run.seed)) +
                                cell(run.decision ? (run.decision->accepted ? "weighted" : "none")
                                     : run.answer ? "-"
                                                  : std::to_string(run.chosen)) +
                                pair(run.before().low, run.after().low) + pair(run.before().high, run.after().high) +
                                pair(run.before().overall, run.after().overall) + cell(std::to_string(run.iterations)) +
                                cell(fixed_text(run.seconds.backbone, 1)) + cell(fixed_text(run.seconds.patcher, 1)) +
                                cell(fixed_text(run.seconds.patching, 1)) + cell(fixed_text(run.peak_rss_mb, 0)));
  }
  return html::element("section", html::text_element("h2", "Runs") +
                                      scrolling_table(column_heads({"seed", "patches", "low third", "high third",
                                                                    "all nodes", "iterations", "backbone, s",
                                                                    "patcher, s", "patching, s", "memory, MB"}),
                                                      body, "Runs", "dense")) +
         "\n";
}

std::string settings_section(const run_record& record) {
  std::string list;
  for (const auto& [name, value] : record.settings.entries()) {
    list += html::element("div", html::text_element("dt", name) + html::text_element("dd", setting_text(value)));
  }
  return list.empty() ? ""
                      : html::element("section", html::text_element("h2", "Settings") +
                                                     html::element("dl", {{"class", "sheet settings"}}, list)) +
                            "\n";
}

}  // namespace

std::string html_report(const run_record& record) {
  check_record(record);
  const std::string head =
      html::empty_element("meta", {{"charset", "utf-8"}}) +
      html::empty_element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
      html::empty_element("meta", {{"name", "generator"}, {"content", "graphpatcher " + record.version}}) +
      html::text_element("title", report_title(record) + " (GraphPatcher)") +
      html::element("style", detail::report_style);
  const std::string body =
      header_section(record) +
      plots_section("What patching changes", detail::degree_figure(record) + detail::patches_figure(record)) +
      results_section(record) + decision_section(record) + plots_section("Training", detail::training_figures(record)) +
      runs_section(record) + settings_section(record) + detail::reproduce_section(record) +
      html::text_element("footer", "Made by graphpatcher " + record.version + ".");
  return "<!DOCTYPE html>\n" +
         html::element("html", {{"lang", "en"}},
                       html::element("head", head) + "\n" + html::element("body", html::element("main", "\n" + body))) +
         "\n";
}

void write_html(const run_record& record, const std::filesystem::path& path) {
  write_file_atomically(path, html_report(record));
}

}  // namespace graphpatcher
