// SPDX-License-Identifier: MIT
#include "graphpatcher/autodiff/activation_functions.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/gradient_check.hpp"
#include "support/compare.hpp"
#include "support/random_matrix.hpp"

using namespace graphpatcher;
using support::random_matrix;
using support::random_parameter;
using support::same_bits;

namespace {

const random_stream stream(7, purpose::dropout);

/// A 1 x 1 loss whose gradient is different for every element of x.
variable<double> loss_of(const variable<double>& x) {
  auto weights = x.owner().allocate(x.rows(), x.cols());
  copy(x.exec(), random_matrix<double>(x.rows(), x.cols(), 99), weights);
  return sum_all(multiply(multiply(x, x), x.owner().constant(weights)));
}

}  // namespace

TEST_CASE("activation functions: adjoints agree with finite differences") {
  auto x = random_parameter<double>("x", 6, 5, 1);
  auto shared = random_parameter<double>("shared", 1, 1, 2);
  auto own = random_parameter<double>("own", 1, 5, 3);
  const auto check = [](const parameter_list<double>& parameters, auto&& function) {
    return gradient_check(parameters, [&](tape<double>& t) { return loss_of(function(t)); });
  };
  CHECK(check({&x}, [&](tape<double>& t) { return relu(t.use(x)); }) < 1e-6);
  CHECK(check({&x}, [&](tape<double>& t) { return elu(t.use(x)); }) < 1e-6);
  CHECK(check({&x}, [&](tape<double>& t) { return elu(t.use(x), 0.3); }) < 1e-6);
  CHECK(check({&x}, [&](tape<double>& t) { return leaky_relu(t.use(x)); }) < 1e-6);
  CHECK(check({&x}, [&](tape<double>& t) { return leaky_relu(t.use(x), 0.7); }) < 1e-6);
  CHECK(check({&x, &shared}, [&](tape<double>& t) { return prelu(t.use(x), t.use(shared)); }) < 1e-6);
  CHECK(check({&x, &own}, [&](tape<double>& t) { return prelu(t.use(x), t.use(own)); }) < 1e-6);
  CHECK(check({&x}, [&](tape<double>& t) {
          t.train(stream);
          return dropout(t.use(x), 0.4);
        }) < 1e-6);
  const std::vector<std::int64_t> keys{9, 8, 7, 6, 5, 4};
  CHECK(check({&x}, [&](tape<double>& t) {
          t.train(stream);
          return dropout(dropout(t.use(x), 0.2), 0.4, std::span<const std::int64_t>(keys));
        }) < 1e-6);
}

TEST_CASE("activation functions: default slopes") {
  tape<float> t;
  const matrix<float> values{{-1, 2}};
  const auto x = t.constant(values);
  CHECK(same_bits(relu(x).value(), matrix<float>{{0, 2}}));
  CHECK(same_bits(leaky_relu(x).value(), matrix<float>{{-0.2f, 2}}));
  CHECK(elu(x).value()(0, 0) == Approx(std::exp(-1.0) - 1));
}

TEST_CASE("activation functions: dropout does nothing outside training") {
  tape<float> t;
  const auto values = random_matrix<float>(3, 4, 4);
  const auto x = t.input(values);
  CHECK(dropout(x, 0.5f).value().data() == x.value().data());
  t.train(stream);
  CHECK(dropout(x, 0).value().data() == x.value().data());
  CHECK_FALSE(same_bits(dropout(x, 0.5f).value(), x.value()));
  t.evaluate();
  CHECK(dropout(x, 0.5f).value().data() == x.value().data());
}

TEST_CASE("activation functions: each dropout has its own mask, a new pass with the same stream has the same ones") {
  tape<float> t;
  const auto values = random_matrix<float>(20, 20, 5);
  const auto pass = [&] {
    t.reset();
    t.train(stream);
    const auto x = t.constant(values);
    return std::make_pair(copy_of(dropout(x, 0.5f).value()), copy_of(dropout(x, 0.5f).value()));
  };
  const auto first = pass();
  CHECK_FALSE(same_bits(first.first, first.second));
  const auto again = pass();
  CHECK(same_bits(first.first, again.first));
  CHECK(same_bits(first.second, again.second));
}

TEST_CASE("activation functions: a keyed mask follows the node through the batch") {
  const auto values = random_matrix<float>(3, 10, 6);
  const std::vector<std::int32_t> keys{30, 10, 20};
  const auto pass = [&](const std::vector<std::int32_t>& order) {
    tape<float> t;
    t.train(stream);
    const auto x = gather_rows(t.constant(values), std::span<const std::int32_t>(order));
    std::vector<std::int32_t> own;
    for (const auto i : order) {
      own.push_back(keys[static_cast<std::size_t>(i)]);
    }
    return copy_of(dropout(x, 0.5f, std::span<const std::int32_t>(own)).value());
  };
  const auto forward = pass({0, 1, 2});
  const auto backward = pass({2, 1, 0});
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(same_bits(forward.view().middle_rows(r, r + 1), backward.view().middle_rows(2 - r, 3 - r)));
  }
}

TEST_CASE("activation functions: bad arguments are refused") {
  tape<float> t;
  t.train(stream);
  const matrix<float> values(2, 3);
  const matrix<float> two(1, 2);
  const auto x = t.constant(values);
  CHECK_THROWS_AS(prelu(x, t.constant(two)), shape_error);
  CHECK_THROWS_AS(prelu(x, x), shape_error);
  CHECK_THROWS_AS(dropout(x, 1), argument_error);
  CHECK_THROWS_AS(dropout(x, -0.5f), argument_error);
  CHECK_THROWS_AS(dropout(x, std::nanf("")), argument_error);
  const std::vector<std::int32_t> keys{1};
  CHECK_THROWS_AS(dropout(x, 0.5f, std::span<const std::int32_t>(keys)), shape_error);
  t.evaluate();
  CHECK_THROWS_AS(dropout(x, 1), argument_error);  // also where nothing would be dropped
}
