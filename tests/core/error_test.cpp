// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <type_traits>

#include "graphpatcher/core/error.hpp"

using namespace graphpatcher;

TEST_CASE("expects throws the named type with the joined message", "[error]") {
  CHECK_NOTHROW(expects(true, "never"));
  CHECK_THROWS_AS(expects(false, "x"), argument_error);
  CHECK_THROWS_AS(expects<index_error>(false, "x"), index_error);
  CHECK_THROWS_WITH(expects<shape_error>(false, "expected ", 3, " rows, got ", 2.5), "expected 3 rows, got 2.5");
}

TEST_CASE("every error of the library can be caught as one", "[error]") {
  CHECK_THROWS_AS(throw interrupted_error("x"), error);
  CHECK_THROWS_AS(throw format_error("f", 1, "x"), file_error);
  STATIC_REQUIRE(std::is_base_of_v<error, argument_error>);
  STATIC_REQUIRE(std::is_base_of_v<error, shape_error>);
  STATIC_REQUIRE(std::is_base_of_v<error, index_error>);
  STATIC_REQUIRE(std::is_base_of_v<error, graphpatcher::overflow_error>);
  STATIC_REQUIRE(std::is_base_of_v<error, numeric_error>);
  STATIC_REQUIRE(std::is_base_of_v<error, backend_error>);
  STATIC_REQUIRE(std::is_base_of_v<error, file_error>);
  STATIC_REQUIRE(std::is_base_of_v<std::runtime_error, error>);
}

TEST_CASE("errors of files know where they happened", "[error]") {
  const file_error missing("data/x.bin", "can't open");
  CHECK(missing.path() == "data/x.bin");
  CHECK(std::string(missing.what()) == "data/x.bin: can't open");
  const format_error broken("data/x.bin", 42, "expected a tuple");
  CHECK(broken.path() == "data/x.bin");
  CHECK(broken.offset() == 42);
  CHECK(std::string(broken.what()) == "data/x.bin: at byte 42: expected a tuple");
}
