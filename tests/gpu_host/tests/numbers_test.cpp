// SPDX-License-Identifier: MIT
// Instructions against the same mathematics on the host.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "device/half.hpp"
#include "support.hpp"

using namespace gpu_host_tests;
using gpu_host::device::bf16;
using gpu_host::device::f16;
using gpu_host::device::narrow;
using gpu_host::device::widen;

namespace {

template <class Half>
std::uint16_t bits(double value) {
  return narrow<Half>(value).bits;
}
template <class Half>
double number(std::uint16_t value) {
  return widen(Half{value});
}

}  // namespace

TEST_CASE("Halves are rounded once, to even") {
  CHECK(bits<f16>(1.0) == 0x3c00);
  CHECK(bits<f16>(-2.0) == 0xc000);
  CHECK(bits<f16>(65504.0) == 0x7bff);
  CHECK(bits<f16>(65519.9) == 0x7bff);
  CHECK(bits<f16>(65520.0) == 0x7c00);         // halfway to 65536: infinity
  CHECK(bits<f16>(1 + 1.0 / 2048) == 0x3c00);  // a tie: to even
  CHECK(bits<f16>(1 + 3.0 / 2048) == 0x3c02);  // a tie: to even
  CHECK(bits<f16>(std::ldexp(1, -24)) == 1);   // the smallest
  CHECK(bits<f16>(std::ldexp(1, -25)) == 0);   // a tie: to zero
  CHECK(bits<f16>(std::ldexp(1.5, -25)) == 1);
  CHECK(bits<f16>(std::ldexp(2047, -25)) == 0x400);  // rounds up into the normal numbers
  CHECK(bits<bf16>(1.0) == 0x3f80);
  CHECK(bits<bf16>(1 + 1.0 / 256) == 0x3f80);
  CHECK(bits<bf16>(3.4e38) == 0x7f80);
  CHECK(bits<bf16>(-0.0) == 0x8000);
  CHECK(bits<bf16>(std::nan("")) == 0x7fff);
  CHECK(narrow<f16>(1 + 1023.9 / 1024, true).bits == 0x3fff);
  for (unsigned i = 0; i < 0x10000; ++i) {
    const auto pattern = std::uint16_t(i);
    if (const double value = number<f16>(pattern); value == value)
      REQUIRE(bits<f16>(value) == pattern);
    if (const double value = number<bf16>(pattern); value == value) {
      REQUIRE(bits<bf16>(value) == pattern);
      REQUIRE(float(value) == std::bit_cast<float>(i << 16));  // a bfloat16 is the upper half of a float
    }
  }
}

TEST_CASE("Half-precision instructions") {
  std::vector<std::uint16_t> a(64), b(64), c(64), d(64);
  for (std::size_t i = 0; i < 64; ++i) {
    a[i] = bits<f16>(double(int(i) - 20) / 7);
    b[i] = bits<bf16>(double(i) / 3);
    c[i] = bits<f16>(double(i) * 1.37);
    d[i] = bits<f16>(double(50 - int(i)) / 11);
  }
  const device_array<std::uint16_t> half_a(a), bfloat_b(b), half(a), bfloat(a);
  const device_array<float> sums(std::vector<float>(64));
  run("half_and_bfloat", grid(1, 64), half_a, bfloat_b, sums, half, bfloat, 64);
  for (std::size_t i = 0; i < 64; ++i) {
    const float sum = float(number<f16>(a[i])) + float(number<bf16>(b[i]));
    CHECK(sums.values()[i] == sum);
    CHECK(half.values()[i] == bits<f16>(sum));
    CHECK(bfloat.values()[i] == bits<bf16>(sum));
  }

  const device_array<std::uint16_t> on_c(c), on_d(d), fused(c), larger(c), on_b(b), squared(b);
  std::vector<float> floats(64);
  for (std::size_t i = 0; i < 64; ++i)
    floats[i] = float(i) / 9;
  const device_array<float> rounded(floats);
  run("half_pairs", grid(1, 32), on_c, on_d, fused, larger, on_b, squared, rounded);
  for (std::size_t i = 0; i < 64; ++i) {  // the products of halves and their sums with halves are exact in double here
    const double x = number<f16>(c[i]), y = number<f16>(d[i]);
    CHECK(fused.values()[i] == bits<f16>(x * y + x));
    CHECK(number<f16>(larger.values()[i]) == std::max(x, y));
    CHECK(squared.values()[i] == bits<bf16>(number<bf16>(b[i]) * number<bf16>(b[i])));
    CHECK(rounded.values()[i] == float(number<f16>(bits<f16>(floats[i]))));
  }
}

