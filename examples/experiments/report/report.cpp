// SPDX-License-Identifier: MIT
#include "experiments/report/report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <vector>

#include "experiments/report/csv.hpp"
#include "experiments/report/sections.hpp"
#include "experiments/report/sheet.hpp"
#include "experiments/report/style.hpp"
#include "experiments/report/summary.hpp"
#include "graphpatcher/eval/number_text.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "report/html.hpp"
#include "report/report_style.hpp"
#include "report/reproduce_section.hpp"

namespace graphpatcher {

namespace {

std::string seeds_text(std::span<const cell_result> cells) {
  std::vector<std::uint64_t> seeds;
  for (const auto& cell : cells) {
    seeds.push_back(cell.key.seed);
  }
  std::ranges::sort(seeds);
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  return std::to_string(seeds.size());
}

std::string experiment_card(const char* name, const preset_headline::part& part) {
  return html::element(
      "div", {{"class", "card"}},
      html::text_element("h3", name) +
          html::element("p", {{"class", "big"}},
                        sheet_badge(gain_cell(part.gain)) + html::element("small", " points")) +
          html::text_element("p", {{"class", "from"}}, interval_text(part.gain) + "; " + headline_note(part)));
}

std::string experiment_header(const cell_index& index, std::span<const cell_result> cells, const report_text& about,
                              const std::vector<report_section>& sections) {
  const auto fact = [](const char* name, const std::string& value) {
    return html::element("li", std::string(name) + " " + html::text_element("b", value));
  };
  const std::string facts = fact("datasets", std::to_string(index.datasets().size())) +
                            fact("backbones", std::to_string(index.backbones().size())) +
                            fact("seeds", seeds_text(cells)) + fact("cells", std::to_string(index.count())) +
                            fact("version", cells.front().version);
  std::string cards, links;
  if (!index.presets().empty()) {
    const auto h = headline(index, index.presets().front());
    cards = experiment_card("Low third: gain over the backbone", h.low) +
            (h.low_over_control.pairs > 0 ? experiment_card("Low third: gain over the best control", h.low_over_control)
                                          : experiment_card("High third: gain over the backbone", h.high)) +
            experiment_card("All test nodes: gain over the backbone", h.overall);
    cards =
        html::element("div", {{"class", "cards"}}, cards) +
        html::text_element(
            "p", {{"class", "hint under"}},
            "GraphPatcher, " + index.presets().front() +
                (h.low.pairs == 1 ? std::string(": one pair") : text(": mean over ", h.low.pairs, " pairs")) +
                " of dataset and backbone, with its 95 % interval over seeds; clearly: a pair's own interval leaves "
                "out zero.");
  }
  for (const auto& section : sections) {
    links += html::element("li", html::text_element("a", {{"href", "#" + section.id}}, section.title));
  }
  return html::element("header", html::text_element("p", {{"class", "kind"}}, "GraphPatcher experiment") +
                                     html::text_element("h1", about.title) +
                                     html::text_element("p", {{"class", "lead"}}, lead_text(index)) +
                                     html::element("ul", {{"class", "facts"}}, facts) + cards) +
         "\n" + html::element("nav", {{"aria-label", "Sections"}}, html::element("ul", links)) + "\n";
}

std::string figure_html(const experiment_figure& figure) {
  const bool many = figure.legend.empty() && figure.numbers.rows.size() > 1;
  return html::element(
             "figure", {{"class", many ? "many" : ""}},
             html::element("figcaption", html::text_element("h3", figure.words.title) +
                                             html::text_element("p", figure.words.description) +
                                             (figure.legend.empty() ? std::string() : legend(figure.legend))) +
                 figure.drawing +
                 html::element("details", {{"class", "numbers"}},
                               html::text_element("summary", "Numbers") + sheet_html(figure.numbers))) +
         "\n";
}

std::string block_html(const report_block& block) {
  std::string content, figures;
  for (const auto& figure : block.figures) {
    figures += figure_html(figure);
  }
  content += figures.empty() ? "" : html::element("div", {{"class", "plots"}}, "\n" + figures);
  for (const auto& s : block.sheets) {
    content += block.summary.empty() ? html::text_element("h3", {{"class", "over"}}, s.title) : "";
    content += s.hint.empty() ? "" : html::text_element("p", {{"class", "hint"}}, s.hint);
    content += sheet_html(s);
  }
  return block.summary.empty() ? content
                               : html::element("details", {{"class", "fold"}, {"open", block.open ? "open" : ""}},
                                               html::text_element("summary", block.summary) + content) +
                                     "\n";
}

std::string block_markdown(const report_block& block) {
  std::string content;
  for (const auto& figure : block.figures) {
    content += sheet_markdown(figure.numbers);
  }
  for (auto table : block.sheets) {
    table.title = block.summary.empty() ? table.title : "";  // the line that opens it says the same
    content += sheet_markdown(table);
  }
  return block.summary.empty() ? content
                               : (block.open ? "<details open>" : "<details>") +
                                     html::text_element("summary", block.summary) + "\n\n" + content + "</details>\n\n";
}

/// The command, each word in one piece: lines break between words only.
std::string command_html(const report_text& about, const std::string& made_by) {
  if (about.command.empty()) {
    return "";
  }
  run_record record;
  record.command = about.command;
  record.version = made_by;
  return detail::reproduce_section(record);
}

}  // namespace

std::string experiment_html(std::span<const cell_result> cells, const report_text& about) {
  const cell_index index(cells);
  const auto sections = experiment_sections(index);
  const std::string& made_by = cells.front().version;
  std::string body = experiment_header(index, cells, about, sections);
  for (const auto& section : sections) {
    std::string content = html::text_element("h2", section.title);
    content += section.hint.empty() ? "" : html::text_element("p", {{"class", "hint"}}, section.hint);
    for (const auto& block : section.blocks) {
      content += block_html(block);
    }
    body += html::element("section", {{"id", section.id}}, content) + "\n";
  }
  body += command_html(about, made_by) + html::text_element("footer", "Made by graphpatcher " + made_by + ".");
  const std::string head =
      html::empty_element("meta", {{"charset", "utf-8"}}) +
      html::empty_element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}}) +
      html::empty_element("meta", {{"name", "generator"}, {"content", "graphpatcher " + made_by}}) +
      html::text_element("title", about.title) +
      html::element("style", std::string(detail::report_style) + detail::experiment_style);
  return "<!DOCTYPE html>\n" +
         html::element("html", {{"lang", "en"}},
                       html::element("head", head) + "\n" + html::element("body", html::element("main", "\n" + body))) +
         "\n";
}

