// SPDX-License-Identifier: MIT
#include "graphpatcher/autodiff/dense_functions.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "graphpatcher/autodiff/gradient_check.hpp"
#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/random_matrix.hpp"

using namespace graphpatcher;
using support::random_matrix;
using support::random_parameter;
using support::same_bits;

namespace {

/// A 1 x 1 loss whose gradient is different for every element of x.
variable<double> loss_of(const variable<double>& x) {
  auto weights = x.owner().allocate(x.rows(), x.cols());
  copy(x.exec(), random_matrix<double>(x.rows(), x.cols(), 99), weights);
  return sum_all(multiply(multiply(x, x), x.owner().constant(weights)));
}

}  // namespace

TEST_CASE("dense functions: adjoints agree with finite differences") {
  auto a = random_parameter<double>("a", 5, 4, 1);
  auto b = random_parameter<double>("b", 4, 3, 2);
  auto c = random_parameter<double>("c", 5, 4, 3);
  auto bias = random_parameter<double>("bias", 1, 4, 4);
  const auto check = [](const parameter_list<double>& parameters, auto&& function) {
    return gradient_check(parameters, [&](tape<double>& t) { return loss_of(function(t)); });
  };
  CHECK(check({&a, &b}, [&](tape<double>& t) { return matmul(t.use(a), t.use(b)); }) < 1e-6);
  CHECK(check({&a, &bias}, [&](tape<double>& t) { return add_bias(t.use(a), t.use(bias)); }) < 1e-6);
  CHECK(check({&a, &c}, [&](tape<double>& t) { return add(t.use(a), t.use(c)); }) < 1e-6);
  CHECK(check({&a, &c}, [&](tape<double>& t) { return subtract(t.use(a), t.use(c)); }) < 1e-6);
  CHECK(check({&a, &c}, [&](tape<double>& t) { return multiply(t.use(a), t.use(c)); }) < 1e-6);
  CHECK(check({&a}, [&](tape<double>& t) { return scale(t.use(a), -1.5); }) < 1e-6);
  CHECK(check({&a, &c}, [&](tape<double>& t) { return concat_cols(t.use(a), t.use(c)); }) < 1e-6);
  CHECK(check({&a}, [&](tape<double>& t) { return rows(t.use(a), 1, 4); }) < 1e-6);
  const std::vector<std::int32_t> ids{4, 0, 4, 2, 4};
  CHECK(check({&a}, [&](tape<double>& t) { return gather_rows(t.use(a), std::span<const std::int32_t>(ids)); }) < 1e-6);
  CHECK(check({&a}, [&](tape<double>& t) { return sum_all(t.use(a)); }) < 1e-6);
  CHECK(check({&a}, [&](tape<double>& t) { return mean_all(t.use(a)); }) < 1e-6);
  const feature_table sparse =
      sparse_from_dense<std::int64_t>(matrix<double>{{0, 2, 0, 1}, {0, 0, 0, 0}, {-1, 0, 3, 0}}.view());
  CHECK(check({&b}, [&](tape<double>& t) { return matmul(sparse, t.use(b)); }) < 1e-6);
  // The same variable on both sides, and a chain of several.
  CHECK(check({&a}, [&](tape<double>& t) {
          const auto x = t.use(a);
          return multiply(x, x);
        }) < 1e-6);
  CHECK(check({&a, &b, &c}, [&](tape<double>& t) {
          const auto x = multiply(t.use(c), subtract(t.use(c), t.use(a)));
          const auto y = matmul(rows(scale(x, 0.5), 0, 3), t.use(b));
          return concat_cols(y, rows(t.use(a), 2, 5));
        }) < 1e-6);
}

