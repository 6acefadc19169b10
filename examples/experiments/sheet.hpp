// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/paired.hpp"
#include "graphpatcher/eval/number_text.hpp"
#include "graphpatcher/eval/table.hpp"
#include "report/html.hpp"

/// A table of a report, before it is HTML, Markdown or text: all three show the same.
namespace graphpatcher {

struct sheet_cell {
  std::string value{};                                       ///< "81.20", "not built yet"
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
inline sheet_cell value_cell(const statistics& value, int digits = 2, const std::string& missing = "not run") {
  sheet_cell cell;
  if (value.count == 0) {
    cell.value = missing;
    cell.faint = true;
    return cell;
  }
  cell.value = fixed_text(value.mean, digits);
  cell.spread = value.count > 1 ? "± " + fixed_text(value.deviation, digits) : "";
  return cell;
}

/// "[+0.20, +1.40]", or why there is no interval.
inline std::string interval_text(const paired_difference& difference, int digits = 2) {
  return difference.count == 0 ? ""
         : difference.count == 1
             ? "one seed"
             : "[" + signed_text(difference.low, digits) + ", " + signed_text(difference.high, digits) + "]";
}

/// A difference with its interval, alone or after the value it belongs to.
inline sheet_cell gain_cell(const paired_difference& gain, sheet_cell cell = {}, bool lower_is_better = false) {
  if (gain.count == 0) {
    cell.value = cell.value.empty() ? "n/a" : cell.value;
    cell.faint = true;
    return cell;
  }
  cell.change = gain.mean;
  cell.note = interval_text(gain);
  cell.sure = gain.sure();
  cell.lower_is_better = lower_is_better;
  return cell;
}

/// A cell in one line: "81.20 ± 0.30 (+1.80) [+1.10, +2.50]".
inline std::string plain_text(const sheet_cell& cell) {
  std::string out = cell.value;
  const auto add = [&](const std::string& part) { out += (out.empty() || part.empty() ? "" : " ") + part; };
  add(cell.spread);
  if (std::isfinite(cell.change)) {
    add(out.empty() ? signed_text(cell.change, 2) : "(" + signed_text(cell.change, 2) + ")");
  }
  add(cell.note);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

namespace detail {

/// Arrow and sign say what the colour says; without a wash where it may be noise.
inline std::string sheet_badge(const sheet_cell& cell) {
  const std::string number = signed_text(cell.change, 2);
  const bool up = number.front() == '+', down = number.front() == '-';
  const std::string color = !up && !down ? "same" : up != cell.lower_is_better ? "gain" : "loss";
  return html::text_element("span", {{"class", "change " + color + (cell.sure ? "" : " unsure")}},
                            up     ? "▲ " + number
                            : down ? "▼ −" + number.substr(1)
                                   : number);
}

inline std::string cell_markup(const sheet_cell& cell) {
  std::string out =
      cell.faint ? html::text_element("span", {{"class", "faint"}}, cell.value) : html::escape(cell.value);
  out += cell.spread.empty() ? "" : " " + html::text_element("small", cell.spread);
  out += std::isfinite(cell.change) ? sheet_badge(cell) : "";
  out += cell.note.empty() ? "" : html::text_element("small", {{"class", "note"}}, cell.note);
  return html::element("td", out);
}

/// Text that Markdown shows as it is, inside a table.
inline std::string markdown_text(std::string_view plain) {
  std::string out;
  for (const char c : plain) {
    if (std::string_view("\\`*_<>|[]#~").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

}  // namespace detail

/// The table alone, in a box that scrolls sideways.
inline std::string sheet_html(const sheet& s) {
  std::string head, body;
  for (const auto& name : s.columns) {
    head += html::text_element("th", {{"scope", "col"}}, name);
  }
  for (const auto& row : s.rows) {
    if (row.cells.empty()) {
      body += html::element(
          "tr", {{"class", "group"}},
          html::text_element("th", {{"scope", "colgroup"}, {"colspan", std::to_string(s.columns.size())}}, row.head));
      continue;
    }
    std::string line = html::text_element("th", {{"scope", "row"}}, row.head);
    for (const auto& cell : row.cells) {
      line += detail::cell_markup(cell);
    }
    body += html::element("tr", {{"class", row.strong ? "strong" : ""}}, line) + "\n";
  }
  return html::element(
             "div", {{"class", "sheet"}, {"role", "region"}, {"aria-label", s.title}, {"tabindex", "0"}},
             html::element("table", {{"class", "dense"}},
                           html::element("thead", html::element("tr", head)) + html::element("tbody", body))) +
         "\n";
}

/// Title, hint and table; nothing for a table without rows.
inline std::string sheet_markdown(const sheet& s) {
  if (s.rows.empty()) {
    return "";
  }
  std::string out = s.title.empty() ? "" : "### " + detail::markdown_text(s.title) + "\n\n";
  out += s.hint.empty() ? "" : detail::markdown_text(s.hint) + "\n\n";
  std::string rule;
  for (const auto& name : s.columns) {
    out += "| " + detail::markdown_text(name) + " ";
    rule += rule.empty() ? "|---" : "|---:";
  }
  out += "|\n" + rule + "|\n";
  for (const auto& row : s.rows) {
    const std::string head = detail::markdown_text(row.head);
    out += "| " + (row.cells.empty() || row.strong ? "**" + head + "**" : head) + " ";
    for (std::size_t c = 1; c < s.columns.size(); ++c) {
      out += "| " + (c <= row.cells.size() ? detail::markdown_text(plain_text(row.cells[c - 1])) + " " : "");
    }
    out += "|\n";
  }
  return out + "\n";
}

/// The table as aligned text, without its hint.
inline std::string sheet_text(const sheet& s) {
  std::vector<std::vector<std::string>> lines{s.columns};
  for (const auto& row : s.rows) {
    lines.push_back({row.head});
    for (const auto& cell : row.cells) {
      lines.back().push_back(plain_text(cell));
    }
  }
  std::vector<std::size_t> widths(s.columns.size());
  for (const auto& line : lines) {
    for (std::size_t c = 0; line.size() > 1 && c < std::min(line.size(), widths.size()); ++c) {
      widths[c] = std::max(widths[c], text_width(line[c]));
    }
  }
  std::string out = s.title.empty() ? "" : s.title + "\n", rule;
  for (const std::size_t width : widths) {
    rule += (rule.empty() ? "" : "  ") + std::string(width, '-');
  }
  for (std::size_t r = 0; r < lines.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < lines[r].size(); ++c) {
      line += (c == 0 ? "" : "  ") + padded_text(lines[r][c], c < widths.size() ? widths[c] : 0);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n" + (r == 0 ? rule + "\n" : "");
  }
  return out;
}

}  // namespace graphpatcher
