// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "graphpatcher/eval/run_record.hpp"

/// A record as a table of text: functions of graphpatcher::io.
namespace graphpatcher {

/// Columns a terminal shows for UTF-8 text: one a code point.
std::size_t text_width(std::string_view utf8);

/// The text of a cell with spaces after it, `width` columns in all.
std::string padded_text(const std::string& cell, std::size_t width);

/// Accuracy for low-degree, high-degree and all test nodes before and after
/// 1..n patches, and what the rule answers with its verdict, as aligned text
/// that fits 80 columns of a terminal. UTF-8 because of the "±"; with one seed
/// there is none, and it is plain ASCII.
std::string text_table(const run_record& record);

/// The same in Markdown, with macro-F1.
std::string markdown_table(const run_record& record);

}  // namespace graphpatcher
