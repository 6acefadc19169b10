// SPDX-License-Identifier: MIT
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace graphpatcher::test {

/// What is wrong with a page, or "" if every tag is closed in order, every
/// attribute is quoted, and no stray < > & or unknown entity stands in text.
/// Knows only what reports use: no comments, no scripts, style without markup.
inline std::string html_problem(std::string_view page) {
  std::vector<std::string> open;
  const auto near = [&](std::size_t at) { return " near '" + std::string(page.substr(at, 60)) + "'"; };
  std::size_t i = page.find('>') + 1;  // after the doctype
  while (i < page.size()) {
    if (page[i] == '&') {
      bool known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
        known = known || page.substr(i).starts_with(entity);
      }
      if (!known) {
        return "a stray &" + near(i);
      }
      ++i;
    } else if (page[i] == '>') {
      return "a stray >" + near(i);
    } else if (page[i] != '<') {
      ++i;
    } else {
      std::size_t end = i + 1;
      bool quoted = false;
      for (; end < page.size() && (quoted || page[end] != '>'); ++end) {
        quoted = quoted != (page[end] == '"');
        if (page[end] == '<') {
          return "a < inside a tag" + near(i);
        }
        if (page[end] == '=' && !quoted && (end + 1 == page.size() || page[end + 1] != '"')) {
          return "an attribute without quotes" + near(i);
        }
      }
      if (end == page.size()) {
        return "a tag that does not end" + near(i);
      }
      const std::string_view tag = page.substr(i + 1, end - i - 1);
      std::size_t length = tag.starts_with('/') ? 1 : 0;
      const std::size_t start = length;
      while (length < tag.size() && std::isalnum(static_cast<unsigned char>(tag[length])) != 0) {
        ++length;
      }
      const std::string name(tag.substr(start, length - start));
      if (name.empty()) {
        return "a tag without a name" + near(i);
      }
      if (start == 1) {
        if (open.empty() || open.back() != name) {
          return "</" + name + "> closes " + (open.empty() ? "nothing" : "<" + open.back() + ">") + near(i);
        }
        open.pop_back();
      } else if (!tag.ends_with('/')) {
        open.push_back(name);
      }
      i = end + 1;
      if (name == "style" && start == 0) {
        i = page.find("</style>", i);
      }
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

/// How often `part` occurs.
inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

}  // namespace graphpatcher::test
