// SPDX-License-Identifier: MIT
#include "experiments/report/sheet.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "graphpatcher/eval/number_text.hpp"
#include "graphpatcher/eval/table.hpp"
#include "report/html.hpp"

namespace graphpatcher {

sheet_cell value_cell(const statistics& value, int digits, const std::string& missing) {
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

std::string interval_text(const paired_difference& difference, int digits) {
  return difference.count == 0 ? ""
         : difference.count == 1
             ? "one seed"
             : "[" + signed_text(difference.low, digits) + ", " + signed_text(difference.high, digits) + "]";
}

sheet_cell gain_cell(const paired_difference& gain, sheet_cell cell, bool lower_is_better) {
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

std::string plain_text(const sheet_cell& cell) {
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

std::string sheet_badge(const sheet_cell& cell) {
  const std::string number = signed_text(cell.change, 2);
  const bool up = number.front() == '+', down = number.front() == '-';
  const std::string color = !up && !down ? "same" : up != cell.lower_is_better ? "gain" : "loss";
  return html::text_element("span", {{"class", "change " + color + (cell.sure ? "" : " unsure")}},
                            up     ? "▲ " + number
                            : down ? "▼ −" + number.substr(1)
                                   : number);
}

namespace {

std::string cell_markup(const sheet_cell& cell) {
  std::string out =
      cell.faint ? html::text_element("span", {{"class", "faint"}}, cell.value) : html::escape(cell.value);
  out += cell.spread.empty() ? "" : " " + html::text_element("small", cell.spread);
  out += std::isfinite(cell.change) ? sheet_badge(cell) : "";
  out += cell.note.empty() ? "" : html::text_element("small", {{"class", "note"}}, cell.note);
  return html::element("td", out);
}

}  // namespace

std::string markdown_text(std::string_view plain) {
  std::string out;
  for (const char c : plain) {
    if (std::string_view("\\`*_<>|[]#~").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string sheet_html(const sheet& s) {
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
      line += cell_markup(cell);
    }
    body += html::element("tr", {{"class", row.strong ? "strong" : ""}}, line) + "\n";
  }
  return html::element(
             "div", {{"class", "sheet"}, {"role", "region"}, {"aria-label", s.title}, {"tabindex", "0"}},
             html::element("table", {{"class", "dense"}},
                           html::element("thead", html::element("tr", head)) + html::element("tbody", body))) +
         "\n";
}

std::string sheet_markdown(const sheet& s) {
  if (s.rows.empty()) {
    return "";
  }
  std::string out = s.title.empty() ? "" : "### " + markdown_text(s.title) + "\n\n";
  out += s.hint.empty() ? "" : markdown_text(s.hint) + "\n\n";
  std::string rule;
  for (const auto& name : s.columns) {
    out += "| " + markdown_text(name) + " ";
    rule += rule.empty() ? "|---" : "|---:";
  }
  out += "|\n" + rule + "|\n";
  for (const auto& row : s.rows) {
    const std::string head = markdown_text(row.head);
    out += "| " + (row.cells.empty() || row.strong ? "**" + head + "**" : head) + " ";
    for (std::size_t c = 1; c < s.columns.size(); ++c) {
      out += "| " + (c <= row.cells.size() ? markdown_text(plain_text(row.cells[c - 1])) + " " : "");
    }
    out += "|\n";
  }
  return out + "\n";
}

std::string sheet_text(const sheet& s) {
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
