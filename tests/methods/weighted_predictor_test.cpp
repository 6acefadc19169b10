// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/weighted_predictor.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/builder.hpp"
#include "methods/run_support.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

constexpr gp::weighted_options always{.evidence = -1e9, .evidence_otherwise = -1e9};
constexpr gp::weighted_options never{.evidence = 1e9, .evidence_otherwise = 1e9};

/// A dataset with one node more, like `like` and joined to it.
gp::dataset<float, node_id> with_new_node(const gp::dataset<float, node_id>& data, node_id like) {
  auto grown = data;
  std::vector<gp::edge<node_id>> edges{{like, static_cast<node_id>(data.nodes())}};
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    for (const node_id u : data.graph.neighbors(v)) {
      edges.push_back({u, static_cast<node_id>(v)});
    }
  }
  grown.graph = gp::build_graph<node_id>(data.nodes() + 1, edges);
  gp::matrix<float> dense(data.nodes() + 1, data.features.cols());
  for (std::size_t v = 0; v < dense.rows(); ++v) {
    data.features.read_row(v < data.nodes() ? v : static_cast<std::size_t>(like), dense.row(v));
  }
  grown.features = gp::sparse_from_dense<node_id>(dense.view());
  grown.labels.push_back(-1);
  return grown;
}

struct fitting {
  gp::dataset<float, node_id> data = toy::make<float>(200, 400);
  gp::trained<gp::gcn_backbone<float>> model =
      gp::train_backbone(gp::cpu{2}, data, toy::small_gcn, {.learning_rate = 0.02, .max_epochs = 30});
  std::vector<gp::trained_patcher<float>> patchers =
      gp::train_weighted_patchers(gp::cpu{2}, data, model, toy::quick_config());

  gp::weighted_predictor<float, node_id> rule(const gp::weighted_options& options, int threads = 2) const {
    return {gp::cpu{threads}, data, model, {patchers[0], patchers[1]}, options};
  }
};

bool same(const gp::matrix<float>& a, const gp::matrix<float>& b) {
  return a.rows() == b.rows() && std::ranges::equal(a.values(), b.values());
}

}  // namespace

TEST_CASE("weighted_predictor: patchers for own and spread targets, or the first alone", "[methods]") {
  const fitting f;
  REQUIRE(f.patchers.size() == 2);
  CHECK(f.patchers[0].config.target == gp::patch_target::own);
  CHECK(f.patchers[1].config.target == gp::patch_target::spread);
  CHECK(gp::train_weighted_patchers(gp::cpu{2}, f.data, f.model, toy::quick_config(), true).size() == 1);
}

TEST_CASE("weighted_predictor: without evidence the backbone's bits, with it the mixture", "[methods]") {
  const fitting f;
  const auto nodes = toy::all_nodes(f.data.nodes());
  const auto own = gp::patch_nodes(gp::cpu{2}, f.data.graph, f.data.features, f.model, f.patchers[0].generator, nodes,
                                   {.patches = 2});
  const auto no = f.rule(never);
  CHECK(!no.fitted().accepted);
  CHECK(same(no.logits(), own.logits[0]));
  CHECK(same(no.predict(gp::cpu{1}, f.data), own.logits[0]));

  const auto yes = f.rule(always);
  CHECK(yes.fitted().accepted);
  CHECK(yes.fitted().sources == std::vector<std::string>{"own", "spread"});
  CHECK(!same(yes.logits(), own.logits[0]));
  gp::base_answers<float> answers{gp::probabilities_of(gp::cpu{1}, own.logits[0]), {{}, {}}};
  for (std::size_t s = 0; s < 2; ++s) {
    const auto patched = gp::patch_nodes(gp::cpu{1}, f.data.graph, f.data.features, f.model, f.patchers[s].generator,
                                         nodes, {.patches = 2});
    answers.patched[s] = {gp::probabilities_of(gp::cpu{1}, patched.logits[1]),
                          gp::probabilities_of(gp::cpu{1}, patched.logits[2])};
  }
  const auto alike = gp::similar_nodes(gp::cpu{1}, f.data.features, 20);
  CHECK(yes.fitted() == gp::fit_weighted(gp::cpu{1}, f.data, answers, alike, {"own", "spread"}, always));
  CHECK(same(yes.logits(), gp::mix_answers(gp::cpu{1}, f.data.graph, answers, alike, yes.fitted())));
}