TEST_CASE("Functions agree with the host's within the error that CUDA promises") {
  std::vector<float> x;
  for (int i = 1; i <= 64; ++i)
    x.push_back(float(i) * 0.11f);
  const device_array<float> in(x), out(std::vector<float>(640));
  run("functions", grid(1, 64), in, out, 64);
  const auto results = out.values();
  for (std::size_t i = 0; i < 64; ++i) {
    const double v = x[i];
    const double expected[] = {std::exp(v), std::log(v),      std::tanh(v), std::sin(v), std::pow(v, 1.5),
                               std::erf(v), 1 / std::sqrt(v), std::sqrt(v), v / 3,       std::exp(v)};
    // In units of the last place, from the CUDA programming guide; __expf: 2 + |1.173 x|.
    const double ulps[] = {2, 1, 2, 2, 4, 2, 2, 0.5, 0.5, 2 + 1.173 * v};
    for (std::size_t k = 0; k < 10; ++k) {
      INFO("function " << k << " of " << v);
      const double unit = std::ldexp(1.0, std::ilogb(expected[k]) - 23);
      CHECK(std::fabs(double(results[i * 10 + k]) - expected[k]) <= ulps[k] * unit);
    }
  }

  std::vector<double> y{0.5, 1.0, 2.75, 10.0, 1e-10, 300.0};
  const device_array<double> double_in(y), double_out(std::vector<double>(30));
  run("doubles", grid(1, 32), double_in, double_out, 6);
  const auto doubles = double_out.values();
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(doubles[5 * i] == Approx(std::exp(y[i])).epsilon(4e-16));
    CHECK(doubles[5 * i + 1] == Approx(std::log(y[i])).epsilon(4e-16).margin(1e-300));
    CHECK(doubles[5 * i + 2] == std::sqrt(y[i]));
    CHECK(doubles[5 * i + 3] == y[i] / 3);
    CHECK(doubles[5 * i + 4] == (y[i] > 1e-9 ? y[i] : y[i] + 1e-30));  // far below the last place: cut off
  }
}

TEST_CASE("Bits") {
  const std::vector<unsigned> in{0u, 1u, 0x80000000u, 0xdeadbeefu, 12345u, ~0u};
  const device_array<unsigned> on_device(in), out(std::vector<unsigned>(72));
  run("bit_tricks", grid(1, 32), on_device, out, 6);
  const auto results = out.values();
  for (std::size_t i = 0; i < in.size(); ++i) {
    const unsigned x = in[i];
    const unsigned* row = &results[12 * i];
    unsigned reversed = 0;
    for (unsigned b = 0; b < 32; ++b)
      reversed |= (x >> b & 1) << (31 - b);
    CHECK(row[0] == unsigned(std::popcount(x)));
    CHECK(row[1] == unsigned(std::countl_zero(x)));
    CHECK(row[2] == (x ? unsigned(std::countr_zero(x)) + 1 : 0));
    CHECK(row[3] == reversed);
    // Selector 0x7162, lowest first: byte 2 of x, byte 6 (2 of the second), byte 1 of x, byte 7 (3 of the second).
    CHECK(row[4] == ((x >> 16 & 255) | 2u << 8 | (x >> 8 & 255) << 16 | 1u << 24));
    CHECK(row[5] == (~x << 7 | x >> 25));
    CHECK(row[6] == unsigned(std::uint64_t(x) * 0x9e3779b9u >> 32));
    CHECK(row[7] == (x > 1000 ? x - 1000 : 1000 - x) + 3);
    CHECK(row[8] == (x & 0xffffffu) * 77u);
    const auto byte = [&](int k) { return int(std::int8_t(x >> (8 * k))); };
    CHECK(int(row[9]) == byte(0) * -2 + byte(1) * 2 + byte(2) * -1 + byte(3) * 1 + 5);
    CHECK(row[10] == ((x & ~0xff00u) ^ (x >> 3 | 1u)));
    CHECK(row[11] == unsigned(__int128(std::int64_t(x) << 30) * 0x123456789ll >> 64));
  }
}

TEST_CASE("Conversions saturate and round") {
  const float huge = 1e20f;
  const std::vector<float> in{0.5f, 1.5f, -2.7f, 300.2f, huge, -huge, std::numeric_limits<float>::quiet_NaN()};
  const device_array<float> on_device(in), rounded(std::vector<float>(21));
  const device_array<int> integers(std::vector<int>(35));
  const device_array<unsigned char> bytes(std::vector<unsigned char>(7));
  run("conversions", grid(1, 32), on_device, integers, bytes, rounded, 7);
  constexpr int most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
  // towards zero, nearest, down, up, to unsigned
  CHECK(integers.values() == std::vector<int>{0,     0,     0,     1,     0,         //
                                              1,     2,     1,     2,     1,         //
                                              -2,    -3,    -3,    -2,    0,         //
                                              300,   300,   300,   301,   300,       //
                                              most,  most,  most,  most,  int(~0u),  //
                                              least, least, least, least, 0,         //
                                              0,     0,     0,     0,     0});
  CHECK(bytes.values() == std::vector<unsigned char>{0, 1, 254, 44, 255, 0, 0});
  const auto floats = rounded.values();
  const float saturated[] = {0.5f, 1, 0, 1, 1, 0, 0}, nearest[] = {0, 2, -3, 300, huge, -huge};
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(floats[3 * i] == saturated[i]);
    if (i < 6)
      CHECK(floats[3 * i + 1] == nearest[i]);
    CHECK(floats[3 * i + 2] == 2147483520.f);  // the float below 2^31
  }
}

TEST_CASE("Jump tables, and Philox") {
  const auto in = numbers(64, 100);
  const device_array<int> on_device(in), out(in);
  run("switches", grid(1, 64), on_device, out);
  for (std::size_t i = 0; i < 64; ++i) {
    const int a = in[i], choices[] = {a + 17, a * a, -a, a % 5, a << 3, a ^ 0x55, a / 3, 0, 0};
    CHECK(out.values()[i] == choices[a % 9]);
  }
  // Known answer of the authors' Random123 library for counter 0 and key 0.
  const device_array<std::uint32_t> random(std::vector<std::uint32_t>(128));
  run("philox", grid(1, 32), 0u, 0u, random);
  const auto words = random.values();
  CHECK(std::vector<std::uint32_t>(words.begin(), words.begin() + 4) ==
        std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
}
