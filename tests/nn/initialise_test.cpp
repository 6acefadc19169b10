// SPDX-License-Identifier: MIT
#include "graphpatcher/nn/initialise.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "graphpatcher/nn/module.hpp"

namespace gp = graphpatcher;

namespace {

struct moments {
  double mean = 0, deviation = 0, fourth = 0, largest = 0;
};

template <class T>
moments moments_of(const gp::matrix<T>& m) {
  const auto n = static_cast<double>(m.size());
  moments result;
  for (const T v : m.values()) {
    result.mean += v / n;
    result.largest = std::max(result.largest, std::abs(double(v)));
  }
  for (const T v : m.values()) {
    result.deviation += (v - result.mean) * (v - result.mean) / n;
    result.fourth += std::pow(v - result.mean, 4) / n;
  }
  result.deviation = std::sqrt(result.deviation);
  return result;
}

const gp::random_stream stream(11, gp::purpose::initialisation);

}  // namespace

TEMPLATE_TEST_CASE("glorot uniform fills its interval evenly", "[nn]", float, double) {
  gp::parameter<TestType> w("w", 300, 200);
  gp::glorot_uniform(w, stream, 2.0);
  const double bound = 2.0 * std::sqrt(6.0 / 500);
  const auto m = moments_of(w.value);
  const double n = 60000;
  // five standard errors each
  CHECK(std::abs(m.mean) < 5 * bound / std::sqrt(3 * n));
  CHECK(std::abs(m.deviation - bound / std::sqrt(3.0)) < 5 * bound * std::sqrt(1 / (15 * n)));
  CHECK(m.largest <= bound * (1 + 1e-7));
  CHECK(m.largest > 0.999 * bound);
}

TEMPLATE_TEST_CASE("glorot normal has the spread and the tails of a normal", "[nn]", float, double) {
  gp::parameter<TestType> w("w", 300, 200);
  gp::glorot_normal(w, stream, gp::relu_gain);
  const double deviation = std::sqrt(2.0) * std::sqrt(2.0 / 500);
  const auto m = moments_of(w.value);
  const double n = 60000;
  CHECK(std::abs(m.mean) < 5 * deviation / std::sqrt(n));
  CHECK(std::abs(m.deviation / deviation - 1) < 5 / std::sqrt(2 * n));
  CHECK(std::abs(m.fourth / std::pow(deviation, 4) - 3) < 5 * std::sqrt(96 / n));  // kurtosis of a normal
  CHECK(m.largest > 3.5 * deviation);
}

TEST_CASE("fans can be given, as an attention vector needs", "[nn]") {
  gp::parameter<double> a("a", 1, 64), b("b", 1, 64);
  gp::glorot_normal(a, stream, 1.0, {64, 8});
  gp::normal(b, stream, 0.0, std::sqrt(2.0 / 72));
  for (std::size_t i = 0; i < 64; ++i) {
    CHECK(a.value(0, i) == Approx(b.value(0, i)).epsilon(1e-14));
  }
}

TEST_CASE("an element depends on its index and its stream alone", "[nn]") {
  gp::parameter<double> small("s", 2, 3), large("l", 40, 30), other("o", 2, 3);
  gp::uniform(small, stream, 1.0);
  gp::uniform(large, stream, 1.0);
  gp::uniform(other, stream.fork(1), 1.0);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(small.value.values()[i] == large.value.values()[i]);
    CHECK(small.value.values()[i] != other.value.values()[i]);
  }
}

TEST_CASE("a normal is finite for the extreme bits", "[nn]") {
  for (std::uint64_t i = 0; i < 20000; ++i) {
    REQUIRE(std::isfinite(gp::standard_normal(stream, i)));
  }
  CHECK(std::isfinite(gp::standard_normal(stream, ~std::uint64_t{0})));
}

TEST_CASE("bad bounds are named", "[nn]") {
  gp::parameter<double> w("w", 2, 2);
  CHECK_THROWS_AS(gp::uniform(w, stream, -1.0), gp::argument_error);
  CHECK_THROWS_WITH(gp::normal(w, stream, 0.0, -2.0), Catch::Contains("deviation >= 0") && Catch::Contains("-2"));
}

TEST_CASE("parameter names join with a dot", "[nn]") {
  CHECK(gp::parameter_name("", "weight") == "weight");
  CHECK(gp::parameter_name("layers.0", "weight") == "layers.0.weight");
}
