// SPDX-License-Identifier: MIT
#include "graphpatcher/models/train_backbone.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <iostream>
#include <ranges>
#include <sstream>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "models/model_support.hpp"

namespace gp = graphpatcher;
using id32 = std::int32_t;

static_assert(gp::backbone<gp::trained<gp::gcn_backbone<float>>>);

TEMPLATE_TEST_CASE("every model learns to tell two cliques apart", "[models]", gp::gcn_config, gp::sage_config,
                   gp::gat_config) {
  const auto data = gp_test::two_cliques<float, id32>();
  const auto model = gp::train_backbone(gp::cpu{}, data, TestType{.hidden = 8, .seed = 1},
                                        {.learning_rate = 0.01, .max_epochs = 300, .patience = 100});
  const auto logits = gp::predict(gp::cpu{}, model, data.graph, data.features);
  CHECK(gp_test::accuracy_of(logits, data, data.split.test) == 1.0);
  CHECK(model.history.validation_accuracy == 1.0);
}

TEMPLATE_TEST_CASE("without dropout the loss of separable nodes goes towards zero", "[models]", gp::gcn_config,
                   gp::sage_config, gp::gat_config) {
  const auto data = gp_test::two_cliques<float, id32>();
  TestType config{.hidden = 8, .dropout = 0, .seed = 1};
  if constexpr (requires { config.attention_dropout; }) {
    config.attention_dropout = 0;
  }
  const auto model = gp::train_backbone(gp::cpu{}, data, config,
                                        {.learning_rate = 0.01, .weight_decay = 0, .max_epochs = 300, .patience = 300});
  const auto& loss = model.history.loss;
  REQUIRE(loss.size() == 300);
  CHECK(std::ranges::is_sorted(loss | std::views::drop(50) | std::views::take(100), std::ranges::greater{}));
  CHECK(loss.back() < -std::log(0.95));  // the labelled nodes get their class with 95 % probability
}

TEMPLATE_TEST_CASE("training gives the same bits for any number of threads", "[models]", gp::gcn_config,
                   gp::sage_config, gp::gat_config) {
  const auto data = gp_test::two_cliques<float, id32>(60);
  const auto run = [&](int threads, std::uint64_t seed) {
    return gp::train_backbone(gp::cpu{.threads = threads}, data, TestType{.seed = seed}, {.max_epochs = 20});
  };
  auto one = run(1, 7);
  auto two = run(2, 7);
  CHECK(one.history.loss == two.history.loss);
  const auto a = one.parameters();
  const auto b = two.parameters();
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(gp_test::same_values(a[i]->value.view(), b[i]->value.view()));
  }
  CHECK(one.history.loss != run(1, 8).history.loss);
}

TEST_CASE("training on surroundings is training on the whole graph", "[models]") {
  const auto data = gp_test::two_cliques<double, id32>(40);
  const auto compare = [&](const auto& config) {
    const auto part = gp::train_backbone(gp::cpu{}, data, config, {.max_epochs = 15});
    const auto whole = gp::train_backbone(gp::cpu{}, data, config, {.max_epochs = 15, .whole_graph = true});
    for (std::size_t e = 0; e < 15; ++e) {
      CHECK(part.history.loss[e] == Approx(whole.history.loss[e]).epsilon(1e-9));
    }
    CHECK(part.history.validation_accuracies == whole.history.validation_accuracies);
  };
  compare(gp::gcn_config{.layers = 3, .hidden = 8, .norm = gp::normalisation::symmetric});  // masks are keyed by node
  compare(gp::sage_config{.hidden = 8});
  compare(gp::gat_config{.attention_dropout = 0});  // attention masks are keyed by edge number
}

