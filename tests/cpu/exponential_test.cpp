// SPDX-License-Identifier: MIT
#include "graphpatcher/cpu/exponential.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "graphpatcher/cpu/logarithm.hpp"
#include "support/ulp.hpp"

namespace be = graphpatcher::backend;
using support::same_in_every_lane;
using support::worst_ulp;
using support::worst_ulp_of_powers;

namespace {

const auto exponential = [](const auto& x) { return be::exponential(x); };
const auto less_one = [](const auto& x) { return be::exponential_less_one(x); };
const auto logarithm = [](const auto& x) { return be::logarithm(x); };
const auto exact_exponential = [](auto x) { return std::exp(x); };
const auto exact_less_one = [](auto x) { return std::expm1(x); };
const auto exact_logarithm = [](auto x) { return std::log(x); };

/// Never smaller for a larger number, from `x` on over `count` neighbouring numbers.
template <class T, class Function>
bool ascends(T x, int count, const Function& f) {
  T before = f(x);
  for (; count > 0; --count) {
    x = std::nextafter(x, std::numeric_limits<T>::infinity());
    const T now = f(x);
    if (now < before) {
      return false;
    }
    before = now;
  }
  return true;
}

}  // namespace

// The last two operations of each, without fused multiply-adds a product and a sum, round: half an ulp of the result
// and less than half of one of the smaller part, which a result just below a power of two counts twice; what came
// before them adds an eighth. Measured: 1.20, 1.13 and 0.92.
constexpr double bound = 1.5;

TEMPLATE_TEST_CASE("exponential: close to that of a wider type over all its range", "", float, double) {
  const bool single = sizeof(TestType) == sizeof(float);
  CHECK(worst_ulp<TestType>(single ? -104 : -746, single ? 89 : 710, exponential, exact_exponential) < bound);
  CHECK(worst_ulp<TestType>(-1, 1, exponential, exact_exponential) < bound);
  CHECK(worst_ulp_of_powers<TestType>(TestType(1e-30), 1, exponential, exact_exponential) < bound);
}

TEMPLATE_TEST_CASE("exponential_less_one: close to that of a wider type, near 0 too", "", float, double) {
  CHECK(worst_ulp<TestType>(-50, 0, less_one, exact_less_one) < bound);
  CHECK(worst_ulp<TestType>(-1, 0, less_one, exact_less_one) < bound);
  const auto of_negative = [](const auto& x) { return be::exponential_less_one(-x); };
  CHECK(worst_ulp_of_powers<TestType>(TestType(1e-30), 1, of_negative, [](auto x) { return std::expm1(-x); }) < bound);
}

TEMPLATE_TEST_CASE("logarithm: close to that of a wider type, near 1 and for subnormal numbers too", "", float,
                   double) {
  using limits = std::numeric_limits<TestType>;
  CHECK(worst_ulp<TestType>(TestType(0.5), 2, logarithm, exact_logarithm) < bound);
  CHECK(worst_ulp<TestType>(TestType(0.999), TestType(1.001), logarithm, exact_logarithm) < bound);
  CHECK(worst_ulp_of_powers<TestType>(limits::denorm_min(), limits::max(), logarithm, exact_logarithm) < bound);
}

TEMPLATE_TEST_CASE("normal_exponential and normal_logarithm: the bits of those for all numbers", "", float, double) {
  using limits = std::numeric_limits<TestType>;
  using vector = typename be::vector_of<TestType, 16 / sizeof(TestType)>::type;
  const auto same = [](const auto& special, const auto& general, TestType x) {
    return TestType(special(be::filled<vector>(x))[0]) == TestType(general(be::filled<vector>(x))[0]);
  };
  const auto normal_exponential = [](const auto& x) { return be::normal_exponential(x); };
  const auto normal_logarithm = [](const auto& x) { return be::normal_logarithm(x); };
  bool all = true;
  for (int i = 0; i <= 1 << 16; ++i) {
    const auto share = static_cast<TestType>(i) / (1 << 16);
    const TestType x = 160 * share - 80;
    const TestType y = std::exp2(limits::min_exponent - 1 + (limits::max_exponent - limits::min_exponent) * share);
    all = all && same(normal_exponential, exponential, x) && same(normal_logarithm, logarithm, y);
  }
  CHECK(all);
  CHECK(same(normal_logarithm, logarithm, limits::min()));
  CHECK(same(normal_logarithm, logarithm, limits::max()));
  CHECK(std::isnan(normal_exponential(be::filled<vector>(limits::quiet_NaN()))[0]));
}

TEMPLATE_TEST_CASE("exponentials and logarithms: infinities, NaN and the ends of the range", "", float, double) {
  using limits = std::numeric_limits<TestType>;
  const TestType infinity = limits::infinity();
  const TestType nan = limits::quiet_NaN();
  const TestType log_of_max = std::log(limits::max());

  CHECK(be::exponential(TestType(0)) == 1);
  CHECK(be::exponential(TestType(-0.0)) == 1);
  CHECK(be::exponential(infinity) == infinity);
  CHECK(be::exponential(-infinity) == 0);
  CHECK(std::isnan(be::exponential(nan)));
  CHECK(std::isfinite(be::exponential(std::nextafter(log_of_max, TestType(0)))));
  CHECK(be::exponential(log_of_max + 1) == infinity);
  CHECK(be::exponential(limits::max()) == infinity);
  CHECK(be::exponential(limits::lowest()) == 0);
  CHECK(std::fpclassify(be::exponential(std::log(limits::min()) - 3)) == FP_SUBNORMAL);

  CHECK(be::exponential_less_one(TestType(0)) == 0);
  CHECK(be::exponential_less_one(-infinity) == -1);
  CHECK(be::exponential_less_one(limits::lowest()) == -1);
  CHECK(be::exponential_less_one(-limits::min()) == -limits::min());
  CHECK(be::exponential_less_one(-limits::denorm_min()) == -limits::denorm_min());
  CHECK(std::isnan(be::exponential_less_one(nan)));

  CHECK(be::logarithm(TestType(1)) == 0);
  CHECK(be::logarithm(TestType(0)) == -infinity);
  CHECK(be::logarithm(TestType(-0.0)) == -infinity);
  CHECK(be::logarithm(infinity) == infinity);
  CHECK(std::isnan(be::logarithm(TestType(-1))));
  CHECK(std::isnan(be::logarithm(-limits::denorm_min())));
  CHECK(std::isnan(be::logarithm(-infinity)));
  CHECK(std::isnan(be::logarithm(nan)));
  CHECK(be::logarithm(limits::max()) == log_of_max);
}

TEMPLATE_TEST_CASE("exponentials and logarithms ascend where they are near 0", "", float, double) {
  const int count = 1 << 14;
  const TestType step = std::numeric_limits<TestType>::epsilon();
  CHECK(ascends(-step * count / 4, count, exponential));
  CHECK(ascends(-step * count / 4, count / 8, less_one));
  CHECK(ascends(-std::numeric_limits<TestType>::denorm_min() * count, count, less_one));
  CHECK(ascends(1 - step * count / 4, count, logarithm));
}

TEMPLATE_TEST_CASE("exponentials and logarithms: the same bits in every lane of vectors of any width", "", float,
                   double) {
  CHECK(same_in_every_lane<TestType>(-110, 95, exponential));
  CHECK(same_in_every_lane<TestType>(-50, 0, less_one));
  CHECK(same_in_every_lane<TestType>(TestType(1e-3), 1000, logarithm));
}
