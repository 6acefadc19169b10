// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/eval/report.hpp"
#include "graphpatcher/eval/table.hpp"

namespace graphpatcher {

std::string evaluation::table() const {
  return text_table(record);
}

void evaluation::write_html(const std::string& path) const {
  graphpatcher::write_html(record, path);
}

void evaluation::write_json(const std::string& path) const {
  graphpatcher::write_json(record, path);
}

}  // namespace graphpatcher