TEST_CASE("the model keeps the weights of the first best epoch", "[models]") {
  const auto data = gp_test::two_cliques<float, id32>();
  gp::gcn_backbone<float> model({.hidden = 8, .seed = 1}, 16, 2);
  const auto* const address = model.parameters()[0];
  const auto history =
      gp::fit(gp::cpu{}, data, model, {.learning_rate = 0.05, .max_epochs = 200, .patience = 30, .seed = 1});
  CHECK(model.parameters()[0] == address);
  const auto& seen = history.validation_accuracies;
  REQUIRE(history.epochs() == seen.size());
  const auto best = std::ranges::max_element(seen);  // the first of equals
  CHECK(history.best_epoch == static_cast<std::size_t>(best - seen.begin()) + 1);
  CHECK(history.validation_accuracy == *best);
  CHECK(history.epochs() == history.best_epoch + 30);
  const auto logits = gp::predict(gp::cpu{}, model, data.graph, data.features);
  CHECK(gp_test::accuracy_of(logits, data, data.split.validation) == *best);

  // stopping at the best epoch gives the very same weights
  gp::gcn_backbone<float> shorter({.hidden = 8, .seed = 1}, 16, 2);
  gp::fit(gp::cpu{}, data, shorter, {.learning_rate = 0.05, .max_epochs = history.best_epoch, .seed = 1});
  CHECK(gp_test::same_values(shorter.layers[0].weight.value.view(), model.layers[0].weight.value.view()));
}

TEST_CASE("labels of test nodes change nothing", "[models]") {
  auto data = gp_test::two_cliques<float, id32>();
  const gp::gcn_config config{.hidden = 8, .seed = 1};
  const auto before = gp::train_backbone(gp::cpu{}, data, config, {.max_epochs = 10});
  for (const auto v : data.split.test) {
    data.labels[static_cast<std::size_t>(v)] = 1 - data.labels[static_cast<std::size_t>(v)];
  }
  const auto after = gp::train_backbone(gp::cpu{}, data, config, {.max_epochs = 10});
  CHECK(before.history.loss == after.history.loss);
  CHECK(gp_test::same_values(before.layers[0].weight.value.view(), after.layers[0].weight.value.view()));
}

TEST_CASE("one epoch is one Adam step on the mean cross-entropy", "[models]") {
  auto data = gp_test::two_cliques<double, id32>();
  gp::gcn_backbone<double> model({.hidden = 4, .dropout = 0, .seed = 1}, 16, 2);
  auto by_hand = model;
  const auto logits = gp::predict(gp::cpu{}, model, data.graph, data.features);
  double expected = 0;
  for (const auto v : data.split.train) {
    const auto row = logits.row(static_cast<std::size_t>(v));
    const auto label = static_cast<std::size_t>(data.labels[static_cast<std::size_t>(v)]);
    expected += (std::log(std::exp(row[0]) + std::exp(row[1])) - row[label]) / 4;
  }
  const auto history = gp::fit(gp::cpu{}, data, model, {.learning_rate = 0.01, .weight_decay = 0.2, .max_epochs = 1});
  CHECK(history.loss[0] == Approx(expected).epsilon(1e-12));

  // the bias of the last layer: its gradient is the mean of softmax - one-hot, its L2 term is 0 at 0
  const double step = model.layers[1].bias.value(0, 0) - by_hand.layers[1].bias.value(0, 0);
  double gradient = 0;
  for (const auto v : data.split.train) {
    const auto row = logits.row(static_cast<std::size_t>(v));
    const double p = 1 / (1 + std::exp(row[1] - row[0]));
    gradient += (p - (data.labels[static_cast<std::size_t>(v)] == 0 ? 1 : 0)) / 4;
  }
  CHECK(step == Approx(-0.01 * gradient / (std::abs(gradient) + 1e-8)).epsilon(1e-9));
}

TEST_CASE("training names bad data and bad options", "[models]") {
  const gp::gcn_config config{.hidden = 4};
  auto data = gp_test::two_cliques<float, id32>();
  const auto good = data;
  const auto train = [&](gp::fit_options options = {.max_epochs = 3}) {
    return gp::train_backbone(gp::cpu{}, data, config, options);
  };
  CHECK_NOTHROW(train());
  data.split.train.clear();
  CHECK_THROWS_AS(train(), gp::argument_error);
  CHECK_THROWS_WITH(train(), Catch::Contains("two cliques") && Catch::Contains("no training nodes"));
  data = good;
  data.split.validation.clear();
  CHECK_THROWS_AS(train(), gp::argument_error);
  data = good;
  data.labels[3] = 2;
  CHECK_THROWS_AS(train(), gp::index_error);
  data = good;
  data.split.test.push_back(0);
  CHECK_THROWS_AS(train(), gp::argument_error);
  data = good;
  CHECK_THROWS_AS(train({.max_epochs = 0}), gp::argument_error);
  CHECK_THROWS_AS(train({.patience = 0}), gp::argument_error);
  CHECK_THROWS_AS(train({.learning_rate = -1.0}), gp::argument_error);
  CHECK_THROWS_AS(gp::train_backbone(gp::cpu{.threads = 0}, data, config), gp::argument_error);
  gp::gcn_backbone<float> three({}, 16, 3);
  CHECK_THROWS_AS(gp::fit(gp::cpu{}, data, three), gp::shape_error);
  CHECK_THROWS_AS(gp::train_backbone(gp::cpu{}, gp::dataset<float, id32>{}, config), gp::shape_error);
}

