// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/tuneup.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "methods/method_support.hpp"
#include "models/model_support.hpp"

namespace gp = graphpatcher;
using id = std::int32_t;

TEST_CASE("tuneup: nodes with a neighbour and no label learn what the base model says", "[methods]") {
  const auto data = slow::small_data();
  const gp::matrix<double> logits{{0, 9}, {2, 1}, {0, 9}, {1, 1}, {-3, -2}, {9, 0}};
  const auto taught = gp::make_pseudo_labels<double, id>(data, logits.view());
  CHECK(taught.nodes == std::vector<id>{1, 3, 4});   // not 0 and 2, which are for training, nor 5, which is alone
  CHECK(taught.labels == std::vector<id>{0, 0, 1});  // of equals the lower
}

TEST_CASE("tuneup: the loss is the mean over labelled and pseudo-labelled nodes of a graph that lost edges",
          "[methods]") {
  const auto data = slow::small_data();
  auto model = slow::small_gcn(GENERATE(gp::normalisation::mean, gp::normalisation::symmetric));
  const double weight = GENERATE(1.0, 4.0, 0.0);
  const auto base = model;
  const auto answers = slow::dense_logits(data, data.graph, base);
  const auto history =
      gp::fit_tuneup(gp::cpu{1}, data, model, {.drop = 0.5, .label_weight = weight}, {.max_epochs = 1, .seed = 3});
  const auto part = gp::tuneup_graph(data.graph, 0.5, 3, 1);
  CHECK((part.entries() > 0 && part.entries() < 10));
  const auto logits = slow::dense_logits(data, part, base);
  double sum = weight * (slow::loss_at(logits, 0, 0) + slow::loss_at(logits, 2, 1));
  for (const id v : {1, 3, 4}) {
    const auto row = answers.row(static_cast<std::size_t>(v));
    sum += slow::loss_at(logits, v, row[1] > row[0] ? 1 : 0);
  }
  CHECK(history.loss[0] == Approx(sum / (2 * weight + 3)).epsilon(1e-12));
}

TEST_CASE("tuneup: without other nodes the labels are all there is", "[methods]") {
  auto data = slow::small_data();
  data.graph = gp::build_graph<id>(6, {{0, 2}});
  auto model = slow::small_gcn(gp::normalisation::mean);
  const auto logits = slow::dense_logits(data, data.graph, model);
  const auto history = gp::fit_tuneup(gp::cpu{1}, data, model, {.drop = 0, .label_weight = 3}, {.max_epochs = 1});
  CHECK(history.loss[0] == Approx((slow::loss_at(logits, 0, 0) + slow::loss_at(logits, 2, 1)) / 2).epsilon(1e-12));
}

TEST_CASE("tuneup: the base model stays where nothing is better, and of equals the last is kept", "[methods]") {
  const auto data = gp_test::two_cliques<float, id>();
  const auto base = gp::train_backbone(gp::cpu{}, data, gp::gcn_config{.hidden = 8, .seed = 1},
                                       {.learning_rate = 0.01, .max_epochs = 300, .patience = 100});
  REQUIRE(base.history.validation_accuracy == 1.0);
  gp::gcn_backbone<float> model = base;
  auto history = gp::fit_tuneup(gp::cpu{}, data, model, {}, {.max_epochs = 5});
  CHECK(history.validation_accuracies == std::vector<double>(5, 1.0));
  CHECK(history.best_epoch == 5);
  CHECK(!gp_test::same_values(model.layers[0].weight.value.view(), base.layers[0].weight.value.view()));

  auto wrong = data;  // training labels turned round: what the second stage learns is worse
  for (const id v : wrong.split.train) {
    wrong.labels[static_cast<std::size_t>(v)] = 1 - wrong.labels[static_cast<std::size_t>(v)];
  }
  const gp::fit_options harm{.learning_rate = 1, .max_epochs = 3};
  model = base;
  history = gp::fit_tuneup(gp::cpu{}, wrong, model, {.label_weight = 1e6}, harm);
  REQUIRE(std::ranges::max(history.validation_accuracies) < 1.0);
  CHECK(history.best_epoch == 0);
  CHECK(history.validation_accuracy == 1.0);
  CHECK(gp_test::same_values(model.layers[0].weight.value.view(), base.layers[0].weight.value.view()));

  history = gp::fit_tuneup(gp::cpu{}, wrong, model, {.label_weight = 1e6, .keep_base_if_worse = false}, harm);
  CHECK(history.best_epoch >= 1);
}

TEMPLATE_TEST_CASE("tuneup: the same bits for any number of threads", "[methods]", gp::gcn_config, gp::sage_config,
                   gp::gat_config) {
  const auto data = gp_test::two_cliques<float, id>(40);
  const auto run = [&](int threads, std::uint64_t seed) {
    typename TestType::template model_type<float> model(TestType{.hidden = 8, .seed = 1}, 16, 2);
    return gp::fit_tuneup(gp::cpu{threads}, data, model, {}, {.max_epochs = 8, .seed = seed}).loss;
  };
  CHECK(run(1, 1) == run(3, 1));
  CHECK(run(1, 1) != run(1, 2));
}

TEST_CASE("tuneup: bad input is refused", "[methods]") {
  auto data = gp_test::two_cliques<float, id>();
  gp::gcn_backbone<float> model({.hidden = 4}, 16, 2);
  const auto tune = [&](gp::tuneup_options how) { gp::fit_tuneup(gp::cpu{}, data, model, how, {.max_epochs = 2}); };
  CHECK_THROWS_AS(tune({.drop = 1.5}), gp::argument_error);
  CHECK_THROWS_AS(tune({.label_weight = -1}), gp::argument_error);
  data.split.train.push_back(99);
  CHECK_THROWS_AS(tune({}), gp::index_error);
}
