// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/dropedge.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "methods/method_support.hpp"
#include "models/model_support.hpp"

namespace gp = graphpatcher;
using id = std::int32_t;

TEST_CASE("dropedge: every epoch's loss is that of a part of the edges with the degrees of its rows", "[methods]") {
  const auto data = slow::small_data();
  auto model = slow::small_gcn(GENERATE(gp::normalisation::mean, gp::normalisation::symmetric));
  const bool whole = GENERATE(false, true);
  const auto before = model;
  const auto history =
      gp::fit_dropedge(gp::cpu{1}, data, model, {.keep = {0.5}}, {.max_epochs = 2, .seed = 3, .whole_graph = whole});
  const auto part = gp::dropedge_graph(data.graph, 0.5, gp::edge_pairs::independent, 3, 1);
  CHECK(part.entries() == 5);  // of 10
  const auto logits = slow::dense_logits(data, part, before);
  const double expected = (slow::loss_at(logits, 0, 0) + slow::loss_at(logits, 2, 1)) / 2;
  CHECK(history.loss[0] == Approx(expected).epsilon(1e-12));
  const auto next = gp::dropedge_graph(data.graph, 0.5, gp::edge_pairs::independent, 3, 2);
  CHECK(std::ranges::equal(part.neighbors(), next.neighbors()) == false);
  CHECK(history.keep == 0.5);

  // answers, and so the validation accuracy, are those on the whole graph
  const auto answers = gp::predict(gp::cpu{1}, model, data.graph, data.features);
  CHECK(gp::share_right<double, id>(answers, data.split.validation, data.labels_of(data.split.validation)) ==
        history.validation_accuracy);
}

TEST_CASE("dropedge: keeping all edges is training as usual", "[methods]") {
  const auto data = gp_test::two_cliques<float, id>();
  gp::gcn_backbone<float> usual({.hidden = 8, .seed = 1}, 16, 2);
  auto dropped = usual;
  const gp::fit_options options{.max_epochs = 20, .seed = 1};
  const auto expected = gp::fit(gp::cpu{}, data, usual, options);
  const auto history = gp::fit_dropedge(gp::cpu{}, data, dropped, {.keep = {1}}, options);
  CHECK(history.loss == expected.loss);
  CHECK(gp_test::same_values(usual.layers[0].weight.value.view(), dropped.layers[0].weight.value.view()));
}

TEST_CASE("dropedge: of several shares the best by validation accuracy is taken", "[methods]") {
  const auto data = gp_test::two_cliques<float, id>();
  const gp::gcn_backbone<float> start({.hidden = 8, .seed = 1}, 16, 2);
  const gp::fit_options options{.learning_rate = 0.05, .max_epochs = 6, .seed = 1};
  double best = -1, share = 0;
  for (const double keep : {0.02, 0.5, 0.9}) {
    auto alone = start;
    const auto history = gp::fit_dropedge(gp::cpu{}, data, alone, {.keep = {keep}}, options);
    share = history.validation_accuracy > best ? keep : share;
    best = std::max(best, history.validation_accuracy);
  }
  auto model = start;
  const auto chosen = gp::fit_dropedge(gp::cpu{}, data, model, {.keep = {0.02, 0.5, 0.9}}, options);
  CHECK(chosen.keep == share);
  CHECK(chosen.validation_accuracy == best);
  CHECK(gp::dropedge_shares("cora") == std::vector{0.4});
  CHECK(gp::dropedge_shares("citeseer") == std::vector{0.2});
  CHECK(gp::dropedge_shares("pubmed") == std::vector{0.7});
  CHECK(gp::dropedge_shares("actor") == std::vector{0.2, 0.5, 0.8});
}

TEMPLATE_TEST_CASE("dropedge: the same bits for any number of threads", "[methods]", gp::gcn_config, gp::sage_config,
                   gp::gat_config) {
  const auto data = gp_test::two_cliques<float, id>(40);
  const auto run = [&](int threads, std::uint64_t seed) {
    typename TestType::template model_type<float> model(TestType{.hidden = 8, .seed = 1}, 16, 2);
    return gp::fit_dropedge(gp::cpu{threads}, data, model, {.keep = {0.5}}, {.max_epochs = 8, .seed = seed}).loss;
  };
  CHECK(run(1, 1) == run(3, 1));
  CHECK(run(1, 1) != run(1, 2));
}

TEST_CASE("dropedge: bad input is refused", "[methods]") {
  auto data = gp_test::two_cliques<float, id>();
  gp::gcn_backbone<float> model({.hidden = 4}, 16, 2);
  CHECK_THROWS_AS(gp::fit_dropedge(gp::cpu{}, data, model, {.keep = {1.5}}, {.max_epochs = 2}), gp::argument_error);
  data.split.train.push_back(99);
  CHECK_THROWS_AS(gp::fit_dropedge(gp::cpu{}, data, model), gp::index_error);
  data.split.train.clear();
  CHECK_THROWS_AS(gp::fit_dropedge(gp::cpu{}, data, model), gp::argument_error);
}