TEST_CASE("dense functions: values by hand") {
  tape<float> t;
  const matrix<float> left{{1, 2}, {3, 4}};
  const matrix<float> right{{5, 6}, {7, 8}};
  const auto a = t.constant(left);
  const auto b = t.constant(right);
  CHECK(same_bits(matmul(a, b).value(), matrix<float>{{19, 22}, {43, 50}}));
  CHECK(same_bits(add_bias(a, rows(b, 1, 2)).value(), matrix<float>{{8, 10}, {10, 12}}));
  CHECK(same_bits(add(a, b).value(), matrix<float>{{6, 8}, {10, 12}}));
  CHECK(same_bits(subtract(a, b).value(), matrix<float>{{-4, -4}, {-4, -4}}));
  CHECK(same_bits(multiply(a, b).value(), matrix<float>{{5, 12}, {21, 32}}));
  CHECK(same_bits(scale(a, 2).value(), matrix<float>{{2, 4}, {6, 8}}));
  CHECK(same_bits(concat_cols(a, b).value(), matrix<float>{{1, 2, 5, 6}, {3, 4, 7, 8}}));
  CHECK(same_bits(rows(a, 1, 2).value(), matrix<float>{{3, 4}}));
  const std::vector<std::int64_t> ids{1, 1, 0};
  CHECK(same_bits(gather_rows(a, std::span<const std::int64_t>(ids)).value(), matrix<float>{{3, 4}, {3, 4}, {1, 2}}));
  CHECK(sum_all(a).value()(0, 0) == 10);
  CHECK(mean_all(a).value()(0, 0) == 2.5f);
  const feature_table sparse = sparse_from_dense<std::int32_t>(left.view());
  CHECK(same_bits(matmul(sparse, b).value(), matmul(a, b).value()));
}

TEST_CASE("dense functions: gather keeps its ids") {
  tape<double> t;
  const matrix<double> values{{1}, {2}, {3}};
  const auto x = t.input(values);
  std::vector<std::int32_t> ids{2, 2};
  const auto loss = sum_all(gather_rows(x, std::span<const std::int32_t>(ids)));
  ids.assign(2, 0);  // the caller's array may change before the adjoint runs
  t.backward(loss);
  CHECK(same_bits(x.gradient(), matrix<double>{{0}, {0}, {2}}));
}

TEST_CASE("dense functions: only wanted gradients are made") {
  tape<double> t;
  auto w = random_parameter<double>("w", 3, 2, 1);
  const auto x = random_matrix<double>(4, 3, 2);
  const auto constant = t.constant(x);
  t.backward(sum_all(matmul(constant, t.use(w))));
  CHECK_FALSE(constant.needs_gradient());
  double column = 0;
  for (std::size_t r = 0; r < 4; ++r) {
    column += x(r, 1);
  }
  CHECK(w.gradient(1, 0) == Approx(column).epsilon(1e-14));
}

TEST_CASE("dense functions: sizes that do not fit are refused") {
  tape<float> t;
  const matrix<float> values(2, 3);
  const matrix<float> others(2, 2);
  const matrix<float> three(3, 3);
  const matrix<float> nothing(0, 3);
  const auto a = t.constant(values);
  const auto b = t.constant(others);
  CHECK_THROWS_AS(matmul(a, b), shape_error);
  CHECK_THROWS_AS(add_bias(a, b), shape_error);
  CHECK_THROWS_AS(add(a, b), shape_error);
  CHECK_THROWS_AS(subtract(a, b), shape_error);
  CHECK_THROWS_AS(multiply(a, b), shape_error);
  CHECK_THROWS_AS(concat_cols(a, t.constant(three)), shape_error);
  CHECK_THROWS_AS(rows(a, 1, 3), index_error);
  CHECK_THROWS_AS(mean_all(t.constant(nothing)), shape_error);
  const feature_table table = sparse_from_dense<std::int32_t>(values.view());
  CHECK_THROWS_AS(matmul(table, b), shape_error);
  const std::vector<std::int32_t> ids{2};
  CHECK_THROWS_AS(gather_rows(a, std::span<const std::int32_t>(ids)), index_error);
  CHECK(support::message_of<shape_error>([&] { matmul(a, b); }) == "gemm: inner sizes differ: 2 x 3 times 2 x 2");
  CHECK(support::message_of<shape_error>([&] { concat_cols(a, t.constant(three)); }) ==
        "concat_cols: expected as many rows in both, got 2 and 3");
}
