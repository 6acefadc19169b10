// SPDX-License-Identifier: MIT
#include "io/byte_reader.hpp"
#include "io/mapped_file.hpp"

#include <catch2/catch.hpp>

#include "io/pickle_writer.hpp"

using namespace graphpatcher;

TEST_CASE("byte_reader: numbers, characters and lines in order") {
  const auto bytes =
      gp_test::bytes_of(gp_test::raw("\x01\x02\x03\x04\xff\xff\xff\xff"
                                     "ab\nrest"));
  byte_reader reader("file", bytes);
  CHECK(reader.number<std::uint8_t>("a byte") == 1);
  CHECK(reader.number<std::uint16_t>("a number") == 0x0302);
  CHECK(reader.take(1, "a byte")[0] == 4);
  CHECK(reader.number<std::int32_t>("a number") == -1);
  CHECK(reader.line(10, "a line") == "ab");
  CHECK(reader.characters(4, "the rest") == "rest");
  CHECK(reader.remaining() == 0);
}

TEST_CASE("byte_reader: the end is an error with the file and the offset") {
  const auto bytes = gp_test::bytes_of("abcdef");
  byte_reader reader("file", bytes, 100);
  reader.take(4, "a start");
  const auto check = [&](auto&& read, std::uint64_t offset) {
    try {
      read();
      FAIL("read past the end");
    } catch (const format_error& failure) {
      CHECK(failure.path() == "file");
      CHECK(failure.offset() == offset);
    }
  };
  check([&] { reader.number<std::uint32_t>("a number"); }, 104);
  check([&] { reader.take(~std::uint64_t{0}, "everything"); }, 104);
  check([&] { reader.line(100, "a line"); }, 104);
  check([&] { reader.line(1, "a line"); }, 104);
  check([&] { reader.seek(7, "a place"); }, 104);
  CHECK(reader.characters(2, "the end") == "ef");
}

TEST_CASE("read_file: a file, a folder, and nothing") {
  const gp_test::temporary_folder folder;
  folder.write("some", gp_test::raw("a\0b"));
  folder.write("empty", "");
  CHECK(read_file(folder.path() / "some") == std::vector<std::uint8_t>{'a', 0, 'b'});
  CHECK(read_file(folder.path() / "empty").empty());
  CHECK_THROWS_AS(read_file(folder.path()), file_error);
  CHECK_THROWS_WITH(read_file(folder.path() / "none", "ask for it"), Catch::Contains("none: no such file; ask for it"));
}
