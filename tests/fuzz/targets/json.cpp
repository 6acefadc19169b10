// SPDX-License-Identifier: MIT
#include <cstring>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "fuzz/support/invariants.hpp"
#include "fuzz/support/scratch_file.hpp"
#include "fuzz/targets/targets.hpp"
#include "graphpatcher/io/wiki_cs.hpp"
#include "io/json_cursor.hpp"

namespace gp_fuzz {

namespace {

/// Whatever another parser takes for JSON can be skipped, but for its depth. (That one stops at a zero byte and passes
/// over a byte-order mark.)
void skip_all(bytes input) {
  const std::string_view characters(reinterpret_cast<const char*>(input.data()), input.size());
  try {
    graphpatcher::json_cursor cursor("input.json", characters);
    cursor.skip();
    cursor.finish();
  } catch (const graphpatcher::error& problem) {
    const bool otherwise = characters.find('\0') != std::string_view::npos || characters.starts_with('\xef');
    require(otherwise || std::strstr(problem.what(), "64 deep") != nullptr || !nlohmann::json::accept(characters),
            "valid JSON to be skipped");
  }
}

}  // namespace

void json(bytes input) {
  skip_all(input);
  static const scratch_file file("data.json");
  require_sound(graphpatcher::load_wiki_cs(file.holding(input), 1));
}

}  // namespace gp_fuzz
