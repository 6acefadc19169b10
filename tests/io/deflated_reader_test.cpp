// SPDX-License-Identifier: MIT
#include "io/deflated_reader.hpp"

#include <catch2/catch.hpp>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::bytes_of;

namespace {

std::vector<std::uint8_t> deflated(const std::string& content) {
  return bytes_of(gp_test::deflated(content));
}

std::uint32_t checksum(const std::string& content) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

std::string long_content() {
  std::string content;
  for (int i = 0; i < 30000; ++i) {
    content += std::to_string(i * i);
  }
  return content;
}

template <class Action>
void check_refused(const Action& action, std::uint64_t offset, const std::string& message) {
  try {
    action();
    FAIL("no error, expected: " << message);
  } catch (const format_error& failure) {
    CHECK(failure.path() == "a.npy");
    CHECK(failure.offset() == offset);
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

}  // namespace

TEST_CASE("deflated_reader: what was packed, in pieces of any size") {
  const std::string content = long_content();
  const auto packed = deflated(content);
  for (const std::size_t step : {std::size_t{1000}, std::size_t{65536}, content.size()}) {
    deflated_reader file("a.npy", packed, content.size());
    CHECK(file.take(0, "nothing").empty());
    std::string all;
    while (file.remaining() > 0) {
      CHECK(file.position() == all.size());
      all += file.characters(std::min<std::size_t>(step, file.remaining()), "content");
    }
    CHECK(all == content);
    file.finish(checksum(content));
  }
  const auto short_one = deflated("\x01\x02\x03xyz");
  deflated_reader numbers("a.npy", short_one, 6);
  CHECK(numbers.number<std::uint16_t>("a number") == 0x0201);
}

TEST_CASE("deflated_reader: sizes that are not true, other content, another checksum") {
  const std::string content = long_content();
  const auto packed = deflated(content);
  const auto read_all = [&](const std::vector<std::uint8_t>& bytes, std::size_t size, std::uint32_t sum) {
    deflated_reader file("a.npy", bytes, size);
    file.take(size, "content");
    file.finish(sum);
  };
  read_all(packed, content.size(), checksum(content));
  check_refused([&] { read_all(packed, content.size(), checksum(content) + 1); }, 0, "the checksum is not the one");
  check_refused([&] { read_all(packed, content.size() + 1, 0); }, 0, "got less");
  check_refused([&] { read_all(packed, content.size() - 1, 0); }, content.size() - 1, "got something else");
  auto cut = packed;
  cut.resize(cut.size() / 2);
  check_refused([&] { read_all(cut, content.size(), 0); }, 0, "got less");
  auto more = packed;
  more.push_back(0);
  check_refused([&] { read_all(more, content.size(), 0); }, content.size(), "got something else");
  check_refused([&] { read_all(bytes_of("\xff\xff\xff"), 10, 0); }, 0, "got something else");
  check_refused([&] { read_all({}, 10, 0); }, 0, "got less");
  deflated_reader unfinished("a.npy", packed, content.size());
  unfinished.take(10, "content");
  check_refused([&] { unfinished.finish(0); }, 10, "got something else");
  check_refused([&] { unfinished.take(content.size(), "content"); }, 10, "expected content");
}
