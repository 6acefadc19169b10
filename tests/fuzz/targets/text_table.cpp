// SPDX-License-Identifier: MIT
#include "io/text_table.hpp"
#include "io/text_column.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "fuzz/support/invariants.hpp"
#include "fuzz/support/scratch_file.hpp"
#include "fuzz/targets/targets.hpp"

namespace gp_fuzz {

namespace {

graphpatcher::text_source source_of(const std::string& text) {
  static const scratch_file file("input.csv");
  constexpr std::size_t longest_line = 4096;
  return graphpatcher::text_source(file.holding(text),
                                   {.exec = {.threads = 1}, .quiet = true, .longest_line = longest_line});
}

template <class T>
void read_table(const std::string& text) {
  const auto table = [](const std::string& content) {
    auto source = source_of(content);
    return graphpatcher::read_text_table<T, std::int32_t>(source);
  };
  const auto read = table(text);
  require_sound(read);
  require(read.rows() * read.cols() <= text.size(), "a character for every number");
  if (text.find('\r') == std::string::npos) {
    require(same(table(with_crlf(text)), read), "the same table with \\r\\n");
  }
  require(same(table(text + "\n"), read), "the same table with a newline at the end");
}

void read_column(const std::string& text) {
  auto source = source_of(text);
  for (const auto number : graphpatcher::read_text_column<std::int32_t>(source, "a number", -1, 100)) {
    require(number >= -1 && number < 100, "numbers in range");
  }
}

}  // namespace

void text_table(bytes input) {
  const std::string text(input.begin(), input.end());
  attempts readers;
  readers.add([&] { read_table<float>(text); });
  readers.add([&] { read_table<double>(text); });
  readers.add([&] { read_column(text); });
  readers.finish();
}

}  // namespace gp_fuzz
