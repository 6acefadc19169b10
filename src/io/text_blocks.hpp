// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Text looked at 64 characters at a time: a question about each of them is answered by a word of 64 bits, the first
/// character's in the lowest. What would be a branch for each character is then arithmetic for all of them.
namespace graphpatcher::detail {

inline constexpr std::size_t block_size = 64;

/// The highest bits of eight bytes, side by side: that of byte i goes from 8 i + 7 to 56 + i, and no two sums meet.
inline std::uint64_t gather_high_bits(std::uint64_t bytes) noexcept {
  return ((bytes & 0x8080808080808080) * 0x0002040810204081) >> 56;
}

/// 16 characters; what is compared with them gives 0 or 255 for each.
typedef std::uint8_t sixteen_characters __attribute__((vector_size(16)));

/// The answers of test(sixteen_characters) for 64 characters.
template <class Test>
std::uint64_t block_bits(const char* block, const Test& test) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t part = 0; part < 4; ++part) {
    sixteen_characters characters;
    std::memcpy(&characters, block + 16 * part, 16);
    const auto answers = test(characters);
#if defined(__SSE2__)
    const auto packed =
        static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(std::bit_cast<__m128i>(answers))));
#else
    std::uint64_t halves[2];
    std::memcpy(halves, &answers, 16);
    const std::uint64_t packed = gather_high_bits(halves[0]) | gather_high_bits(halves[1]) << 8;
#endif
    bits |= packed << (16 * part);
  }
  return bits;
}

/// Counts the fields of a text in which something is found: a bit of `found` in a block is carried by an addition
/// through the ones that are no end to the next end, and from block to block.
class field_counter {
public:
  void add(std::uint64_t ends, std::uint64_t found) noexcept {
    const std::uint64_t through = ~ends;
    const std::uint64_t partial = through + found;
    const std::uint64_t sum = partial + carry_;
    carry_ = partial < found || sum < partial ? 1 : 0;
    count_ += static_cast<std::size_t>(std::popcount(sum & ends));
  }
  std::size_t count() const noexcept { return count_; }

private:
  std::uint64_t carry_ = 0;
  std::size_t count_ = 0;
};

/// Finds where numbers end, at a comma or at anything up to a space, in the middle of a text: behind an end there are
/// at least eight more characters. Of the last characters of the text nothing is said.
class number_ends {
public:
  explicit number_ends(const char* stop) noexcept : stop_(stop) {}

  /// The first end at `at` or behind it, or null if none is found within 64 characters.
  [[gnu::always_inline]] const char* from(const char* at) noexcept {
    auto offset = static_cast<std::size_t>(at - block_);
    if (offset >= block_size || bits_ >> offset == 0) {
      if (stop_ - at < static_cast<std::ptrdiff_t>(block_size + 8)) {
        return nullptr;
      }
      block_ = at;
      offset = 0;
      bits_ = block_bits(at, [](sixteen_characters c) { return (c <= ' ') | (c == ','); });
      if (bits_ == 0) {
        return nullptr;
      }
    }
    return at + std::countr_zero(bits_ >> offset);
  }

private:
  const char* stop_;
  const char* block_ = stop_;
  std::uint64_t bits_ = 0;
};

}  // namespace graphpatcher::detail
