// SPDX-License-Identifier: MIT
#include "io/text_source.hpp"

#include <catch2/catch.hpp>

#include "io/file_writers.hpp"
#include "io/text_lines.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::gzipped;
using gp_test::temporary_folder;

namespace {

/// About 3 MB of lines of many lengths: several pieces.
std::string long_text(std::size_t lines = 200000) {
  std::string all;
  for (std::size_t i = 0; i < lines; ++i) {
    all += std::to_string(i * 7919 % 1000003) + "," + std::string(i % 11, '1') + "2\n";
  }
  return all;
}

std::vector<std::string> pieces_of(const text_source& source) {
  const auto pieces = source.map_pieces([](const text_piece& piece) {
    return std::pair{piece.number, std::string(piece.lines)};
  });
  std::vector<std::string> all;
  for (std::size_t n = 0; n < pieces.size(); ++n) {
    CHECK(pieces[n].first == n);
    all.push_back(pieces[n].second);
  }
  return all;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string all;
  for (const auto& piece : pieces) {
    all += piece;
  }
  return all;
}

}  // namespace

TEST_CASE("text_source: whole lines in their order, plain and packed, for any number of threads") {
  const temporary_folder folder;
  const auto content = GENERATE(long_text(), long_text() + "a last line without an end", std::string("one"),
                                std::string("\n"), std::string());
  folder.write("a.txt", content);
  folder.write("a.txt.gz", gzipped(content));
  for (const char* name : {"a.txt", "a.txt.gz"}) {
    const auto one = pieces_of(text_source(folder.path() / name, {.exec = {1}}));
    CHECK(joined(one) == content);
    CHECK((content.size() > 100 ? one.size() > 5 : one.size() == (content.empty() ? 0 : 1)));
    for (std::size_t n = 0; n + 1 < one.size(); ++n) {
      CHECK(one[n].back() == '\n');
    }
    CHECK(pieces_of(text_source(folder.path() / name, {.exec = {4}})) == one);
  }
}

TEST_CASE("text_source: the head of a packed file has a header and a line, however long they and comments are") {
  const temporary_folder folder;
  const std::string comments = "# " + std::string(600000, 'c') + "\n\n \n";
  const std::string header = std::string(700000, 'h') + "\n";
  const std::string line = std::string(900000, '1') + "\n";
  std::string content = comments;
  content += header;
  content += line;
  folder.write("a.txt.gz", gzipped(content + long_text()));
  const text_source source(folder.path() / "a.txt.gz", {.gzip = {.ratio = 2000}});
  CHECK(source.head().starts_with(content));
  CHECK(source.head().size() < content.size() + 1000000);
  folder.write("b.txt.gz", gzipped(std::string(9 << 20, 'h')));
  CHECK(text_source(folder.path() / "b.txt.gz", {.longest_line = 1 << 20}).head().size() < 4 << 20);
}

TEST_CASE("text_source: what is skipped is in no piece") {
  const temporary_folder folder;
  const std::string content = "header\n" + long_text();
  folder.write("a.txt", content);
  folder.write("a.txt.gz", gzipped(content));
  for (const char* name : {"a.txt", "a.txt.gz"}) {
    text_source source(folder.path() / name);
    CHECK(source.head().starts_with("header\n"));
    source.skip(7);
    CHECK(joined(pieces_of(source)) == content.substr(7));
    source.skip(std::string::npos);
    CHECK(joined(pieces_of(source)) == content.substr(source.head().size()));
  }
}

TEST_CASE("text_source: of several problems the first is told, with byte and line, for any number of threads") {
  const temporary_folder folder;
  std::string content = long_text();
  const std::size_t first = content.find('\n', content.size() / 2) + 1;
  const std::size_t line = 1 + static_cast<std::size_t>(std::count(content.begin(), content.begin() + first, '\n'));
  content[first] = 'x';
  content[content.find('\n', content.size() - 100) + 1] = 'y';
  folder.write("a.txt", content);
  folder.write("a.txt.gz", gzipped(content));
  for (const char* name : {"a.txt", "a.txt.gz"}) {
    for (const int threads : {1, 2, 8}) {
      const text_source source(folder.path() / name, {.exec = {threads}});
      try {
        source.map_pieces([](const text_piece& piece) {
          text_lines lines(piece.lines);
          while (lines.next()) {
            lines.number<double>("a number");
          }
          return 0;
        });
        FAIL("read");
      } catch (const format_error& failure) {
        CHECK(failure.offset() == first);
        CHECK(failure.path() == (folder.path() / name).string());
        CHECK_THAT(failure.what(), Catch::Contains("line " + std::to_string(line)) && Catch::Contains("got 'x"));
      }
    }
  }
}

TEST_CASE("text_source: a line that doesn't end is refused before it fills the memory") {
  const temporary_folder folder;
  folder.write("a.txt.gz", gzipped("1,2\n" + std::string(9 << 20, '7')));
  const text_source source(folder.path() / "a.txt.gz", {.longest_line = 3 << 20});
  check_error<format_error>([&] { pieces_of(source); }, "a.txt.gz", "line 2 of the unpacked text: expected a line of");
}

TEST_CASE("text_source: files that are not there, no files, or packed in name only") {
  const temporary_folder folder;
  check_error<file_error>([&] { text_source(folder.path() / "none.csv", {.hint = "make it"}); }, "none.csv",
                          "no such file; make it");
  check_error<file_error>([&] { text_source(folder.path()); }, folder.path().string(), "not a regular file");
  folder.write("plain.csv.gz", "1,2\n");
  check_error<format_error>([&] { text_source(folder.path() / "plain.csv.gz"); }, "plain.csv.gz", "not a gzip file");
  folder.write("a.csv", "1");
  CHECK_THROWS_AS(text_source(folder.path() / "a.csv", {.exec = {0}}), argument_error);
}

TEST_CASE("text_source: a packed bomb is stopped by the limits of its options") {
  const temporary_folder folder;
  folder.write("a.csv.gz", gzipped(std::string(8 << 20, '\n')));
  const auto read = [&] { pieces_of(text_source(folder.path() / "a.csv.gz", {.gzip = {.always = 2 << 20}})); };
  check_error<format_error>(read, "a.csv.gz", "unpacked bytes for each packed one");
}
