// SPDX-License-Identifier: MIT
#include "experiments/report/paired.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace graphpatcher;

TEST_CASE("quantiles of Student's t are those of printed tables") {
  CHECK(student_t_95(1) == Approx(12.7062047).epsilon(1e-8));
  CHECK(student_t_95(2) == Approx(4.30265273).epsilon(1e-8));
  CHECK(student_t_95(3) == Approx(3.18244631).epsilon(1e-8));
  CHECK(student_t_95(4) == Approx(2.77644511).epsilon(1e-8));
  CHECK(student_t_95(9) == Approx(2.26215716).epsilon(1e-8));
  CHECK(student_t_95(30) == Approx(2.04227246).epsilon(1e-8));
  CHECK(student_t_95(100000) == Approx(1.95998772).epsilon(1e-6));
  CHECK(student_t_inside(1, 1) == Approx(0.5));  // Cauchy: half of it is within 1
  CHECK(student_t_inside(0, 7) == 0);
  CHECK_THROWS_AS(student_t_inside(1, 0), argument_error);
}

TEST_CASE("a paired difference and its interval, by hand") {
  // Differences 1, 2, 3: mean 2, deviation 1, half = 4.302653 / sqrt(3) = 2.484138.
  const auto d = paired({{1, 71}, {2, 74}, {3, 77}}, {{1, 70}, {2, 72}, {3, 74}});
  CHECK(d.count == 3);
  CHECK(d.mean == Approx(2));
  CHECK(d.low == Approx(-0.484138).epsilon(1e-5));
  CHECK(d.high == Approx(4.484138).epsilon(1e-5));
  CHECK_FALSE(d.sure());
  CHECK(paired({{1, 2.0}, {2, 2.5}, {3, 1.5}}, {{1, 0}, {2, 0}, {3, 0}}).sure());
  CHECK(paired({{1, -2.0}, {2, -2.5}, {3, -1.5}}, {{1, 0}, {2, 0}, {3, 0}}).sure());
}

TEST_CASE("pairs are the seeds that both have") {
  const auto d = paired({{1, 10}, {2, 20}, {5, 1000}}, {{2, 19}, {1, 8}, {4, -1000}});
  CHECK(d.count == 2);
  CHECK(d.mean == Approx(1.5));
}

TEST_CASE("one seed has no interval, none has no difference") {
  const auto one = paired({{7, 3}}, {{7, 1}});
  CHECK(one.count == 1);
  CHECK(one.mean == 2);
  CHECK(std::isnan(one.low));
  CHECK_FALSE(one.sure());
  const auto none = paired({{7, 3}}, {{8, 1}});
  CHECK(none.count == 0);
  CHECK(std::isnan(none.mean));
}

TEST_CASE("statistics of seeds") {
  const auto s = summarise(seed_values{{1, 2}, {9, 4}});
  CHECK(s.mean == 3);
  CHECK(s.deviation == Approx(std::sqrt(2.0)));
  CHECK(summarise(seed_values{}).count == 0);
  CHECK(std::isnan(summarise(seed_values{}).mean));
}

TEST_CASE("the mean of differences adds up their variances") {
  const double t2 = student_t_95(2), t4 = student_t_95(4);
  const paired_difference a{2, 2 - t2, 2 + t2, 3}, b{4, 4 - t2, 4 + t2, 3};  // standard errors of 1
  const auto alone = mean_of(std::vector{a});
  CHECK(alone.mean == 2);
  CHECK(alone.low == Approx(a.low));
  CHECK(alone.high == Approx(a.high));
  CHECK(alone.count == 3);
  const auto both = mean_of(std::vector{a, b});  // 2^2 / (1 / 2 + 1 / 2) = 4 degrees of freedom
  CHECK(both.mean == 3);
  CHECK(both.low == Approx(3 - t4 * std::sqrt(2) / 2));
  CHECK(both.high == Approx(3 + t4 * std::sqrt(2) / 2));
  const paired_difference one{.mean = 6, .count = 1};
  const auto unknown = mean_of(std::vector{a, b, one});
  CHECK(unknown.mean == 4);
  CHECK(unknown.count == 1);
  CHECK(std::isnan(unknown.low));
  CHECK_FALSE(unknown.sure());
  CHECK(mean_of(std::vector{paired_difference{1, 1, 1, 3}}).sure());  // all seeds say the same
  CHECK(mean_of({}).count == 0);
}
