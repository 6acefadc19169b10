// SPDX-License-Identifier: MIT
#include "graphpatcher/core/narrow_float.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace gp = graphpatcher;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// By the definition: sign, 5 bits of exponent, 10 bits of fraction.
double value_of(gp::float16 number) {
  const double sign = (number.bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (number.bits >> 10) & 31;
  const int fraction = number.bits & 1023;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

}  // namespace

TEST_CASE("every finite float16 has its value and comes back", "[core]") {
  std::size_t wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const gp::float16 number{static_cast<std::uint16_t>(bits)};
    if ((bits & 0x7C00) != 0x7C00) {
      wrong += static_cast<double>(gp::to_float(number)) != value_of(number);
      wrong += gp::to_float16(gp::to_float(number)).bits != bits;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a float becomes the nearest float16, ties to even", "[core]") {
  std::size_t wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {  // between each number and the next one
    const double low = value_of({static_cast<std::uint16_t>(bits)});
    const double high = value_of({static_cast<std::uint16_t>(bits + 1)});
    const auto middle = static_cast<float>((low + high) / 2);  // 12 significant bits: exact
    wrong += gp::to_float16(middle).bits != bits + (bits & 1);
    wrong += gp::to_float16(std::nextafter(middle, 0.0f)).bits != bits;
    wrong += gp::to_float16(std::nextafter(middle, infinity)).bits != bits + 1;
    wrong += gp::to_float16(-middle).bits != (0x8000 | (bits + (bits & 1)));
  }
  CHECK(wrong == 0);
  CHECK(gp::to_float16(65519.0f).bits == 0x7BFF);
  CHECK(gp::to_float16(65520.0f).bits == 0x7C00);  // half a step above the largest number
  CHECK(gp::to_float16(1e30f).bits == 0x7C00);
  CHECK(gp::to_float(gp::to_float16(-infinity)) == -infinity);
  CHECK(std::isnan(gp::to_float(gp::to_float16(std::nanf("")))));
}

TEST_CASE("a float becomes the nearest bfloat16, ties to even", "[core]") {
  CHECK(gp::to_float(gp::to_bfloat16(1.0f)) == 1.0f);
  CHECK(gp::to_float(gp::to_bfloat16(1.0f + 0x1p-8f)) == 1.0f);                // a tie: down to even
  CHECK(gp::to_float(gp::to_bfloat16(1.0f + 3 * 0x1p-8f)) == 1.0f + 0x1p-6f);  // a tie: up to even
  CHECK(gp::to_float(gp::to_bfloat16(1.0f + 0x1p-8f + 0x1p-20f)) == 1.0f + 0x1p-7f);
  CHECK(gp::to_float(gp::to_bfloat16(std::numeric_limits<float>::max())) == infinity);
  CHECK(gp::to_float(gp::to_bfloat16(-infinity)) == -infinity);
  CHECK(std::isnan(gp::to_float(gp::to_bfloat16(std::nanf("")))));
}
