// SPDX-License-Identifier: MIT
#include "graphpatcher/cpu/softmax_row.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace be = graphpatcher::backend;

namespace {

constexpr std::size_t lanes = be::vector_lanes<double>;

std::vector<double> numbers(std::size_t count) {
  std::vector<double> result(count);
  for (std::size_t k = 0; k < count; ++k) {
    result[k] = 5 * std::sin(static_cast<double>(3 * k + count));
  }
  return result;
}

/// Number k belongs to the softmax of k % period.
std::vector<double> slow_softmax(const std::vector<double>& row, std::size_t period) {
  std::vector<double> sums(period);
  for (std::size_t k = 0; k < row.size(); ++k) {
    sums[k % period] += std::exp(row[k]);
  }
  std::vector<double> result;
  for (std::size_t k = 0; k < row.size(); ++k) {
    result.push_back(std::exp(row[k]) / sums[k % period]);
  }
  return result;
}

bool close(const std::vector<double>& got, const std::vector<double>& want) {
  bool all = got.size() == want.size();
  for (std::size_t k = 0; k < got.size() && all; ++k) {
    all = std::abs(got[k] - want[k]) < 1e-14;
  }
  return all;
}

}  // namespace

TEST_CASE("softmax_row: the formula for rows of every length, in place too") {
  for (std::size_t count = 1; count <= 3 * lanes + 1; ++count) {
    const auto row = numbers(count);
    std::vector<double> out(count);
    be::softmax_row(row.data(), count, out.data());
    CHECK(close(out, slow_softmax(row, 1)));
    auto both = row;
    be::softmax_row(both.data(), count, both.data());
    CHECK(both == out);

    const auto scale = be::scale_of<lanes>(row.data(), count);
    double sum = 0;
    for (const double x : row) {
      sum += std::exp(x - scale.largest[0]);
    }
    CHECK(scale.largest[0] == *std::max_element(row.begin(), row.end()));
    CHECK(scale.sum[lanes - 1] == Approx(sum).epsilon(1e-14));
  }
}

TEST_CASE("softmax_row: with a period, several softmaxes whose numbers take turns") {
  for (std::size_t turns = 1; turns <= 3 * lanes; ++turns) {
    const auto row = numbers(2 * turns);
    std::vector<double> out(row.size());
    be::softmax_row<lanes, 2>(row.data(), row.size(), out.data());
    CHECK(close(out, slow_softmax(row, 2)));
  }
}

TEST_CASE("softmax_row: far numbers, infinities and NaN") {
  std::vector<double> out(3);
  const auto of = [&](std::vector<double> row) {
    be::softmax_row(row.data(), row.size(), out.data());
    return out;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(of({-2000, 0, -infinity}) == std::vector<double>{0, 1, 0});
  CHECK(of({1e300, 1e300, -1e300}) == std::vector<double>{0.5, 0.5, 0});
  for (const double odd : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
    for (const double p : of({0, odd, 1})) {
      CHECK(std::isnan(p));
    }
  }
}