TEST_CASE("training that diverges says so", "[models]") {
  const auto data = gp_test::two_cliques<float, id32>();
  const gp::gcn_config config{.hidden = 4};
  CHECK_THROWS_AS(gp::train_backbone(gp::cpu{}, data, config, {.learning_rate = 1e30}), gp::numeric_error);
  CHECK_THROWS_AS(gp::train_backbone(gp::cpu{}, data, config, {.learning_rate = 1e30, .max_epochs = 1}),
                  gp::numeric_error);
}

TEST_CASE("training stops when asked to", "[models]") {
  const auto data = gp_test::two_cliques<float, id32>();
  {
    const gp::interrupt_scope scope;
    std::raise(SIGINT);
    CHECK_THROWS_AS(gp::train_backbone(gp::cpu{}, data, gp::gcn_config{}), gp::interrupted_error);
  }
  const gp::interrupt_scope fresh;  // forgets the request
  CHECK_NOTHROW(gp::train_backbone(gp::cpu{}, data, gp::gcn_config{}, {.max_epochs = 1}));
}

TEST_CASE("training shows its progress where asked", "[models]") {
  const auto data = gp_test::two_cliques<float, id32>();
  std::ostringstream out;
  auto* const before = std::cerr.rdbuf(out.rdbuf());
  gp::train_backbone(gp::cpu{}, data, gp::gcn_config{}, {.max_epochs = 5, .quiet = false});
  std::cerr.rdbuf(before);
  CHECK_THAT(out.str(), Catch::Contains("training backbone") && Catch::Contains("validation"));
}

TEST_CASE("training can be watched, epoch by epoch", "[models]") {
  const auto data = gp_test::two_cliques<float, id32>();
  std::vector<gp::training_history> seen;
  const auto model = gp::train_backbone(
      gp::cpu{}, data, gp::gcn_config{},
      {.max_epochs = 3, .watch = [&](const gp::training_history& so_far) { seen.push_back(so_far); }});
  REQUIRE(seen.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(seen[i].epochs() == i + 1);
    CHECK(seen[i].loss.back() == model.history.loss[i]);
    CHECK(seen[i].validation_accuracies.back() == model.history.validation_accuracies[i]);
  }
}

TEST_CASE("fit takes a loss as a function", "[models]") {
  const auto data = gp_test::two_cliques<double, id32>();
  const gp::fit_options options{.learning_rate = 0.01, .max_epochs = 5, .seed = 4};
  gp::gcn_backbone<double> usual({.hidden = 4, .seed = 1}, 16, 2);
  auto same = usual, doubled = usual;
  const auto expected = gp::fit(gp::cpu{}, data, usual, options);
  const auto labels = data.labels_of(data.split.train);
  const auto graph = gp::whole_graph(data.graph);
  std::vector<std::size_t> epochs;
  const auto loss = [&](gp::tape<double>& t, const auto& now, std::size_t epoch) {
    epochs.push_back(epoch);
    const auto logits = now.forward(t, graph, gp::node_features<double, id32>{&data.features, &graph, {}});
    return gp::cross_entropy(logits, std::span<const id32>(data.split.train), std::span<const id32>(labels));
  };
  const auto history = gp::fit(gp::cpu{}, data, same, loss, options);
  CHECK(epochs == std::vector<std::size_t>{1, 2, 3, 4, 5});
  CHECK(history.validation_accuracies == expected.validation_accuracies);
  for (std::size_t e = 0; e < 5; ++e) {
    CHECK(history.loss[e] == Approx(expected.loss[e]).epsilon(1e-9));
  }
  const auto twice = [&](gp::tape<double>& t, const auto& now, std::size_t epoch) {
    return gp::scale(loss(t, now, epoch), 2);
  };
  CHECK(gp::fit(gp::cpu{}, data, doubled, twice, {.max_epochs = 1, .seed = 4}).loss[0] ==
        Approx(2 * expected.loss[0]).epsilon(1e-12));
}