std::string experiment_markdown(std::span<const cell_result> cells, const report_text& about) {
  const cell_index index(cells);
  std::string out = "# " + markdown_text(about.title) + "\n\n" + markdown_text(lead_text(index)) + "\n\n";
  for (const auto& section : experiment_sections(index)) {
    out += "## " + section.title + "\n\n";
    out += section.hint.empty() ? "" : markdown_text(section.hint) + "\n\n";
    for (const auto& block : section.blocks) {
      out += block_markdown(block);
    }
  }
  return out + (about.command.empty() ? "" : "## How to reproduce\n\n~~~~\n" + about.command + "\n~~~~\n\n") +
         "Made by graphpatcher " + markdown_text(cells.front().version) + ".\n";
}

std::string experiment_text(std::span<const cell_result> cells) {
  const cell_index index(cells);
  const auto cut = [](const std::string& name, std::size_t most) {
    return name.size() <= most ? name : name.substr(0, most - 1) + "~";
  };
  std::string out;
  for (const auto& setting : index.presets()) {
    const bool fair = std::ranges::count(index.methods(), fair_control) > 0;
    sheet s{"GraphPatcher, " + cut(setting, 40) + ": gains in points, with 95 % intervals over n seeds" +
                (fair ? text("\nbest control: ", fair_control, ", the rule with answers that need no training") : ""),
            "",
            {"dataset", "backbone", "n", "low", "over backbone", "over best control", "all nodes: gain"},
            {}};
    for (const auto& c : compare_all(index, setting)) {
      const auto gain = [](const paired_difference& d) {
        const std::string interval = " [" + fixed_text(d.low, 1) + ", " + fixed_text(d.high, 1) + "]";
        return d.count == 0 ? "n/a" : signed_text(d.mean, 2) + (d.count > 1 ? interval : "");
      };
      s.rows.push_back({cut(c.dataset, 12),
                        {{cut(c.backbone, 8)},
                         {std::to_string(c.cells.size())},
                         {fixed_text(summarise(values_of(c.patched, c.headline())).mean, 2)},
                         {gain(c.gain(c.headline()))},
                         {gain(c.gain_over_control(c.headline())) +
                          (c.best_control() == fair_control ? "" : " " + c.best_control().substr(0, 4))},
                         {gain(c.gain(c.headline(node_group::overall)))}},
                        false});
    }
    out += sheet_text(s) + "\n";
  }
  return out.empty() ? "No cell of GraphPatcher is finished yet.\n" : out;
}

void write_experiment_report(const std::filesystem::path& directory, std::span<const cell_result> cells,
                             const report_text& about) {
  const std::string page = experiment_html(cells, about);
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  if (problem) {
    throw file_error(directory.string(), "can't be made: " + problem.message());
  }
  write_file_atomically(directory / "report.html", page);
  write_file_atomically(directory / "results.md", experiment_markdown(cells, about));
  write_file_atomically(directory / "results.csv", experiment_csv(cells));
  write_file_atomically(directory / "summary.json", experiment_summary(cells));
}

}  // namespace graphpatcher
