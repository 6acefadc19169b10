// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/report/paired.hpp"

/// A table of a report, before it is HTML, Markdown or text: all three show the same.
namespace graphpatcher {

struct sheet_cell {
  std::string value{};                                       ///< "81.20", "not run"
  std::string spread{};                                      ///< "± 0.30"
  double change = std::numeric_limits<double>::quiet_NaN();  ///< a difference, coloured; NaN: none
  std::string note{};                                        ///< "[+0.20, +1.40]", "paper 81.00"; may have lines
  bool sure = true;                                          ///< the change is more than noise
  bool lower_is_better = false;
  bool faint = false;  ///< nothing to see here
};

/// A row; without cells it is a heading over the rows that follow.
struct sheet_row {
  std::string head;
  std::vector<sheet_cell> cells;
  bool strong = false;
};

struct sheet {
  std::string title;
  std::string hint;
  std::vector<std::string> columns;  ///< the first names the rows
  std::vector<sheet_row> rows;
};

/// Mean and deviation; `missing` is said where there is no value.
sheet_cell value_cell(const statistics& value, int digits = 2, const std::string& missing = "not run");

/// "[+0.20, +1.40]", or why there is no interval.
std::string interval_text(const paired_difference& difference, int digits = 2);

/// A difference with its interval, alone or after the value it belongs to.
sheet_cell gain_cell(const paired_difference& gain, sheet_cell cell = {}, bool lower_is_better = false);

/// A cell in one line: "81.20 ± 0.30 (+1.80) [+1.10, +2.50]".
std::string plain_text(const sheet_cell& cell);

/// Arrow and sign say what the colour says; without a wash where it may be noise.
std::string sheet_badge(const sheet_cell& cell);

/// Text that Markdown shows as it is, inside a table.
std::string markdown_text(std::string_view plain);

/// The table alone, in a box that scrolls sideways.
std::string sheet_html(const sheet& s);

/// Title, hint and table; nothing for a table without rows.
std::string sheet_markdown(const sheet& s);

/// The table as aligned text, without its hint.
std::string sheet_text(const sheet& s);

}  // namespace graphpatcher
