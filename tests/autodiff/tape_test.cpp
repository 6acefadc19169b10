// SPDX-License-Identifier: MIT
#include "graphpatcher/autodiff/tape.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/autodiff/dense_functions.hpp"
#include "support/compare.hpp"
#include "support/errors.hpp"
#include "support/random_matrix.hpp"

using namespace graphpatcher;
using support::random_matrix;
using support::random_parameter;
using support::same_bits;

TEST_CASE("tape: gradients of a small expression by hand") {
  tape<float> t;
  const matrix<float> a{{2, 3}};
  const matrix<float> b{{5, 7}};
  const auto x = t.input(a);
  const auto y = t.constant(b);
  const auto loss = sum_all(multiply(add(x, y), x));  // x^2 + x y
  CHECK(loss.value()(0, 0) == 4 + 10 + 9 + 21);
  t.backward(loss);
  CHECK(same_bits(x.gradient(), matrix<float>{{9, 13}}));  // 2 x + y
  CHECK_FALSE(y.needs_gradient());
}

TEST_CASE("tape: a window shares value and gradient") {
  tape<double> t;
  const matrix<double> values{{1, 2}, {3, 4}, {5, 6}};
  const auto x = t.input(values);
  const auto middle = t.window(x, 1, 3);
  CHECK(middle.value().data() == x.value().data() + 2);
  CHECK(middle.rows() == 2);
  const auto inner = t.window(middle, 1, 2);  // of a window
  t.backward(sum_all(add(multiply(middle, middle), scale(middle, 10))));
  CHECK(same_bits(x.gradient(), matrix<double>{{0, 0}, {16, 18}, {20, 22}}));
  CHECK(middle.gradient().data() == x.gradient().data() + 2);
  CHECK(inner.gradient().data() == x.gradient().data() + 4);
  CHECK_THROWS_AS(t.window(x, 2, 4), index_error);
  CHECK_THROWS_AS(t.window(x, 2, 1), index_error);
}

TEST_CASE("tape: a window onto a parameter adds to the parameter's gradient") {
  tape<double> t;
  auto p = random_parameter<double>("p", 3, 2, 1);
  t.backward(sum_all(t.window(t.use(p), 1, 2)));
  CHECK(same_bits(p.gradient, matrix<double>{{0, 0}, {1, 1}, {0, 0}}));
}

TEST_CASE("tape: a result that is used through itself and through a window adds up") {
  tape<double> t;
  const matrix<double> values{{1}, {2}};
  const auto x = t.input(values);
  const auto y = scale(x, 3);
  t.backward(add(sum_all(y), sum_all(t.window(y, 0, 1))));
  CHECK(same_bits(x.gradient(), matrix<double>{{6}, {3}}));
}

TEST_CASE("tape: after the first rounds a reset tape allocates nothing") {
  auto w = random_parameter<float>("w", 60, 50, 2);
  auto b = random_parameter<float>("b", 1, 50, 3);
  const auto x = random_matrix<float>(400, 60, 4);
  tape<float> t(cpu{.threads = 1});
  const auto step = [&] {
    t.reset();
    t.train(random_stream(1, purpose::dropout));
    const auto y = dropout(relu(add_bias(matmul(t.constant(x), t.use(w)), t.use(b))), 0.5f);
    const auto loss = mean_all(multiply(y, y));
    t.backward(loss);
    return loss.value()(0, 0);
  };
  const float first = step();
  step();
  const std::size_t held = t.memory().capacity();
  for (int i = 0; i < 20; ++i) {
    CHECK(step() == first);  // masks and values as in the first round
    CHECK(t.memory().capacity() == held);
  }
}

TEST_CASE("tape: frozen parameters get no gradient, but gradients pass through") {
  auto w = random_parameter<double>("w", 3, 2, 5);
  const auto x = random_matrix<double>(4, 3, 6);
  tape<double> t;
  const auto input = t.input(x);
  {
    const auto guard = t.freeze();
    const auto frozen = t.use(w);
    CHECK_FALSE(frozen.needs_gradient());
    t.backward(sum_all(matmul(input, frozen)));
  }
  CHECK_FALSE(w.has_gradient);
  CHECK(w.gradient.empty());
  CHECK(input.gradient()(0, 0) == Approx(w.value(0, 0) + w.value(0, 1)));
  CHECK(t.use(w).needs_gradient());  // thawed
}

TEST_CASE("tape: freezing twice thaws once the outer guard is gone") {
  tape<double> t;
  auto w = random_parameter<double>("w", 1, 1, 7);
  {
    const auto outer = t.freeze();
    { const auto inner = t.freeze(); }
    CHECK_FALSE(t.use(w).needs_gradient());
  }
  CHECK(t.use(w).needs_gradient());
}

TEST_CASE("tape: a parameter used twice adds up, on one tape and over several") {
  parameter<double> p("p", 1, 1);
  p.value(0, 0) = 3;
  tape<double> first;
  first.backward(multiply(first.use(p), first.use(p)));
  CHECK(p.gradient(0, 0) == 6);
  tape<double> second;
  const auto once = second.use(p);
  second.backward(multiply(once, once));
  CHECK(p.gradient(0, 0) == 12);
  p.has_gradient = false;  // an optimiser has taken it
  second.reset();
  second.backward(scale(second.use(p), 5));
  CHECK(p.gradient(0, 0) == 5);
}

TEST_CASE("tape: a second backward pass would count twice and is refused until reset") {
  const matrix<double> values{{1, 2}};
  tape<double> t;
  const auto x = t.input(values.view());
  const auto loss = sum_all(x);
  t.backward(loss);
  CHECK_THROWS_AS(t.backward(loss), argument_error);
  CHECK(x.gradient()(0, 0) == 1);
  t.reset();
  t.backward(sum_all(t.input(values.view())));
}

TEST_CASE("tape: backward wants a 1 x 1 loss that depends on something") {
  tape<double> t;
  const matrix<double> values(2, 3);
  const auto x = t.input(values);
  CHECK_THROWS_AS(t.backward(x), shape_error);
  CHECK(support::message_of<shape_error>([&] { t.backward(x); }) == "backward: expected a 1 x 1 loss, got 2 x 3");
  CHECK_THROWS_AS(t.backward(sum_all(t.constant(values))), argument_error);
  CHECK_THROWS_AS(tape<double>(cpu{.threads = 0}), argument_error);
}

TEST_CASE("tape: results off the path to the loss get no gradient and run no adjoint") {
  tape<double> t;
  const matrix<double> one{{1}};
  const auto x = t.input(one);
  bool ran = false;
  const auto aside = t.record(one, {x}, [&](const variable<double>&) { ran = true; });
  t.backward(scale(x, 2));
  CHECK_FALSE(ran);
  CHECK(x.gradient()(0, 0) == 2);
  CHECK(aside.needs_gradient());
}

TEST_CASE("tape: variables of different tapes and empty ones are refused") {
  tape<double> one;
  tape<double> other;
  const matrix<double> values(2, 2);
  CHECK_THROWS_AS(add(one.constant(values), other.constant(values)), argument_error);
  CHECK_THROWS_AS(matmul(one.constant(values), variable<double>()), argument_error);
  CHECK_THROWS_AS(relu(variable<double>()), argument_error);
}
