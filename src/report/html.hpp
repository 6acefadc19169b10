// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace graphpatcher::html {

/// Text that may stand in an element or a quoted attribute, whatever it holds.
/// Control characters, which HTML forbids, become U+FFFD.
inline std::string escape(std::string_view plain) {
  std::string out;
  out.reserve(plain.size());
  for (const char c : plain) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\n':
      case '\t':
        out += c;
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          out += "\xEF\xBF\xBD";
        } else {
          out += c;
        }
    }
  }
  return out;
}

/// Name and plain value; the value is escaped when written.
using attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

inline std::string open_tag(std::string_view name, attributes list, std::string_view end = ">") {
  std::string out("<");
  out += name;
  for (const auto& [key, value] : list) {
    if (!value.empty()) {
      out.append(" ").append(key).append("=\"").append(escape(value)).append("\"");
    }
  }
  return out += end;
}

/// An element around markup; attributes with an empty value are left out.
inline std::string element(std::string_view name, attributes list, std::string_view markup) {
  return open_tag(name, list).append(markup).append("</").append(name).append(">");
}

inline std::string element(std::string_view name, std::string_view markup) {
  return element(name, {}, markup);
}

/// An element around plain text.
inline std::string text_element(std::string_view name, attributes list, std::string_view plain) {
  return element(name, list, escape(plain));
}

inline std::string text_element(std::string_view name, std::string_view plain) {
  return element(name, escape(plain));
}

/// An element without content, such as meta.
inline std::string empty_element(std::string_view name, attributes list) {
  return open_tag(name, list, " />");
}

}  // namespace graphpatcher::html
