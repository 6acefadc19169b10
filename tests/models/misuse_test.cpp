// SPDX-License-Identifier: MIT
// Backbones that are made or used in a wrong way, and the typed error they give.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using Catch::Contains;
using toy::node_id;

namespace {

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
const gp::cpu exec{1};

/// Calls check(model) for every backbone of the library.
template <class Check>
void for_each_backbone(Check&& check) {
  check(gp::gcn_backbone<float>({.hidden = 4}, 12, 3));
  check(gp::sage_backbone<float>({.hidden = 4}, 12, 3));
  check(gp::gat_backbone<float>({.hidden = 2, .heads = 2}, 12, 3));
}

}  // namespace

TEST_CASE("a backbone that was moved from refuses to answer and to be trained", "[models][misuse]") {
  const auto data = toy::make<float>();
  for_each_backbone([&](auto model) {
    const auto taken = std::move(model);
    CHECK(gp::predict(exec, taken, data.graph, data.features).cols() == 3);
    CHECK(model.hops() == 0);  // NOLINT: that is the question
    CHECK(model.classes() == 0);
    CHECK(model.parameters().empty());
    CHECK_THROWS_AS(gp::predict(exec, model, data.graph, data.features), gp::argument_error);
    CHECK_THROWS_WITH(gp::predict(exec, model, data.graph, data.features), Contains("was it moved from?"));
    CHECK_THROWS_AS(gp::fit(exec, data, model, {.max_epochs = 1}), gp::shape_error);
    model = taken;
    CHECK(gp::predict(exec, model, data.graph, data.features).cols() == 3);
  });
}

TEST_CASE("a backbone refuses graphs and features that don't belong to it", "[models][misuse]") {
  const auto data = toy::make<float>();
  const auto narrow = toy::random_features<float>(60, 11, 1);
  const auto few = toy::random_features<float>(59, 12, 1);
  for_each_backbone([&](const auto& model) {
    CHECK_THROWS_AS(gp::predict(exec, model, data.graph, narrow), gp::shape_error);
    CHECK_THROWS_AS(gp::predict(exec, model, data.graph, few), gp::shape_error);
    CHECK_THROWS_AS(gp::predict(exec, model, data.graph, gp::feature_table<float, node_id>()), gp::shape_error);
    CHECK_THROWS_AS(gp::predict(exec, model, gp::csr_graph<node_id>(), gp::feature_table<float, node_id>()),
                    gp::shape_error);
    CHECK_THROWS_AS(gp::predict(exec, model, gp::message_graph<node_id>(), data.features), gp::error);
    CHECK_THROWS_AS(gp::predict(exec, model, gp::whole_graph(data.graph), few), gp::index_error);
  });
}

TEST_CASE("sizes of backbones that wrap are refused", "[models][misuse]") {
  CHECK_THROWS_WITH(gp::gat_backbone<float>({.hidden = 2305843009213693953}, 12, 3), Contains("expected hidden in"));
  CHECK_THROWS_WITH(gp::gcn_backbone<float>({.hidden = huge / 12}, 12, 3), Contains("expected hidden in"));
  CHECK_THROWS_WITH(gp::sage_backbone<float>({.hidden = huge / 12}, 12, 3), Contains("expected hidden in"));
  CHECK_THROWS_AS(gp::gcn_backbone<float>({}, huge, 3), gp::overflow_error);
  CHECK_THROWS_AS(gp::gcn_backbone<float>({}, 12, huge), gp::overflow_error);
  CHECK_THROWS_AS(gp::gcn_backbone<float>({}, 0, 3), gp::argument_error);
}

TEST_CASE("weights that are or become infinite are an error that names them", "[models][misuse]") {
  const auto data = toy::make<float>();
  for_each_backbone([&](auto model) {
    auto* const last = model.parameters().back();
    last->value(0, 0) = std::nanf("");
    CHECK_THROWS_AS(gp::predict(exec, model, data.graph, data.features), gp::numeric_error);
    CHECK_THROWS_WITH(gp::predict(exec, model, data.graph, data.features),
                      Contains("predict: logits") && Contains("'" + last->name + "'"));
    CHECK_THROWS_AS(gp::fit(exec, data, model, {.max_epochs = 2}), gp::numeric_error);
  });
  for_each_backbone([&](auto model) {
    for (auto* p : model.parameters()) {
      p->value.fill(3e38f);
    }
    CHECK_THROWS_AS(gp::predict(exec, model, data.graph, data.features), gp::numeric_error);
    CHECK_THROWS_WITH(gp::predict(exec, model, data.graph, data.features), !Contains("the weight"));
  });
}

TEST_CASE("accuracy is of rows that are there", "[models][misuse]") {
  const gp::matrix<float> logits{{1, 0}, {0, 1}};
  const auto accuracy = [&](std::vector<node_id> rows, std::vector<node_id> labels) {
    return gp::share_right<float, node_id>(logits, rows, labels);
  };
  CHECK(accuracy({0, 1}, {0, 0}) == 0.5);
  CHECK_THROWS_AS(accuracy({0, 1}, {0}), gp::shape_error);
  CHECK_THROWS_AS(accuracy({}, {}), gp::shape_error);
  CHECK_THROWS_AS(accuracy({2}, {0}), gp::index_error);
  CHECK_THROWS_AS(accuracy({-1}, {0}), gp::index_error);
}
