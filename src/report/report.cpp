// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/report.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/eval/number_text.hpp"
#include "graphpatcher/eval/summary.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "report/html.hpp"
#include "report/paired_change.hpp"
#include "report/report_plots.hpp"
#include "report/report_style.hpp"
#include "report/reproduce_section.hpp"

namespace graphpatcher {

namespace {

std::string report_title(const run_record& record) {
  const std::string what = record.backbone.empty() ? record.method : record.backbone + " with " + record.method;
  return record.dataset.empty() ? what : record.dataset + ": " + what;
}

/// A difference to the backbone: the arrow says which way it goes, colour that it is sure.
std::string change_badge(const paired_change& change) {
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
std::string no_badge() {
  return html::text_element("span", {{"class", "change none"}, {"aria-hidden", "true"}}, "▲ +0.00");
}

std::string spread_markup(const statistics& value) {
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

const patch_result& chosen_row(const run_result& run) {
  return run.after();
}

std::string headline_card(const char* name, const statistics& before, const statistics& after,
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

/// The result in two sentences.
std::string lead_text(const run_record& record, const record_summary& summary, bool patched) {
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
  return "With patches, accuracy on the third of the test nodes with the lowest degrees goes " + low +
         ", and on all test nodes " + all + "." +
         (seeds > 1 ? text(" Means over ", seeds, " seeds; each chose its number of patches on validation nodes.")
                    : text(" One seed; the number of patches, ", record.runs.front().chosen,
                           ", was chosen on validation nodes."));
}

/// When a change has a colour.
std::string colour_hint(const run_record& record) {
  return record.runs.size() > 1
             ? "A change has a colour where its 95 % interval over seeds, paired, leaves out zero."
             : "No change has a colour: with one seed nobody knows how much of it is chance. Run more (--seeds).";
}

std::string header_section(const run_record& record) {
  const auto summary = summarise(record);
  const auto& [before, after] = summary;
  const bool patched = record.runs.front().by_patches.size() > 1;
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
    return headline_card(name, before.*group, after.*group, change_to(record, number, chosen_row), patched);
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

/// A table in a box that scrolls sideways on a narrow screen.
std::string scrolling_table(const std::string& head, const std::string& body, const char* label,
                            const char* style = "") {
  return html::element("div", {{"class", "sheet"}, {"role", "region"}, {"aria-label", label}, {"tabindex", "0"}},
                       html::element("table", {{"class", style}},
                                     html::element("thead", html::element("tr", head)) + html::element("tbody", body)));
}

std::string column_heads(std::initializer_list<const char*> names) {
  std::string out;
  for (const char* name : names) {
    out += html::text_element("th", {{"scope", "col"}}, name);
  }
  return out;
}

std::string results_section(const run_record& record) {
  const auto summary = summarise(record);
  const auto rows = summarise_patches(record);
  const std::size_t seeds = record.runs.size();
  const bool compared = rows.size() > 1;
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
    const std::string choice = !marked ? "" : seeds == 1 ? "chosen" : text("chosen by ", row.chosen_by);
    body += row_markup(
        std::to_string(row.patches) + (marked ? " " + html::text_element("small", choice) : ""), row.results,
        [&](const run_result& run) -> const patch_result& { return run.by_patches[row.patches]; }, row.patches > 0,
        marked && seeds == 1 ? "picked" : "");
  }
  if (compared && seeds > 1) {
    body += row_markup("as chosen", summary.after, chosen_row, true, "chosen");
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
                                cell(std::to_string(run.chosen)) + pair(run.before().low, run.after().low) +
                                pair(run.before().high, run.after().high) +
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
      results_section(record) + plots_section("Training", detail::training_figures(record)) + runs_section(record) +
      settings_section(record) + detail::reproduce_section(record) +
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
