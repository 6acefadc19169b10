// SPDX-License-Identifier: MIT
// What stands exactly at a limit: the first id that is none, draws that are equal to a threshold.
#include <catch2/catch.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "graphpatcher/ops/dropout.hpp"
#include "graphpatcher/ops/message_checks.hpp"
#include "support/errors.hpp"

using namespace graphpatcher;

TEST_CASE("ids: the message names the first that is outside, be it the count itself", "[limits]") {
  const std::vector<std::int32_t> ids{0, 2, 3, -1, 7};
  CHECK(support::message_of<index_error>([&] { expects_ids(std::span<const std::int32_t>(ids), 3, "ids"); }) ==
        "ids: expected ids in [0, 3), got 3 at position 2");
  CHECK_NOTHROW(expects_ids(std::span<const std::int32_t>(ids).first(3), 4, "ids"));
}

TEST_CASE("dropout: a draw that is equal to the probability keeps its element", "[limits]") {
  const random_stream stream(9, purpose::dropout);
  for (const std::size_t cols : {std::size_t{4}, std::size_t{64}, std::size_t{65}}) {  // narrow rows and wide ones
    matrix<float> x(1, cols);
    x.fill(1);
    matrix<float> y(1, cols);
    const std::size_t column = cols - 1;
    const double probability = stream.bits(0, column / 4)[column % 4] * 0x1p-32;
    dropout(cpu{1}, {stream, probability}, std::span<const std::int32_t>{}, x, y.view());
    CHECK(y(0, column) > 0);
    dropout(cpu{1}, {stream, probability + 0x1p-32}, std::span<const std::int32_t>{}, x, y.view());
    CHECK(y(0, column) == 0);
  }
}
