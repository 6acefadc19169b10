// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/path_notes.hpp"

#include <catch2/catch.hpp>

#include "own_backbone/gin.hpp"
#include "support/appnp.hpp"
#include "support/toy_data.hpp"

using toy::node_id;

namespace {

struct gin_without_rows : gin_backbone<float> {
  using gin_backbone<float>::gin_backbone;
};
const gp::random_stream start(1, gp::purpose::initialisation);

}  // namespace

TEST_CASE("notes say why the generic path was taken, and what it costs", "[patcher]") {
  const auto data = toy::make<float>();
  const auto notes = [&](const auto& model, gp::patch_path path) {
    return gp::path_notes(gp::cpu{}, data, model, {.path = path});
  };
  const gin_backbone<float> gin(12, 6, 3, start);
  CHECK(notes(gin, gp::patch_path::automatic).empty());
  CHECK(notes(gin, gp::patch_path::fast).empty());
  CHECK(notes(gin, gp::patch_path::generic) == std::vector<std::string>{"generic path: it was asked for"});
  const auto without = notes(gin_without_rows(12, 6, 3, start), gp::patch_path::automatic);
  REQUIRE(without.size() == 1);
  CHECK_THAT(without[0], Catch::Contains("generic path, because the fast one can't be taken: ") &&
                             Catch::Contains("it needs rows() of its own"));

  auto large = toy::make<float>(3000, 6000);
  const support::appnp<float> deep(12, 8, 3, 10);
  const auto costly = gp::path_notes(gp::cpu{}, large, deep, {});
  REQUIRE(costly.size() == 2);
  CHECK_THAT(costly[0], Catch::Contains("no member rows()"));
  CHECK_THAT(costly[1], Catch::Contains("sees 10 hops") && Catch::Contains("of 3000 nodes"));
}
