// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "graphpatcher/core/philox.hpp"

using namespace graphpatcher;

// kat_vectors of Random123 1.14 (D. E. Shaw Research), lines "philox4x32 10".
TEST_CASE("Philox4x32-10 gives the published known answers", "[philox]") {
  using words = philox::counter_type;
  CHECK(philox::block({0, 0, 0, 0}, {0, 0}) == words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox::block({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox::block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  static_assert(philox::block({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5);
}

TEST_CASE("a stream is its key: same seed and purpose, same bits", "[philox]") {
  const random_stream first(5, purpose::dropout);
  CHECK(first.bits(1, 2) == random_stream(5, purpose::dropout).bits(1, 2));
  CHECK(first.bits(1, 2) == philox::block({1, 0, 2, 0}, first.key()));
  const std::uint64_t wide = 0x0123456789abcdefull;
  CHECK(first.bits(wide, wide) == philox::block({0x89abcdef, 0x01234567, 0x89abcdef, 0x01234567}, first.key()));
}

TEST_CASE("a run has the bits of its blocks", "[philox]") {
  const random_stream stream(5, purpose::dropout);
  for (const auto first : std::vector<std::uint64_t>{0, 3, 0xfffffffa, 0xfffffffffffffffd}) {
    const auto run = stream.run(0x0123456789abcdefull, first);
    for (std::size_t i = 0; i < philox::run_blocks; ++i) {
      const auto block = stream.bits(0x0123456789abcdefull, first + i);
      CHECK(std::equal(block.begin(), block.end(), run.begin() + 4 * i));
    }
  }
}

TEST_CASE("blocks side by side have the bits of each alone", "[philox]") {
  const random_stream stream(6, purpose::dropout);
  philox::half_counters a{}, b{};
  for (std::size_t i = 0; i < philox::run_blocks; ++i) {
    a[i] = 0x0123456789abcdefull * i;
    b[i] = 0xfffffffffffffffdull + 5 * i;
  }
  const auto blocks = stream.blocks(a, b);
  for (std::size_t i = 0; i < philox::run_blocks; ++i) {
    const auto block = stream.bits(a[i], b[i]);
    CHECK(std::equal(block.begin(), block.end(), blocks.begin() + 4 * i));
  }
}

TEST_CASE("seeds, purposes and forks give keys of their own", "[philox]") {
  std::set<philox::key_type> keys;
  std::size_t made = 0;
  const auto add = [&](const random_stream& stream) {
    keys.insert(stream.key());
    ++made;
  };
  for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32}) {
    for (auto use : {purpose::initialisation, purpose::dropout, purpose::corruption, purpose::shuffle, purpose::split,
                     purpose::generator}) {
      const random_stream stream(seed, use);
      add(stream);
      for (std::uint64_t label : {0u, 1u, 2u}) {
        add(stream.fork(label));
        add(stream.fork(label).fork(0));
        add(stream.fork(label << 32 | 7));
      }
    }
  }
  CHECK(keys.size() == made);
}

TEST_CASE("forks and neighbouring counters are uncorrelated", "[philox]") {
  const random_stream stream(9, purpose::generator);
  const auto left = stream.fork(1);
  const auto right = stream.fork(2);
  const int count = 40000;
  double forks = 0;
  double neighbors = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    forks += (left.uniform(i) - 0.5) * (right.uniform(i) - 0.5);
    neighbors += (left.uniform(i) - 0.5) * (left.uniform(i + 1) - 0.5);
  }
  // The product of two centred uniforms has standard deviation 1/12: five deviations of the mean.
  const double bound = 5.0 / 12 / std::sqrt(double(count));
  CHECK(std::abs(forks / count) < bound);
  CHECK(std::abs(neighbors / count) < bound);
}

TEST_CASE("uniform numbers fill [0, 1) evenly", "[philox]") {
  const random_stream stream(1, purpose::generator);
  const int count = 100000;
  const int bins = 50;
  std::vector<int> hits(bins, 0);
  double sum = 0;
  double smallest = 1;
  double largest = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double u = stream.uniform(i / 100, i % 100);
    sum += u;
    smallest = std::min(smallest, u);
    largest = std::max(largest, u);
    ++hits.at(static_cast<std::size_t>(u * bins));
  }
  CHECK(smallest >= 0);
  CHECK(largest < 1);
  CHECK(std::abs(sum / count - 0.5) < 5 / std::sqrt(12.0 * count));
  double chi_squared = 0;
  for (const int hit : hits) {
    chi_squared += std::pow(hit - count / bins, 2) / (count / bins);
  }
  CHECK(chi_squared < 49 + 5 * std::sqrt(2.0 * 49));
}

TEST_CASE("probability thresholds: never, always, and half", "[philox]") {
  CHECK(probability_threshold(0) == 0);
  CHECK(probability_threshold(1) == std::uint64_t{1} << 32);
  CHECK(probability_threshold(0.5) == std::uint64_t{1} << 31);
}
