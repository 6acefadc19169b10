// SPDX-License-Identifier: MIT
#include "io/gzip_stream.hpp"

#include <catch2/catch.hpp>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::bytes_of;
using gp_test::gzipped;

namespace {

std::string unpack(const std::string& packed, std::size_t step = 7, gzip_limits limits = {}) {
  const auto bytes = bytes_of(packed);
  gzip_stream stream("test.gz", bytes, limits);
  std::string out;
  std::string block(step, '\0');
  for (;;) {
    const std::size_t got = stream.read(block);
    out.append(block, 0, got);
    if (got < step) {
      CHECK(stream.read(block) == 0);
      CHECK(stream.position() == packed.size());
      return out;
    }
  }
}

void check_refused(const std::string& packed, const std::string& message, gzip_limits limits = {}) {
  gp_test::check_error<format_error>([&] { unpack(packed, 1000, limits); }, "test.gz", message);
}

}  // namespace

TEST_CASE("gzip_stream: what was packed comes out, in steps of any size") {
  std::string content;
  for (int i = 0; i < 2000; ++i) {
    content += std::to_string(i * i) + "\n";
  }
  for (const std::size_t step : {1u, 7u, 4096u, 1000000u}) {
    CHECK(unpack(gzipped(content), step) == content);
  }
  CHECK(unpack(gzipped("")).empty());
}

TEST_CASE("gzip_stream: several members are one file") {
  CHECK(unpack(gzipped("a,b\n") + gzipped("") + gzipped("c\n")) == "a,b\nc\n");
}

TEST_CASE("gzip_stream: zeros at the end, as tar and tapes fill up with, are left out") {
  for (const std::size_t zeros : {1, 512, 100000}) {
    CHECK(unpack(gzipped("a,b\n") + std::string(zeros, '\0')) == "a,b\n");
    CHECK(unpack(gzipped("a,b\n") + gzipped("c\n") + std::string(zeros, '\0'), 4096) == "a,b\nc\n");
    check_refused(gzipped("a,b\n") + std::string(zeros, '\0') + "x", "not a gzip file");
    check_refused(gzipped("a,b\n") + std::string(zeros, '\0') + gzipped("c\n"), "not a gzip file");
  }
  check_refused(std::string(512, '\0'), "not a gzip file");
}

TEST_CASE("gzip_stream: cut short at any byte, it is refused") {
  const std::string whole = gzipped("0,1\n1,2\n2,3\n3,4\n");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CHECK_THROWS_AS(unpack(whole.substr(0, length)), format_error);
  }
  check_refused("", "got no bytes");
  check_refused(whole.substr(0, whole.size() - 3), "truncated");
}

TEST_CASE("gzip_stream: what is no gzip file, is damaged or goes on after its end") {
  const std::string whole = gzipped("0,1\n1,2\n2,3\n3,4\n");
  check_refused("0,1\n1,2\n", "not a gzip file");
  check_refused(whole + "garbage", "not a gzip file");
  auto checksum = whole;
  checksum[whole.size() - 8] = static_cast<char>(checksum[whole.size() - 8] ^ 1);
  check_refused(checksum, "incorrect data check");
  auto length = whole;
  length[whole.size() - 1] = static_cast<char>(length[whole.size() - 1] ^ 1);
  check_refused(length, "incorrect length check");
}

TEST_CASE("gzip_stream: a bomb is stopped at the limits, which the message states") {
  const std::string bomb = gzipped(std::string(4 << 20, '0'));
  REQUIRE(bomb.size() < 8192);
  CHECK(unpack(bomb, 1 << 20).size() == 4 << 20);  // below what is always allowed
  check_refused(bomb, "expected at most 250 unpacked bytes for each packed one", {.always = 1 << 20});
  check_refused(bomb, "2000000 in all", {.ratio = 2000, .always = 1 << 20, .most = 2000000});
  CHECK(unpack(bomb, 1 << 20, {.ratio = 2000, .always = 1 << 20}).size() == 4 << 20);
}
