// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphpatcher/core/arena.hpp"

using namespace graphpatcher;

TEST_CASE("an arena hands out separate memory on cache lines", "[arena]") {
  arena scratch;
  std::vector<matrix_view<float>> blocks;
  for (std::size_t i = 0; i < 200; ++i) {
    blocks.push_back(scratch.allocate_matrix<float>(i % 7 + 1, 100));
    CHECK(reinterpret_cast<std::uintptr_t>(blocks.back().data()) % storage_alignment == 0);
    std::fill_n(blocks.back().data(), blocks.back().size(), static_cast<float>(i));
  }
  bool intact = true;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    intact = intact && std::all_of(blocks[i].data(), blocks[i].data() + blocks[i].size(),
                                   [i](float value) { return value == static_cast<float>(i); });
  }
  CHECK(intact);
}

TEST_CASE("after the first round an arena allocates nothing", "[arena]") {
  arena scratch;
  CHECK(scratch.capacity() == 0);
  const auto round = [&] {
    scratch.allocate<double>(10);
    scratch.allocate<double>(100000);
    return scratch.allocate<double>(50000);
  };
  round();
  scratch.reset();
  const std::size_t held = scratch.capacity();
  CHECK(held >= 150010 * sizeof(double));
  double* const place = round();
  CHECK(scratch.capacity() == held);
  scratch.reset();
  CHECK(round() == place);
  CHECK(scratch.capacity() == held);
}

TEST_CASE("an arena takes requests of any size, none included", "[arena]") {
  arena scratch;
  CHECK_NOTHROW(scratch.allocate<float>(0));
  const auto empty = scratch.allocate_matrix<float>(0, 8);
  CHECK(empty.empty());
  std::int32_t* const large = scratch.allocate<std::int32_t>(1 << 20);
  large[(1 << 20) - 1] = 5;
  CHECK(scratch.capacity() >= std::size_t{4} << 20);
}
