// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/elementwise.hpp"

#include <catch2/catch.hpp>

#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/random_matrix.hpp"

using namespace graphpatcher;
using support::random_matrix;
using support::same_bits;

TEMPLATE_TEST_CASE("elementwise: element by element, by hand", "[elementwise]", float, double) {
  using T = TestType;
  const cpu exec{.threads = 2};
  const matrix<T> a{{1, -2}, {3, 4}};
  const matrix<T> b{{5, 6}, {-7, 0.5}};
  matrix<T> out(2, 2);

  fill(exec, 3, out.view());
  CHECK(same_bits(out, matrix<T>{{3, 3}, {3, 3}}));
  copy(exec, a, out.view());
  CHECK(same_bits(out, a));
  add(exec, a, b, out.view());
  CHECK(same_bits(out, matrix<T>{{6, 4}, {-4, 4.5}}));
  subtract(exec, a, b, out.view());
  CHECK(same_bits(out, matrix<T>{{-4, -8}, {10, 3.5}}));
  multiply(exec, a, b, out.view());
  CHECK(same_bits(out, matrix<T>{{5, -12}, {-21, 2}}));
  multiply_add(exec, a, a, out.view());
  CHECK(same_bits(out, matrix<T>{{6, -8}, {-12, 18}}));
  scale(exec, a, 0.5, out.view());
  CHECK(same_bits(out, matrix<T>{{0.5, -1}, {1.5, 2}}));
  add_scaled(exec, b, 2, out.view());
  CHECK(same_bits(out, matrix<T>{{10.5, 11}, {-12.5, 3}}));
  accumulate(exec, a, out.view());
  CHECK(same_bits(out, matrix<T>{{11.5, 9}, {-9.5, 7}}));
  add_bias(exec, a, matrix<T>{{10, 20}}, out.view());
  CHECK(same_bits(out, matrix<T>{{11, 18}, {13, 24}}));
  matrix<T> sums{{100, 200}};
  add_column_sums(exec, a, sums.view());
  CHECK(same_bits(sums, matrix<T>{{104, 202}}));
  CHECK(sum(exec, a.view()) == T(6));
}

TEST_CASE("elementwise: the result may be an input", "[elementwise]") {
  matrix<float> x{{1, 2, 3}};
  add(cpu{1}, x, x, x.view());
  multiply(cpu{1}, x, x, x.view());
  CHECK(same_bits(x, matrix<float>{{4, 16, 36}}));
}

TEST_CASE("elementwise: strided views, and nothing beside them is touched", "[elementwise]") {
  matrix<float> wide(3, 5);
  wide.fill(-1);
  const matrix_view<float> middle(wide.data() + 1, 3, 2, 5);
  fill(cpu{2}, 2, middle);
  scale(cpu{2}, middle, 3, middle);
  CHECK(same_bits(wide, matrix<float>{{-1, 6, 6, -1, -1}, {-1, 6, 6, -1, -1}, {-1, 6, 6, -1, -1}}));
  matrix<float> sums(1, 2);
  add_column_sums(cpu{2}, middle, sums.view());
  CHECK(same_bits(sums, matrix<float>{{18, 18}}));
}

TEST_CASE("elementwise: column sums go from the first row to the last, for any number of threads", "[elementwise]") {
  const auto x = random_matrix<float>(1001, 333, 1);
  matrix<float> expected(1, 333);
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t c = 0; c < x.cols(); ++c) {
      expected(0, c) += x(r, c);
    }
  }
  for (const int threads : {1, 2, 3, 7}) {
    matrix<float> sums(1, 333);
    add_column_sums(cpu{threads}, x, sums.view());
    CHECK(same_bits(sums, expected));
  }
}

TEST_CASE("elementwise: large matrices in parallel", "[elementwise]") {
  const auto a = random_matrix<float>(700, 301, 2);
  const auto b = random_matrix<float>(700, 301, 3);
  matrix<float> one(700, 301);
  matrix<float> many(700, 301);
  add(cpu{1}, a, b, one.view());
  add(cpu{3}, a, b, many.view());
  CHECK(same_bits(one, many));
  CHECK(one(699, 300) == a(699, 300) + b(699, 300));
}

TEST_CASE("elementwise: the sum of many small floats keeps its digits", "[elementwise]") {
  matrix<float> x(1000, 10000);
  x.fill(0.1f);
  CHECK(sum(cpu{1}, x.view()) == Approx(1e6).epsilon(1e-7));  // adding up in float would give 1087937
}

TEST_CASE("elementwise: sizes that do not fit are refused", "[elementwise]") {
  const cpu exec{1};
  const matrix<float> a(2, 3);
  const matrix<float> b(3, 2);
  matrix<float> out(2, 3);
  matrix<float> wrong(2, 4);
  CHECK_THROWS_AS(copy(exec, b, out.view()), shape_error);
  CHECK_THROWS_AS(add(exec, a, b, out.view()), shape_error);
  CHECK_THROWS_AS(add(exec, a, a, wrong.view()), shape_error);
  CHECK_THROWS_AS(subtract(exec, a, b, out.view()), shape_error);
  CHECK_THROWS_AS(subtract(exec, a, a, wrong.view()), shape_error);
  CHECK_THROWS_AS(multiply(exec, a, b, out.view()), shape_error);
  CHECK_THROWS_AS(multiply(exec, a, a, wrong.view()), shape_error);
  CHECK_THROWS_AS(multiply_add(exec, a, b, out.view()), shape_error);
  CHECK_THROWS_AS(multiply_add(exec, a, a, wrong.view()), shape_error);
  CHECK_THROWS_AS(scale(exec, b, 1, out.view()), shape_error);
  CHECK_THROWS_AS(add_scaled(exec, b, 1, out.view()), shape_error);
  CHECK_THROWS_AS(accumulate(exec, b, out.view()), shape_error);
  CHECK_THROWS_AS(add_bias(exec, a, matrix<float>(1, 2), out.view()), shape_error);
  CHECK_THROWS_AS(add_bias(exec, a, matrix<float>(2, 3), out.view()), shape_error);
  CHECK_THROWS_AS(add_bias(exec, a, matrix<float>(1, 3), wrong.view()), shape_error);
  CHECK_THROWS_AS(add_column_sums(exec, a, wrong.view()), shape_error);
  CHECK(support::message_of<shape_error>([&] { add(exec, a, b, out.view()); }) ==
        "add: second term: expected 2 x 3, got 3 x 2");
  CHECK_THROWS_AS(fill(cpu{0}, 1, out.view()), argument_error);
  CHECK_THROWS_AS(sum(cpu{-1}, a.view()), argument_error);
}