TEST_CASE("the weights before training can be kept, and the last of equals", "[models]") {
  const auto data = gp_test::two_cliques<float, id32>();
  auto model = gp::train_backbone(gp::cpu{}, data, gp::gcn_config{.hidden = 8, .seed = 1},
                                  {.learning_rate = 0.01, .max_epochs = 300, .patience = 100});
  REQUIRE(model.history.validation_accuracy == 1.0);
  const auto before = model.layers[0].weight.value;
  const auto again = [&](bool judge_start, bool keep_equals) {
    return gp::fit(gp::cpu{}, data, model, {.max_epochs = 3, .judge_start = judge_start, .keep_equals = keep_equals});
  };
  const auto history = again(true, false);
  CHECK(history.best_epoch == 0);
  CHECK(history.epochs() == 3);
  CHECK(history.validation_accuracy == 1.0);
  CHECK(gp_test::same_values(model.layers[0].weight.value.view(), before.view()));
  CHECK(again(true, true).best_epoch == 3);
  CHECK(again(false, false).best_epoch == 1);
}

TEST_CASE("the epoch can be chosen by likelihood, and by a part of the validation nodes", "[models]") {
  const auto data = gp_test::two_cliques<double, id32>(40);
  const auto train = [&](const gp::dataset<double, id32>& some, gp::fit_options how) {
    how.learning_rate = 0.05;
    how.max_epochs = how.patience = 40;
    return gp::train_backbone(gp::cpu{}, some, gp::gcn_config{.hidden = 8, .seed = 3}, how);
  };
  const auto likelihood = [&](const auto& model) {
    const auto logits = gp::predict(gp::cpu{}, model, data.graph, data.features);
    return gp::mean_log_likelihood<double, id32>(logits, data.split.validation, data.labels_of(data.split.validation));
  };
  const auto chosen = train(data, {.choose_by = gp::epoch_choice::likelihood});
  // Stopped at each epoch in its turn, none is likelier.
  for (std::size_t epochs = 1; epochs <= 40; epochs += 3) {
    const auto some = gp::train_backbone(gp::cpu{}, data, gp::gcn_config{.hidden = 8, .seed = 3},
                                         {.learning_rate = 0.05, .max_epochs = epochs, .keep_equals = true});
    CHECK(likelihood(chosen) >= likelihood(some) - 1e-12);
  }
  CHECK(chosen.history.best_epoch > train(data, {}).history.best_epoch);  // accuracy is 1 long before
  CHECK(chosen.history.validation_accuracy == chosen.history.validation_accuracies[chosen.history.best_epoch - 1]);

  auto half = data;  // every second of its four: the first of each clique
  half.split.validation = {data.split.validation[0], data.split.validation[2]};
  const auto part = train(data, {.choose_by = gp::epoch_choice::likelihood, .choosing_share = 0.5});
  const auto those = train(half, {.choose_by = gp::epoch_choice::likelihood});
  CHECK(part.history.best_epoch == those.history.best_epoch);
  CHECK(gp_test::same_values(part.layers[0].weight.value.view(), those.layers[0].weight.value.view()));
  CHECK(train(data, {.choosing_share = 1e-9}).history.epochs() == 40);  // one node is left
  for (const double share : {0.0, -0.5, 1.1, std::nan("")}) {
    CHECK_THROWS_WITH(train(data, {.choosing_share = share}), Catch::Contains("choosing_share"));
  }
}

TEST_CASE("mean log-likelihood worked out by hand", "[models]") {
  const gp::matrix<double> logits{{0, std::log(3)}, {std::log(4), 0}};
  const std::vector<id32> rows{0, 1}, labels{1, 1};
  CHECK(gp::mean_log_likelihood<double, id32>(logits, rows, labels) == Approx((std::log(0.75) + std::log(0.2)) / 2));
  const std::vector<id32> wrong{1, 2};
  CHECK_THROWS_AS((gp::mean_log_likelihood<double, id32>(logits, rows, wrong)), gp::index_error);
}
