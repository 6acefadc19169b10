// SPDX-License-Identifier: MIT
#include "graphpatcher/io/name_map.hpp"

#include <catch2/catch.hpp>

using namespace graphpatcher;

namespace {

/// A weight [3, 2], a bias [1, 4] of two heads of 2.
struct small_model {
  using scalar_type = double;
  parameter<double> weight{"w", 3, 2};
  parameter<double> bias{"b", 1, 4};
  parameter_list<double> parameters() { return {&weight, &bias}; }
};

const name_map turned{{"w", {"lin.weight", {2, 3}, true, 1, {"old.weight"}}}, {"b", {"lin.bias", {2}, false, 2, {}}}};

}  // namespace

TEST_CASE("name map: turns weights over, repeats and averages heads") {
  small_model model;
  assign_parameters(
      model,
      state_dict<double>{
          {"lin.weight", {{2, 3}, {1, 2, 3, 4, 5, 6}}}, {"lin.bias", {{2}, {7, 8}}}, {"not.ours", {{1}, {0}}}},
      turned);
  CHECK(model.weight.value(0, 0) == 1);
  CHECK(model.weight.value(0, 1) == 4);
  CHECK(model.weight.value(1, 0) == 2);
  CHECK(model.weight.value(2, 1) == 6);
  CHECK(std::vector<double>(model.bias.value.values().begin(), model.bias.value.values().end()) ==
        std::vector<double>{7, 8, 7, 8});
  model.bias.value = matrix<double>{{1, 2, 5, 10}};
  model.weight.value(0, 0) = -0.0;
  const auto out = export_parameters(model, turned);
  CHECK(out.at("lin.weight").shape == std::vector<std::size_t>{2, 3});
  CHECK(out.at("lin.weight").values == std::vector<double>{-0.0, 2, 3, 4, 5, 6});
  CHECK(std::signbit(out.at("lin.weight").values[0]));
  CHECK(out.at("lin.bias").values == std::vector<double>{3, 6});
}

TEST_CASE("name map: other names, rows written as matrices, a user's own names") {
  small_model model;
  assign_parameters(
      model, state_dict<double>{{"old.weight", {{2, 3}, {1, 2, 3, 4, 5, 6}}}, {"lin.bias", {{1, 2}, {7, 8}}}}, turned);
  CHECK(model.weight.value(0, 1) == 4);
  const auto mine = rename(turned, {{"lin.weight", "enc.W"}});
  CHECK(mine.at("w").name == "enc.W");
  CHECK(mine.at("w").transposed);
  CHECK(mine.at("b").name == "lin.bias");
  const auto out = export_parameters(model, own_names(model));
  CHECK(out.at("w").shape == std::vector<std::size_t>{3, 2});
  CHECK(out.at("w").values == std::vector<double>{1, 4, 2, 5, 3, 6});
}

TEST_CASE("name map: a model is untouched when something doesn't fit") {
  small_model model;
  model.weight.value.fill(9);
  const auto good = state_dict<double>{{"lin.weight", {{2, 3}, {1, 2, 3, 4, 5, 6}}}, {"lin.bias", {{2}, {7, 8}}}};
  auto missing = good;
  missing.erase("lin.bias");
  CHECK_THROWS_AS(assign_parameters(model, missing, turned), argument_error);
  CHECK_THROWS_WITH(assign_parameters(model, missing, turned),
                    Catch::Contains("expected a tensor 'lin.bias' [2], which is missing; it has lin.weight"));
  auto other = good;
  other["lin.weight"].shape = {3, 2};
  CHECK_THROWS_AS(assign_parameters(model, other, turned), shape_error);
  CHECK_THROWS_WITH(assign_parameters(model, other, turned), Catch::Contains("expected shape [2, 3], got [3, 2]"));
  name_map wrong = turned;
  wrong.at("b").heads = 1;
  CHECK_THROWS_WITH(assign_parameters(model, good, wrong), Catch::Contains("'b' has 4 values"));
  name_map partial = turned;
  partial.erase("b");
  CHECK_THROWS_WITH(assign_parameters(model, good, partial), Catch::Contains("an entry for the parameter 'b'"));
  name_map twice = turned;
  twice.at("b").name = "lin.weight";
  CHECK_THROWS_WITH(export_parameters(model, twice), Catch::Contains("'lin.weight' twice"));
  CHECK(model.weight.value(0, 0) == 9);
  CHECK(model.weight.value(2, 1) == 9);
}
