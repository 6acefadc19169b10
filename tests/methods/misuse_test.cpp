// SPDX-License-Identifier: MIT
// A backbone of any kind that was moved from, and the typed error it gives.
#include <catch2/catch.hpp>
#include <utility>

#include "graphpatcher/methods/method.hpp"
#include "graphpatcher/methods/registry.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

TEST_CASE("a backbone of any kind that was moved from says that it is empty", "[methods][misuse]") {
  const gp::cpu exec{1};
  const auto data = toy::make<float>();
  const std::vector<node_id> nodes{0, 3};
  gp::some_backbone<float, node_id> model(gp::gcn_backbone<float>({.hidden = 4}, 12, 3));
  const auto taken = std::move(model);
  CHECK(taken.hops() == 2);
  CHECK_THROWS_AS(model.hops(), gp::argument_error);  // NOLINT: that is the question
  CHECK_THROWS_AS(model.classes(), gp::argument_error);
  CHECK_THROWS_AS(model.parameters(), gp::argument_error);
  CHECK_THROWS_AS(gp::predict(exec, model, data.graph, data.features), gp::argument_error);
  CHECK_THROWS_AS(model.train_patcher(exec, data, toy::quick_config()), gp::argument_error);
  CHECK_THROWS_AS(model.patch(exec, data, gp::fixed_patch::zero, nodes, {}), gp::argument_error);
  CHECK_THROWS_AS(model.path(exec, {}), gp::argument_error);
  const auto copy = model;  // as empty
  CHECK_THROWS_AS(copy.hops(), gp::argument_error);
  model = taken;
  CHECK(model.hops() == 2);
  model = copy;
  CHECK_THROWS_AS(model.hops(), gp::argument_error);
}

TEST_CASE("a method without a dataset says so", "[methods][misuse]") {
  const gp::some_backbone<float, node_id> model(gp::gcn_backbone<float>({.hidden = 4}, 12, 3));
  gp::method_run<float, node_id> run{.exec = gp::cpu{1}, .untrained = model, .backbone = model};
  CHECK_THROWS_AS(gp::methods::run("none", run), gp::argument_error);
  CHECK_THROWS_AS(gp::methods::run("no such", run), gp::argument_error);
}
