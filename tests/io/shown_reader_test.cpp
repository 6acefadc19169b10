// SPDX-License-Identifier: MIT
#include "io/shown_reader.hpp"

#include <catch2/catch.hpp>

#include <sstream>
#include <vector>

using namespace graphpatcher;
using namespace std::chrono_literals;

TEST_CASE("shown_reader: reads what its reader reads, and shows how far it is") {
  const std::vector<std::uint8_t> bytes{1, 2, 0, 'a', 'b', 6};
  std::ostringstream out;
  {
    byte_reader reader("x.npy", bytes);
    shown_reader shown(reader, {.style = progress_style::lines, .out = &out}, 0ms);
    CHECK(shown.path() == "x.npy");
    CHECK(shown.number<std::uint8_t>("a byte") == 1);
    CHECK(shown.number<std::uint16_t>("a number") == 2);
    CHECK(shown.position() == 3);
    CHECK(shown.characters(2, "letters") == "ab");
    CHECK(shown.remaining() == 1);
    CHECK_THROWS_WITH(shown.take(2, "more"), Catch::Contains("expected more (2 bytes), got the end"));
    CHECK(shown.take(1, "the last")[0] == 6);
    CHECK_THROWS_AS(shown.fail(3, "wrong"), format_error);
  }
  CHECK_THAT(out.str(), Catch::Contains("reading x.npy (bytes): 5/5"));
}

TEST_CASE("shown_reader: quiet, or over in time, it shows nothing") {
  const std::vector<std::uint8_t> bytes(100);
  std::ostringstream out;
  for (const bool quiet : {true, false}) {
    byte_reader reader("x.npy", bytes);
    shown_reader shown(reader, {.quiet = quiet, .style = progress_style::lines, .out = &out}, quiet ? 0ms : 1h);
    shown.take(50, "bytes");
    shown.take(50, "bytes");
  }
  CHECK(out.str().empty());
}
