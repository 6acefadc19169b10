// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/eval/number_text.hpp"
#include "graphpatcher/eval/summary.hpp"

namespace graphpatcher {

namespace detail {

using table_cells = std::vector<std::vector<std::string>>;

/// "73.03 ± 0.40 (+1.80)"; the difference is to 0 patches.
inline std::string result_cell(const statistics& value, const statistics* base) {
  std::string cell = spread_text(value.mean, value.deviation, value.count, 2);
  return base == nullptr ? cell : cell + " (" + signed_text(value.mean - base->mean, 2) + ")";
}

/// The number of patches and who chose it on validation: "3", "3 *" or, of
/// several seeds, "3 (2/5)".
inline std::string patches_cell(const patch_summary& row, std::size_t seeds) {
  const std::string number = std::to_string(row.patches);
  if (row.chosen_by == 0) {
    return number;
  }
  return seeds == 1 ? number + " *" : text(number, " (", row.chosen_by, "/", seeds, ")");
}

/// What the row of an answer that chooses no number of patches is called.
inline std::string answer_name(const run_record& record) {
  return record.runs.front().decision ? "weighted" : record.method;
}

/// Header, one row for each number of patches and, where seeds may differ in
/// their choice, a last row with what each chose; or what a method answers.
inline table_cells result_cells(const run_record& record, bool with_f1) {
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
  const bool marked = record.runs.front().rule == patch_rule::validated && !record.runs.front().answer;
  for (const auto& row : rows) {
    add(marked ? patches_cell(row, record.runs.size()) : text(row.patches), row.results, row.patches > 0);
  }
  if (record.runs.front().answer) {
    add(answer_name(record), summary.after, true);
  } else if (marked && rows.size() > 1 && record.runs.size() > 1) {
    add("chosen", summary.after, true);
  }
  return cells;
}

/// What the last row or the marks in the first column mean; nothing where a method has one answer.
inline std::string choice_note(const run_record& record) {
  const auto& first = record.runs.front();
  const std::size_t seeds = record.runs.size();
  const std::string spread = seeds > 1 ? "mean ± deviation" : "";
  if (first.decision) {
    return "weighted on validation nodes, or the backbone alone" + (spread.empty() ? "" : "; " + spread);
  }
  if (first.answer) {
    return spread;
  }
  if (first.rule == patch_rule::always) {
    return text(first.chosen, " patches for every node", spread.empty() ? "" : "; ", spread);
  }
  return seeds == 1 ? "* chosen on validation nodes"
                    : text("(k/", seeds, "): chosen on validation nodes by k of ", seeds, " seeds; ", spread);
}

}  // namespace detail

/// Columns a terminal shows for UTF-8 text: one a code point.
inline std::size_t text_width(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

/// The text of a cell with spaces after it, `width` columns in all.
inline std::string padded_text(const std::string& cell, std::size_t width) {
  const std::size_t used = text_width(cell);
  return cell + std::string(width > used ? width - used : 0, ' ');
}

/// Accuracy for low-degree, high-degree and all test nodes before and after
/// 1..n patches, and what the rule answers with its verdict, as aligned text
/// that fits 80 columns of a terminal. UTF-8 because of the "±"; with one seed
/// there is none, and it is plain ASCII.
inline std::string text_table(const run_record& record) {
  const auto cells = detail::result_cells(record, false);
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
    if (cells[r].front() == "chosen" || (record.runs.front().answer && r + 1 == cells.size())) {
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
  if (const auto note = detail::choice_note(record); !note.empty()) {
    out += note + "\n";
  }
  for (const auto& run : record.runs) {
    if (run.decision) {
      out += record.runs.size() == 1 ? run.decision->report()
                                     : text("seed ", run.seed, ": ", run.decision->verdict(), "\n");
    }
  }
  for (const auto& note : notes_of(record)) {
    out += note + "\n";
  }
  return out;
}

/// The same in Markdown, with macro-F1.
inline std::string markdown_table(const run_record& record) {
  const auto cells = detail::result_cells(record, true);
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
  const std::string note = detail::choice_note(record);
  return note.empty() ? out : out + "\n" + (note.front() == '*' ? "\\" + note : note) + "\n";
}

}  // namespace graphpatcher
