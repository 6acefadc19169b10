// SPDX-License-Identifier: MIT
// What is known about every byte of device memory: whether it may be touched, whether it was written, who used it last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gpu_host {

/// One byte of state for a word of four bytes: which of them exist (bits 0-3) and which were written (bits 4-7).
namespace byte_state {

inline constexpr std::uint64_t exists = 0x0f0f0f0f0f0f0f0f, written = 0xf0f0f0f0f0f0f0f0;

/// The states of an aligned access of 1, 2, 4, 8, 16 or 32 bytes in one number, and the bits that belong to it.
struct window {
  std::uint64_t bits;
  unsigned words;

  window(std::uint64_t offset, unsigned bytes) : words(bytes < 4 ? 1 : bytes / 4) {
    if (bytes < 4) {
      const std::uint64_t mask = ((1u << bytes) - 1) << (offset % 4);
      bits = mask | mask << 4;
    } else {
      bits = words == 8 ? ~0ull : (1ull << (8 * words)) - 1;
    }
  }
  std::uint64_t load(const std::uint8_t* states) const {
    switch (words) {
      case 1:
        return *states;
      case 2:
        return load_as<std::uint16_t>(states);
      case 4:
        return load_as<std::uint32_t>(states);
      default:
        return load_as<std::uint64_t>(states);
    }
  }
  bool has_all(const std::uint8_t* states, std::uint64_t which) const {
    return (load(states) & bits & which) == (bits & which);
  }
  void set_written(std::uint8_t* states) const {
    for (unsigned i = 0; i < words; ++i)
      states[i] |= std::uint8_t(bits & written);
  }

private:
  template <class T>
  static std::uint64_t load_as(const std::uint8_t* states) {
    T value;
    std::memcpy(&value, states, sizeof(T));
    return value;
  }
};

/// Sets or clears bits for a range of any length; `which` is exists, written or both.
inline void change(std::uint8_t* states, std::uint64_t offset, std::uint64_t bytes, std::uint64_t which, bool on) {
  for (std::uint64_t at = offset; at < offset + bytes;) {  // word by word
    const std::uint64_t in_word = at % 4, left = offset + bytes - at;
    const std::uint64_t count = left < 4 - in_word ? left : 4 - in_word;
    const std::uint8_t mask = std::uint8_t(((1u << count) - 1) << in_word);
    const std::uint8_t affected = std::uint8_t((mask | mask << 4) & which);
    states[at / 4] = std::uint8_t(on ? states[at / 4] | affected : states[at / 4] & ~affected);
    at += count;
  }
}
inline bool all(const std::uint8_t* states, std::uint64_t offset, std::uint64_t bytes, std::uint64_t which) {
  for (std::uint64_t at = offset; at < offset + bytes; ++at)
    if (const std::uint8_t bit = std::uint8_t(0x11u << (at % 4) & which); (states[at / 4] & bit) != bit)
      return false;
  return true;
}

}  // namespace byte_state

/// An access as the race detector remembers it.
struct access_record {
  std::uint32_t interval;     // the block and the barrier interval, see race_detector.hpp; 0: never
  std::uint32_t time : 22;    // warp-level synchronisations before it in the interval
  std::uint32_t thread : 10;  // linear index in its block
  std::uint32_t site : 24;
  std::uint32_t bytes : 4;  // which bytes of the word
  std::uint32_t strong : 1;
};
static_assert(sizeof(access_record) == 12);

/// The last accesses to a word of four bytes.
struct word_history {
  access_record write;
  access_record read;        // the last one
  access_record other_lane;  // the last by another lane of the warp that made `read`
  access_record other_warp;  // the last by another warp or block than the one that made `read`
};

/// A piece of device memory with its shadows, all indexed by the same offset.
struct checked_memory {
  std::byte* data;
  std::uint8_t* states;   // of the word offset / 4
  word_history* history;  // the same
};

}  // namespace gpu_host
