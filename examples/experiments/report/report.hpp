// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "experiments/results/cell.hpp"

/// The report of an experiment: one page, the same as Markdown, all means as CSV.
namespace graphpatcher {

/// What the cells don't say.
struct report_text {
  std::string title;
  std::string command;  ///< that makes the results again; may be empty
};

/// One HTML page that needs nothing else: no network, no scripts, figures
/// inline. Throws argument_error if there are no cells.
std::string experiment_html(std::span<const cell_result> cells, const report_text& about);

/// The same in Markdown; a figure is the table of its numbers. What the page folds is folded here, too, by the elements
/// that Markdown takes over from HTML.
std::string experiment_markdown(std::span<const cell_result> cells, const report_text& about);

/// The headline as text that fits 100 columns of a terminal.
std::string experiment_text(std::span<const cell_result> cells);

/// Writes report.html, results.md, results.csv and summary.json into a folder, each whole or not at all.
void write_experiment_report(const std::filesystem::path& directory, std::span<const cell_result> cells,
                             const report_text& about);

}  // namespace graphpatcher
