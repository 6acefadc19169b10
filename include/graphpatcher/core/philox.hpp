// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace graphpatcher {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
/// 2011): ten rounds turn a 128-bit counter and a 64-bit key into 128 random
/// bits. There is no state: the same counter and key give the same bits on any
/// thread, in any order, on CPU and GPU.
struct philox {
  using counter_type = std::array<std::uint32_t, 4>;
  using key_type = std::array<std::uint32_t, 2>;

  static constexpr counter_type block(counter_type counter, key_type key) noexcept {
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t product0 = 0xD2511F53ull * counter[0];
      const std::uint64_t product1 = 0xCD9E8D57ull * counter[2];
      counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
                 static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
                 static_cast<std::uint32_t>(product0)};
      key[0] += 0x9E3779B9u;
      key[1] += 0xBB67AE85u;
    }
    return counter;
  }

  /// Blocks computed side by side: the compiler makes vectors of them.
  static constexpr std::size_t run_blocks = 16;
  using run_type = std::array<std::uint32_t, 4 * run_blocks>;

  using half_counters = std::array<std::uint64_t, run_blocks>;

  /// The blocks of the counters (a, b), (a, b + 1), ..., one after the other.
  static constexpr run_type run(std::uint64_t a, std::uint64_t b, key_type key) noexcept {
    return side_by_side([=](std::size_t i) { return counter(a, b + i); }, key);
  }

  /// The blocks of the counters (a[i], b[i]), one after the other.
  static constexpr run_type blocks(const half_counters& a, const half_counters& b, key_type key) noexcept {
    return side_by_side([&](std::size_t i) { return counter(a[i], b[i]); }, key);
  }

  static constexpr counter_type counter(std::uint64_t a, std::uint64_t b) noexcept {
    return {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(a >> 32), static_cast<std::uint32_t>(b),
            static_cast<std::uint32_t>(b >> 32)};
  }

private:
  template <class CounterOf>
  static constexpr run_type side_by_side(CounterOf counter_of, key_type key) noexcept {
    run_type result{};
    for (std::size_t i = 0; i < run_blocks; ++i) {
      const auto words = block(counter_of(i), key);
      for (std::size_t word = 0; word < 4; ++word) {
        result[4 * i + word] = words[word];
      }
    }
    return result;
  }
};

/// What a stream of random numbers is for. Streams of different purposes never
/// overlap, even with the same seed.
enum class purpose : std::uint32_t {
  initialisation = 1,
  dropout = 2,
  corruption = 3,
  shuffle = 4,
  split = 5,
  generator = 6,
  edges = 7,
};

/// A named stream of random numbers: a key, made from a seed and then forked by
/// whatever the numbers belong to (purpose, iteration, step, ...), never by a
/// position in a batch or a thread. Draws are keyed by what they are for, such
/// as (anchor, neighbour, sample): see graph/corruption.hpp.
class random_stream {
public:
  constexpr random_stream(std::uint64_t seed, purpose use) noexcept
      : random_stream(random_stream(split(seed)).fork(static_cast<std::uint64_t>(use))) {}

  /// A stream of its own for `label`; forks of different labels are independent.
  constexpr random_stream fork(std::uint64_t label) const noexcept {
    const auto bits = philox::block({low(label), high(label), 0x666F726Bu, 0u}, key_);  // "fork"
    return random_stream(philox::key_type{bits[0], bits[1]});
  }

  /// Four draws of 32 random bits for the counter (a, b).
  constexpr philox::counter_type bits(std::uint64_t a, std::uint64_t b = 0) const noexcept {
    return philox::block(philox::counter(a, b), key_);
  }

  /// The draws of the counters (a, b), (a, b + 1), ..., one after the other.
  constexpr philox::run_type run(std::uint64_t a, std::uint64_t b) const noexcept { return philox::run(a, b, key_); }

  /// The draws of the counters (a[i], b[i]), one after the other.
  constexpr philox::run_type blocks(const philox::half_counters& a, const philox::half_counters& b) const noexcept {
    return philox::blocks(a, b, key_);
  }

  /// A number in [0, 1) for the counter (a, b), with the 53 bits of a double.
  constexpr double uniform(std::uint64_t a, std::uint64_t b = 0) const noexcept {
    const auto word = bits(a, b);
    const std::uint64_t joined = (std::uint64_t{word[0]} << 32) | word[1];
    return static_cast<double>(joined >> 11) * 0x1.0p-53;
  }

  constexpr philox::key_type key() const noexcept { return key_; }

private:
  constexpr explicit random_stream(philox::key_type key) noexcept : key_(key) {}

  static constexpr std::uint32_t low(std::uint64_t value) noexcept { return static_cast<std::uint32_t>(value); }
  static constexpr std::uint32_t high(std::uint64_t value) noexcept { return static_cast<std::uint32_t>(value >> 32); }
  static constexpr philox::key_type split(std::uint64_t seed) noexcept { return {low(seed), high(seed)}; }

  philox::key_type key_;
};

/// An event of probability p happens when 32 random bits are below this.
/// p = 0 never happens, p = 1 always.
constexpr std::uint64_t probability_threshold(double p) noexcept {
  return static_cast<std::uint64_t>(p * 0x1.0p32);
}

}  // namespace graphpatcher
