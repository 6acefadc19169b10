// SPDX-License-Identifier: MIT
#include "graphpatcher/cpu/pieces.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <span>
#include <vector>

namespace gp = graphpatcher;
namespace be = graphpatcher::backend;

namespace {

std::vector<std::int32_t> offsets_of(const std::vector<std::int32_t>& degrees) {
  std::vector<std::int32_t> offsets(degrees.size() + 1, 0);
  std::partial_sum(degrees.begin(), degrees.end(), offsets.begin() + 1);
  return offsets;
}

struct piece {
  std::size_t first_row, last_row, first_col, last_col;
};

std::vector<piece> pieces_of(int threads, const std::vector<std::int32_t>& offsets, std::size_t cost,
                             std::size_t cols) {
  std::vector<piece> pieces;
  std::mutex mutex;
  be::for_each_row_piece(gp::cpu{threads}, std::span<const std::int32_t>(offsets), cost, cols,
                         [&](std::size_t first_row, std::size_t last_row, std::size_t first_col, std::size_t last_col) {
                           const std::lock_guard lock(mutex);
                           pieces.push_back({first_row, last_row, first_col, last_col});
                         });
  return pieces;
}

}  // namespace

TEST_CASE("pieces of rows: every number of a result belongs to exactly one", "[pieces]") {
  const std::vector<std::vector<std::int32_t>> graphs = {
      {0},
      {7},
      {400},
      {0, 0, 0, 0, 0, 0, 0},
      {1, 300, 1, 0, 0, 2, 300, 300, 0, 1},
      {0, 0, 63, 63, 63, 64, 64, 65, 1, 1},
      {1023, 0, 0, 1, 2, 3},
      {3, 2, 1, 0, 0, 1023},
      std::vector<std::int32_t>(200, 3),
  };
  for (const auto& degrees : graphs) {
    const auto offsets = offsets_of(degrees);
    for (const int threads : {1, 2, 3}) {
      for (const std::size_t cost : {std::size_t{1}, std::size_t{700}, be::piece_size}) {  // one piece, some, many
        for (const std::size_t cols : {1u, 31u, 32u, 33u, 96u, 1000u}) {
          std::vector<int> times(degrees.size() * cols, 0);
          for (const auto& [first_row, last_row, first_col, last_col] : pieces_of(threads, offsets, cost, cols)) {
            REQUIRE((first_row < last_row && last_row <= degrees.size()));
            REQUIRE((first_col < last_col && last_col <= cols));
            for (std::size_t row = first_row; row < last_row; ++row) {
              std::for_each_n(times.begin() + static_cast<std::ptrdiff_t>(row * cols + first_col), last_col - first_col,
                              [](int& count) { ++count; });
            }
          }
          CAPTURE(degrees, threads, cost, cols);
          REQUIRE(std::ranges::all_of(times, [](int count) { return count == 1; }));
        }
      }
    }
  }
}

TEST_CASE("pieces of rows: hubs that end anywhere in a piece are shared without a gap", "[pieces]") {
  for (std::int32_t before = 0; before < 40; ++before) {
    for (std::int32_t hub = 100; hub < 140; ++hub) {
      const auto offsets = offsets_of({before, hub, 3, hub, 1});
      std::vector<std::size_t> columns(5, 0);
      for (const auto& [first_row, last_row, first_col, last_col] : pieces_of(2, offsets, be::piece_size, 320)) {
        for (std::size_t row = first_row; row < last_row; ++row) {
          columns[row] += last_col - first_col;
        }
      }
      CAPTURE(before, hub);
      REQUIRE(columns == std::vector<std::size_t>(5, 320));
    }
  }
}

TEST_CASE("pieces of rows: work is divided evenly among threads, rows and the columns of a hub", "[pieces]") {
  const auto even = pieces_of(2, offsets_of(std::vector<std::int32_t>(1600, 1)), be::piece_size, 8);
  CHECK(even.size() == 16);
  CHECK(std::ranges::all_of(even, [](const piece& p) { return p.last_row - p.first_row == 100; }));
  const auto shared = pieces_of(2, offsets_of({16000}), be::piece_size, 1024);
  CHECK(shared.size() == 16);
  CHECK(std::ranges::all_of(shared, [](const piece& p) { return p.last_col - p.first_col == 64; }));
  CHECK(pieces_of(1, offsets_of({16000}), be::piece_size, 1024).size() == 1);
}
