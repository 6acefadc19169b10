// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "graphpatcher/eval/run_record.hpp"
#include "report/html.hpp"

namespace graphpatcher::detail {

/// The command, each word in one piece: lines break between words only, never
/// after the hyphens of an option.
inline std::string reproduce_section(const run_record& record) {
  if (record.command.empty()) {
    return "";
  }
  std::string words;
  for (std::size_t begin = 0; begin <= record.command.size();) {
    const std::size_t end = std::min(record.command.find(' ', begin), record.command.size());
    words += begin == 0 ? "" : " ";
    words += html::text_element("span", record.command.substr(begin, end - begin));
    begin = end + 1;
  }
  return html::element("section", html::text_element("h2", "How to reproduce") +
                                      html::text_element("p", {{"class", "hint"}},
                                                         "With version " + record.version +
                                                             ". The number of threads does not change the numbers.") +
                                      html::element("pre", {{"class", "sheet"}}, html::element("code", words))) +
         "\n";
}

}  // namespace graphpatcher::detail
