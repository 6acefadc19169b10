// SPDX-License-Identifier: MIT
// Every precondition of a tape that can be broken, and the typed error it gets.
#include <catch2/catch.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/gradient_check.hpp"
#include "graphpatcher/autodiff/loss_functions.hpp"
#include "graphpatcher/autodiff/tape.hpp"
#include "support/errors.hpp"

using namespace graphpatcher;

namespace {

const matrix<double> one{{1}};
const matrix<double> two{{2}};

}  // namespace

TEST_CASE("a variable is no more after its tape's reset", "[autodiff][misuse]") {
  tape<double> t;
  const auto x = t.input(one);
  const auto loss = scale(x, 2);
  t.reset();
  const auto refused = [&] {
    CHECK_THROWS_AS(x.value(), argument_error);
    CHECK_THROWS_AS(x.rows(), argument_error);
    CHECK_THROWS_AS(x.gradient(), argument_error);
    CHECK_THROWS_AS(x.needs_gradient(), argument_error);
    CHECK_THROWS_AS(x.exec(), argument_error);
    CHECK_THROWS_AS(scale(x, 2), argument_error);
    CHECK_THROWS_AS(t.window(x, 0, 1), argument_error);
    CHECK_THROWS_AS(t.record(one, {x}, {}), argument_error);
    CHECK_THROWS_AS(t.backward(loss), argument_error);
  };
  refused();
  const auto y = t.input(two);  // stands where x stood
  refused();
  CHECK_THROWS_AS(add(x, y), argument_error);
  CHECK_THROWS_AS(add(y, x), argument_error);
  CHECK(support::message_of<argument_error>([&] { (void)x.value(); }) ==
        "variable: this one is from before its tape's reset(); record it anew");
  t.backward(scale(y, 3));
  CHECK(y.gradient()(0, 0) == 3);  // and of y alone
}

TEST_CASE("an empty variable says that it is empty", "[autodiff][misuse]") {
  tape<double> t;
  const variable<double> none;
  CHECK_FALSE(none);
  CHECK_THROWS_AS(none.value(), argument_error);
  CHECK_THROWS_AS(none.gradient(), argument_error);
  CHECK_THROWS_AS(none.owner(), argument_error);
  CHECK_THROWS_AS(t.backward(none), argument_error);
  CHECK_THROWS_AS(t.window(none, 0, 0), argument_error);
  CHECK(support::message_of<argument_error>([&] { (void)none.rows(); }) ==
        "variable: expected one on a tape, got an empty one");
}

TEST_CASE("a tape takes its own variables alone", "[autodiff][misuse]") {
  tape<double> mine;
  tape<double> other;
  const auto x = other.input(one);
  const auto own = mine.input(two);
  CHECK_THROWS_AS(mine.backward(scale(x, 2)), argument_error);
  CHECK_THROWS_WITH(mine.backward(x), "backward: expected a loss on this tape, got one of another");
  CHECK_THROWS_AS(mine.window(x, 0, 1), argument_error);
  CHECK_THROWS_AS(mine.record(one, {own, x}, {}), argument_error);
  mine.backward(own);  // nothing of it counted as a way back
  CHECK(own.gradient()(0, 0) == 1);
}

TEST_CASE("a gradient that nobody wants is refused", "[autodiff][misuse]") {
  tape<double> t;
  const auto x = t.constant(one);
  CHECK_THROWS_AS(x.gradient(), argument_error);
  CHECK_THROWS_AS(t.backward(scale(x, 2)), argument_error);
}

TEST_CASE("a tape keeps no temporary", "[autodiff][misuse]") {
  const auto takes = [](auto&& value) {
    using type = decltype(value);
    return requires(tape<double> & t) {
      t.constant(std::forward<type>(value));
    }
    || requires(tape<double> & t) {
      t.input(std::forward<type>(value));
    }
    || requires(tape<double> & t) {
      t.use(std::forward<type>(value));
    };
  };
  const parameter<double> p("p", 1, 1);
  CHECK(takes(one));
  CHECK(takes(p));
  CHECK_FALSE(takes(matrix<double>{{1}}));
  CHECK_FALSE(takes(parameter<double>("p", 1, 1)));
  STATIC_REQUIRE_FALSE(std::is_move_constructible_v<tape<double>>);
}

TEST_CASE("a variable is as small as a function keeps without memory of its own", "[autodiff]") {
  STATIC_REQUIRE(sizeof(variable<double>) == 16);
  STATIC_REQUIRE(std::is_trivially_copyable_v<variable<double>>);
}

TEST_CASE("a gradient check takes no null pointer", "[autodiff][misuse]") {
  const auto build = [](tape<double>& t) { return t.input(one); };
  CHECK_THROWS_AS(gradient_check({nullptr}, build), argument_error);
  CHECK_THROWS_AS(gradient_check({}, build, 0), argument_error);
}
