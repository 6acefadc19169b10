// SPDX-License-Identifier: MIT
#include "graphpatcher/cpu/turned_rows.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <vector>

namespace be = graphpatcher::backend;

TEMPLATE_TEST_CASE("turn: number j of vector i becomes number i of vector j, twice is nothing", "", float, double) {
  using rows = be::turned_rows<const TestType>;
  typename rows::vector square[rows::lanes];
  for (std::size_t i = 0; i < rows::lanes; ++i) {
    for (std::size_t j = 0; j < rows::lanes; ++j) {
      square[i][j] = static_cast<TestType>(100 * i + j);
    }
  }
  be::turn(square);
  for (std::size_t i = 0; i < rows::lanes; ++i) {
    for (std::size_t j = 0; j < rows::lanes; ++j) {
      REQUIRE(square[i][j] == static_cast<TestType>(100 * j + i));
    }
  }
  be::turn(square);
  CHECK(square[0][1] == TestType(1));
}

// Every width around that of a vector and every number of rows, in memory that ends with the last number.
TEMPLATE_TEST_CASE("turned_rows: columns of every width come and go, nothing beside them is written", "", float,
                   double) {
  constexpr std::size_t lanes = be::turned_rows<TestType>::lanes;
  constexpr TestType untouched = -7;
  for (std::size_t cols = 1; cols <= 2 * lanes + 1; ++cols) {
    for (const std::size_t step : {cols, cols + 3}) {
      for (std::size_t count = 1; count <= lanes; ++count) {
        CAPTURE(cols, step, count);
        std::vector<TestType> from((count - 1) * step + cols);
        for (std::size_t k = 0; k < from.size(); ++k) {
          from[k] = static_cast<TestType>(k);
        }
        std::size_t c = 0;
        bool right = true;
        const be::turned_rows<const TestType> read(from.data(), step, count);
        read.for_each_column(cols, [&](const auto& column) {
          for (std::size_t i = 0; i < lanes; ++i) {  // the last row stands in the lanes that are left
            right = right && column[i] == static_cast<TestType>(std::min(i, count - 1) * step + c);
          }
          ++c;
        });
        REQUIRE(right);
        REQUIRE(c == cols);

        std::vector<TestType> to(from.size(), untouched);
        const be::turned_rows<TestType> written(to.data(), step, count);
        written.store_columns(cols, [&](std::size_t column) {
          typename be::turned_rows<TestType>::vector values{};
          for (std::size_t i = 0; i < lanes; ++i) {
            values[i] = static_cast<TestType>(i * step + column);
          }
          return values;
        });
        for (std::size_t k = 0; k < to.size(); ++k) {
          right = right && to[k] == (k % step < cols ? static_cast<TestType>(k) : untouched);
        }
        REQUIRE(right);
      }
    }
  }
}