TEST_CASE("weighted_predictor: the same bits for any number of threads, fitted or restored", "[methods]") {
  const fitting f;
  const auto one = f.rule(always, 1), three = f.rule(always, 3);
  CHECK(one.fitted() == three.fitted());
  CHECK(same(one.logits(), three.logits()));
  CHECK(same(one.predict(gp::cpu{1}, f.data), one.logits()));
  const gp::weighted_predictor<float, node_id> restored(f.model, {f.patchers[0], f.patchers[1]}, one.fitted());
  CHECK(same(restored.predict(gp::cpu{2}, f.data), one.logits()));
  CHECK_THROWS_WITH(restored.logits(), Catch::Contains("call predict() with a dataset"));
  CHECK_THROWS_AS((gp::weighted_predictor<float, node_id>(f.model, {f.patchers[0]}, one.fitted())), gp::argument_error);
  CHECK(same(one.predict(std::vector<node_id>{7, 3}),
             gp::rows_of_nodes<float, node_id>(one.logits(), std::vector<node_id>{7, 3})));
  CHECK_THROWS_AS(one.predict(std::vector<node_id>{200}), gp::index_error);
}

TEST_CASE("weighted_predictor: new nodes are answered without labels or split, and disturb only those around them",
          "[methods]") {
  const fitting f;
  const auto rule = f.rule(always);
  auto grown = with_new_node(f.data, 5);
  grown.split = {};
  const auto answers = rule.predict(gp::cpu{2}, grown);
  REQUIRE(answers.rows() == f.data.nodes() + 1);
  gp::expects_finite(answers.view(), "answers");
  const gp::weighted_predictor<float, node_id> no(f.model, {f.patchers[0], f.patchers[1]}, f.rule(never).fitted());
  const auto own = gp::patch_nodes(gp::cpu{2}, grown.graph, grown.features, f.model, gp::fixed_patch::zero,
                                   toy::all_nodes(grown.nodes()), {.patches = 0});
  CHECK(same(no.predict(gp::cpu{2}, grown), own.logits[0]));
}

TEST_CASE("weighted_predictor: only what has a weight is computed, each source once", "[methods]") {
  const fitting f;
  std::vector<int> calls(2, 0);
  using source = gp::answer_source<float, node_id>;
  const auto counted = [&](int s) {
    return source(gp::text("source ", s), [&calls, s, inner = source(f.patchers[static_cast<std::size_t>(s)]).answers](
                                              const gp::executor& exec, const gp::dataset<float, node_id>& data,
                                              const gp::some_backbone<float, node_id>& model) {
      ++calls[static_cast<std::size_t>(s)];
      return inner(exec, data, model);
    });
  };
  const gp::weighted_predictor<float, node_id> rule(gp::cpu{2}, f.data, f.model, {counted(0), counted(1)}, always);
  CHECK(calls == std::vector<int>{1, 1});
  auto fit = rule.fitted();
  fit.candidates = {{.base = {2, 1}, .weight = 1}};
  const gp::weighted_predictor<float, node_id> second(f.model, {counted(0), counted(1)}, fit);
  second.predict(gp::cpu{2}, f.data);
  CHECK(calls == std::vector<int>{1, 2});
  fit.accepted = false;
  gp::weighted_predictor<float, node_id>(f.model, {counted(0), counted(1)}, fit).predict(gp::cpu{2}, f.data);
  CHECK(calls == std::vector<int>{1, 2});
}

TEST_CASE("weighted_predictor: no validation nodes, no patching", "[methods]") {
  fitting f;
  f.data.split.validation.clear();
  const auto rule = f.rule({});
  CHECK(!rule.fitted().accepted);
  REQUIRE(rule.fitted().warnings.size() == 1);
  const auto own = gp::patch_nodes(gp::cpu{2}, f.data.graph, f.data.features, f.model, gp::fixed_patch::zero,
                                   toy::all_nodes(f.data.nodes()), {.patches = 0});
  CHECK(same(rule.logits(), own.logits[0]));
}

TEST_CASE("weighted methods: tell verdict, evidence and weights, and answer as the predictor does", "[methods]") {
  const auto data = toy::make<float>(200, 400);
  const auto none = toy::answers_of(toy::run_of("none", data));
  for (const std::string name : {"weighted", "weighted-fast", "weighted-controls"}) {
    INFO(name);
    const auto run = toy::run_of(name, data);
    REQUIRE(run.decision.has_value());
    CHECK(same(toy::answers_of(run), none) == !run.decision->accepted);
    CHECK(!run.decision->weights.empty());
    CHECK((run.decision->evidence > run.decision->needed) == run.decision->accepted);
  }
  auto run = toy::a_run(data);
  auto config = run.patcher;
  config.seed = 1;
  std::vector<gp::answer_source<float, node_id>> sources;
  for (const auto& patcher : gp::train_weighted_patchers(gp::cpu{2}, data, run.backbone, config)) {
    sources.emplace_back(patcher);
  }
  const gp::weighted_predictor<float, node_id> rule(gp::cpu{2}, data, run.backbone, sources);
  const auto found = toy::answers_of(toy::run_of("weighted", data));
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(rule.logits().values()[i] == Approx(found.values()[i]).epsilon(1e-3).margin(1e-4));  // float, other flags
  }
}
