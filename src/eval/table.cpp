// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/table.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/eval/number_text.hpp"
#include "graphpatcher/eval/summary.hpp"

namespace graphpatcher {

namespace {

using table_cells = std::vector<std::vector<std::string>>;

/// "73.03 ± 0.40 (+1.80)"; the difference is to 0 patches.
std::string result_cell(const statistics& value, const statistics* base) {
  std::string cell = spread_text(value.mean, value.deviation, value.count, 2);
  return base == nullptr ? cell : cell + " (" + signed_text(value.mean - base->mean, 2) + ")";
}

/// The number of patches and who chose it on validation: "3", "3 *" or, of
/// several seeds, "3 (2/5)".
std::string patches_cell(const patch_summary& row, std::size_t seeds) {
  const std::string number = std::to_string(row.patches);
  if (row.chosen_by == 0) {
    return number;
  }
  return seeds == 1 ? number + " *" : text(number, " (", row.chosen_by, "/", seeds, ")");
}

/// Header, one row for each number of patches and, where seeds may differ in
/// their choice, a last row with what each chose.
table_cells result_cells(const run_record& record, bool with_f1) {
  const auto summary = summarise(record);
  table_cells cells{{"patches", "low third", "high third", "all nodes"}};
  if (with_f1) {
    cells.front().push_back("macro-F1");
  }
  const auto add = [&](std::string label, const result_statistics& row, bool compare) {
    cells.push_back({std::move(label)});
    const auto add_cell = [&](statistics result_statistics::*column) {
      cells.back().push_back(result_cell(row.*column, compare ? &(summary.before.*column) : nullptr));
    };
    add_cell(&result_statistics::low);
    add_cell(&result_statistics::high);
    add_cell(&result_statistics::overall);
    if (with_f1) {
      add_cell(&result_statistics::macro_f1);
    }
  };
  const auto rows = summarise_patches(record);
  for (const auto& row : rows) {
    add(patches_cell(row, record.runs.size()), row.results, row.patches > 0);
  }
  if (rows.size() > 1 && record.runs.size() > 1) {
    add("chosen", summary.after, true);
  }
  return cells;
}

/// What the marks in the first column mean.
std::string choice_note(std::size_t seeds) {
  return seeds == 1 ? "* chosen on validation nodes"
                    : text("(k/", seeds, "): chosen on validation nodes by k of ", seeds, " seeds; mean ± deviation");
}

}  // namespace

std::size_t text_width(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string padded_text(const std::string& cell, std::size_t width) {
  const std::size_t used = text_width(cell);
  return cell + std::string(width > used ? width - used : 0, ' ');
}

std::string text_table(const run_record& record) {
  const auto cells = result_cells(record, false);
  std::vector<std::size_t> widths(cells.front().size());
  for (const auto& row : cells) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], text_width(row[c]));
    }
  }
  std::string rule;
  for (const std::size_t width : widths) {
    rule += (rule.empty() ? "" : "  ") + std::string(width, '-');
  }
  std::string out = text(record.dataset, ", ", record.backbone, ", ", record.method,
                         ": test accuracy in percent (difference to 0 patches)\n");
  for (std::size_t r = 0; r < cells.size(); ++r) {
    if (cells[r].front() == "chosen") {
      out += rule + "\n";
    }
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      line += (c == 0 ? "" : "  ") + padded_text(cells[r][c], widths[c]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (r == 0) {
      out += rule + "\n";
    }
  }
  out += choice_note(record.runs.size()) + "\n";
  for (const auto& note : notes_of(record)) {
    out += note + "\n";
  }
  return out;
}

std::string markdown_table(const run_record& record) {
  const auto cells = result_cells(record, true);
  std::string out;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    for (std::string cell : cells[r]) {
      if (const auto star = cell.find('*'); star != std::string::npos) {
        cell.insert(star, 1, '\\');  // else Markdown may take it for emphasis
      }
      out += "| " + cell + " ";
    }
    out += "|\n" + std::string(r == 0 ? "|---|---:|---:|---:|---:|\n" : "");
  }
  std::string note = choice_note(record.runs.size());
  return out + "\n" + (note.front() == '*' ? "\\" + note : note) + "\n";
}

}  // namespace graphpatcher
