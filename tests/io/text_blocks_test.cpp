// SPDX-License-Identifier: MIT
#include "io/text_blocks.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <string_view>

#include "graphpatcher/core/philox.hpp"

using namespace graphpatcher;

namespace {

/// Characters of a table, most of them digits.
std::string random_text(std::size_t size, std::uint64_t seed) {
  constexpr std::string_view characters = "00000123456789,,\n -.\t\r";
  const random_stream stream(seed, purpose::generator);
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += characters[stream.bits(i)[0] % characters.size()];
  }
  return text;
}

bool is_end(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == ',';
}

}  // namespace

TEST_CASE("text_blocks: the highest bits of eight bytes side by side") {
  const random_stream stream(1, purpose::generator);
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto bits = stream.bits(i);
    const std::uint64_t bytes = std::uint64_t{bits[0]} << 32 | bits[1];
    std::uint64_t expected = 0;
    for (int byte = 0; byte < 8; ++byte) {
      expected |= (bytes >> (8 * byte + 7) & 1) << byte;
    }
    CHECK(detail::gather_high_bits(bytes) == expected);
  }
}

TEST_CASE("text_blocks: a bit for each character, all 256 of them") {
  std::string all(256, '\0');
  for (std::size_t c = 0; c < 256; ++c) {
    all[c] = static_cast<char>(c);
  }
  for (std::size_t begin = 0; begin < 256; begin += detail::block_size) {
    const auto bits =
        detail::block_bits(all.data() + begin, [](detail::sixteen_characters c) { return (c <= ' ') | (c == ','); });
    for (std::size_t i = 0; i < detail::block_size; ++i) {
      CHECK((bits >> i & 1) == (is_end(all[begin + i]) ? 1 : 0));
    }
  }
}

TEST_CASE("text_blocks: fields with something in them are counted, within a block and over several") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    // Few ends in some texts, so that fields are longer than a block.
    std::string text = random_text(64 * 40, seed);
    for (std::size_t i = 0; seed % 2 == 1 && i < text.size(); ++i) {
      text[i] = is_end(text[i]) && i % 90 != 0 ? '0' : text[i];
    }
    text.back() = '\n';
    detail::field_counter counter;
    for (std::size_t begin = 0; begin < text.size(); begin += detail::block_size) {
      const char* const block = text.data() + begin;
      counter.add(detail::block_bits(block, [](detail::sixteen_characters c) { return (c <= ' ') | (c == ','); }),
                  detail::block_bits(block, [](detail::sixteen_characters c) { return c == '7'; }));
    }
    std::size_t expected = 0;
    bool found = false;
    for (const char c : text) {
      found = found || c == '7';
      if (is_end(c)) {
        expected += found;
        found = false;
      }
    }
    CHECK(counter.count() == expected);
    CHECK(expected > 2);
  }
}

TEST_CASE("text_blocks: where numbers end, as long as the text goes on") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const std::string text = random_text(1000, seed);
    const char* const stop = text.data() + text.size();
    detail::number_ends ends(stop);
    for (const char* at = text.data(); at != stop; at += 1 + (at - text.data()) % 3) {
      const char* expected = at;
      while (expected != stop && !is_end(*expected)) {
        ++expected;
      }
      const char* const found = ends.from(at);
      if (stop - at >= 72) {
        CHECK(found == expected);
      } else {
        CHECK((found == nullptr || (found == expected && stop - found >= 8)));
      }
    }
  }
  const std::string digits(200, '7');
  CHECK(detail::number_ends(digits.data() + digits.size()).from(digits.data()) == nullptr);
  CHECK(detail::number_ends(digits.data()).from(digits.data()) == nullptr);
}
