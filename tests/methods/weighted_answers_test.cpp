// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/weighted_answers.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "graphpatcher/graph/builder.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;

namespace {

/// A ring of 3 * `third` nodes with a class for each third; every fourth node is for validation.
gp::dataset<double, node_id> ring(std::size_t third) {
  gp::dataset<double, node_id> data;
  std::vector<gp::edge<node_id>> edges;
  for (std::size_t v = 0; v < 3 * third; ++v) {
    edges.push_back({static_cast<node_id>(v), static_cast<node_id>((v + 1) % (3 * third))});
    data.labels.push_back(static_cast<node_id>(v / third));
    if (v % 4 == 0) {
      data.split.validation.push_back(static_cast<node_id>(v));
    }
  }
  data.graph = gp::build_graph<node_id>(3 * third, edges);
  data.classes = 3;
  return data;
}

/// Noise that leans to the labels by `push`.
gp::matrix<double> guess(const gp::dataset<double, node_id>& data, double push, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(0.05, 1);
  gp::matrix<double> p(data.nodes(), data.classes);
  for (std::size_t v = 0; v < p.rows(); ++v) {
    double sum = 0;
    for (std::size_t c = 0; c < p.cols(); ++c) {
      p(v, c) = number(random) + (data.labels[v] == static_cast<node_id>(c) ? push : 0);
      sum += p(v, c);
    }
    for (double& value : p.row(v)) {
      value /= sum;
    }
  }
  return p;
}

gp::sparse_matrix<double, node_id> nobody_alike(std::size_t nodes) {
  return {nodes, nodes, std::vector<node_id>(nodes + 1, 0), {}, {}};
}

}  // namespace

TEST_CASE("weighted: as many candidates as the rule says", "[methods]") {
  const auto count = [](const std::vector<std::size_t>& patches, bool spread) {
    return std::ranges::count_if(gp::weighted_candidates(patches),
                                 [&](const auto& c) { return (c.steps > 0) == spread; });
  };
  CHECK(count({5, 5}, false) == 14);  // the backbone, five and a mean of each, the mean of all
  CHECK(count({5, 5}, true) == 80);   // five of them, sixteen ways
  CHECK(count({5}, false) == 7);
  CHECK(count({5}, true) == 48);
  CHECK(count({}, false) == 1);
  CHECK(count({}, true) == 16);
  CHECK(gp::weighted_candidates({5, 5}).front() == gp::weighted_candidate{});
}

TEST_CASE("weighted: bases are means of probabilities", "[methods]") {
  gp::base_answers<double> answers;
  answers.own = {{1, 0}};
  answers.patched = {{gp::matrix<double>{{0.5, 0.5}}, gp::matrix<double>{{0.25, 0.75}}}, {gp::matrix<double>{{0, 1}}}};
  gp::matrix<double> room;
  CHECK(answers.of({}, room)(0, 0) == 1);
  CHECK(answers.of({1, 2}, room)(0, 0) == 0.25);
  CHECK(room.empty());  // nothing was copied
  CHECK(answers.of({1, 0}, room)(0, 0) == Approx(0.375));
  CHECK(answers.of({2, 0}, room)(0, 1) == 1);
  CHECK(answers.of({gp::answer_base::every_source, 0}, room)(0, 0) == Approx(0.375 / 2));
  CHECK_THROWS_WITH(answers.of({1, 3}, room), Catch::Contains("needs answers with 3 patches, its source has 2"));
  answers.patched.emplace_back();
  CHECK_THROWS_AS(answers.of({3, 0}, room), gp::argument_error);
  CHECK_THROWS_AS(answers.of({gp::answer_base::every_source, 0}, room), gp::argument_error);
}

TEST_CASE("weighted: a mixture worked out by hand", "[methods]") {
  const auto graph = gp::build_graph<node_id>(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  gp::base_answers<double> answers;
  answers.own = {{0.8, 0.2}, {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}};
  answers.patched = {{gp::matrix<double>{{0.5, 0.5}, {0.8, 0.2}, {0.2, 0.8}, {0.5, 0.5}, {0.5, 0.5}}}};
  gp::weighted_fit fit;
  fit.sources = {"own"};
  fit.candidates = {{.base = {1, 1}, .beta = 2, .weight = 0.75},
                    {.base = {}, .steps = 1, .kappa = 1, .beta_before = 2, .weight = 0.25}};
  const auto logits = gp::mix_answers(gp::cpu{1}, graph, answers, nobody_alike(5), fit);
  const double sharp = 0.64 / 0.68;
  CHECK(std::exp(logits(1, 0)) == Approx(0.75 * sharp + 0.25 * (0.5 + sharp + 0.5) / 3));
  CHECK(std::exp(logits(0, 0)) == Approx(0.75 * 0.5 + 0.25 * (sharp + 0.5) / 2));
  CHECK(std::exp(logits(2, 0)) + std::exp(logits(2, 1)) == Approx(1));
  CHECK(fit.name_of(fit.candidates[0]) == "own 1");
  CHECK(fit.name_of(fit.candidates[1]) == "backbone, spread over both, kappa 1, steps 1");
}

TEST_CASE("weighted: the fit is that of the rule, candidate by candidate", "[methods]") {
  const auto data = ring(40);
  gp::base_answers<double> answers{guess(data, 0.2, 1),
                                   {{guess(data, 0.3, 2), guess(data, 0.4, 3)}, {guess(data, 0.2, 4)}}};
  const auto alike = nobody_alike(data.nodes());
  const auto fit = gp::fit_weighted(gp::cpu{2}, data, answers, alike, {"a", "b"});
  std::vector<std::size_t> labels, rows;
  for (const node_id v : data.split.validation) {
    rows.push_back(rows.size());
    labels.push_back(static_cast<std::size_t>(data.labels[static_cast<std::size_t>(v)]));
  }
  gp::judged_answers judged{{}, labels};
  auto candidates = gp::weighted_candidates({2, 1});
  for (auto& candidate : candidates) {
    gp::matrix<double> room;
    auto p = answers.of(candidate.base, room);
    if (candidate.steps > 0) {
      candidate.beta_before =
          gp::fit_temperature(gp::log_probabilities<double, node_id>(p, data.split.validation), labels, rows);
      p = gp::spread_probabilities(gp::cpu{1}, data.graph, alike, gp::sharpen(gp::cpu{1}, p, candidate.beta_before),
                                   {.over = candidate.over, .weight = candidate.kappa, .steps = candidate.steps});
    }
    judged.logs.push_back(gp::log_probabilities<double, node_id>(p, data.split.validation));
  }
  const auto weights = gp::weigh_answers(gp::cpu{1}, judged, rows);
  double total = 0;
  for (std::size_t j = 0; j < candidates.size(); ++j) {
    candidates[j].beta = weights.beta[j];
    candidates[j].weight = weights.weight[j];
    CHECK(std::ranges::count(fit.candidates, candidates[j]) == (weights.weight[j] > 0 ? 1 : 0));
    total += weights.weight[j];
  }
  CHECK(total == Approx(1));
  CHECK(std::ranges::is_sorted(fit.candidates, std::greater<>(), &gp::weighted_candidate::weight));
  CHECK(fit.evidence == gp::evidence(gp::cross_fitted_gains(gp::cpu{1}, judged, weights, 5)));
  CHECK(fit.evidence_in_sample == gp::evidence(gp::fitted_gains(judged, weights)));
  CHECK(fit.needed == (fit.agreement >= 0.4 ? 1 : 3));
  CHECK(gp::fit_weighted(gp::cpu{3}, data, answers, alike, {"a", "b"}) == fit);
}

TEST_CASE("weighted: a mixture shares work between candidates, and is the sum of each alone", "[methods]") {
  const auto data = ring(30);
  const gp::base_answers<double> answers{guess(data, 0.2, 1), {{guess(data, 0.3, 2), guess(data, 0.4, 3)}}};
  gp::weighted_fit fit;
  fit.sources = {"a"};
  std::vector<node_id> offsets{0}, columns;  // each node is like the two after it
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    std::vector<node_id> others{static_cast<node_id>((v + 1) % data.nodes()),
                                static_cast<node_id>((v + 2) % data.nodes())};
    std::ranges::sort(others);
    columns.insert(columns.end(), others.begin(), others.end());
    offsets.push_back(static_cast<node_id>(columns.size()));
  }
  const gp::sparse_matrix<double, node_id> alike(data.nodes(), data.nodes(), offsets, columns,
                                                 std::vector<double>(columns.size(), 0.5));
  for (const auto& base : {gp::answer_base{}, gp::answer_base{1, 2}, gp::answer_base{1, 0}}) {
    for (const double before : {1.0, 2.0}) {
      for (const auto over : {gp::spread_over::similar, gp::spread_over::both}) {
        for (const double kappa : {1.0, 4.0}) {
          for (const std::size_t steps : {2, 0, 1}) {
            fit.candidates.push_back({.base = base,
                                      .steps = steps,
                                      .over = over,
                                      .kappa = kappa,
                                      .beta_before = before,
                                      .beta = 1.5,
                                      .weight = 1.0 / 72});
          }
        }
      }
    }
  }
  const auto mixed = gp::mix_answers(gp::cpu{2}, data.graph, answers, alike, fit);
  gp::matrix<double> sum(data.nodes(), 3), room;
  for (const auto& c : fit.candidates) {
    auto p = answers.of(c.base, room);
    if (c.steps > 0) {
      p = gp::spread_probabilities(gp::cpu{1}, data.graph, alike, gp::sharpen(gp::cpu{1}, p, c.beta_before),
                                   {.over = c.over, .weight = c.kappa, .steps = c.steps});
    }
    const auto q = gp::sharpen(gp::cpu{1}, p, c.beta);
    std::ranges::transform(sum.values(), q.values(), sum.values().begin(),
                           [&](double before, double value) { return before + c.weight * value; });
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    REQUIRE(std::exp(mixed.values()[i]) == Approx(sum.values()[i]).epsilon(1e-12));
  }
}

TEST_CASE("weighted: a fit that can't be mixed by is refused", "[methods]") {
  gp::weighted_fit fit;
  fit.sources = {"a"};
  fit.candidates = {{.base = {1, 2}, .steps = 1, .kappa = 1, .weight = 1}};
  fit.check();
  const auto refuse = [&](auto change) {
    auto wrong = fit;
    change(wrong, wrong.candidates.front());
    CHECK_THROWS_AS(wrong.check(), gp::argument_error);
  };
  refuse([](auto&, auto& c) { c.base.source = 2; });
  refuse([](auto& f, auto& c) { f.sources.clear(), c.base.source = gp::answer_base::every_source; });
  refuse([](auto&, auto& c) { c.base.patches = 10'000'000; });
  refuse([](auto&, auto& c) { c.steps = 3; });
  refuse([](auto&, auto& c) { c.kappa = -1; });
  refuse([](auto&, auto& c) { c.beta = 0; });
  refuse([](auto&, auto& c) { c.beta_before = std::nan(""); });
  refuse([](auto&, auto& c) { c.weight = std::numeric_limits<double>::infinity(); });
  refuse([](auto& f, auto&) { f.similar = 0; });
  refuse([](auto& f, auto&) { f.accepted = true, f.candidates.clear(); });
}

TEST_CASE("weighted: the verdict follows the evidence, and doubt by the agreement", "[methods]") {
  const auto data = ring(80);
  const auto alike = nobody_alike(data.nodes());
  const auto fit_of = [&](const gp::dataset<double, node_id>& some, double own, double patched,
                          gp::weighted_options how = {}) {
    return gp::fit_weighted(gp::cpu{2}, some,
                            gp::base_answers<double>{guess(data, own, 1), {{guess(data, patched, 2)}}}, alike,
                            {"patched"}, how);
  };
  const auto better = fit_of(data, 0.8, 2);
  CHECK(better.agreement > 0.4);
  CHECK(better.needed == 1);
  CHECK(better.accepted);
  CHECK(better.warnings.empty());
  CHECK_THAT(better.report(), Catch::StartsWith("verdict: the weighted answers (t = "));

  auto strangers = data;  // edges without order: neighbours say nothing
  std::vector<gp::edge<node_id>> edges;
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    edges.push_back({static_cast<node_id>(v), static_cast<node_id>((v * 97 + 31) % data.nodes())});
  }
  strangers.graph = gp::build_graph<node_id>(data.nodes(), edges);
  const auto doubted = fit_of(strangers, 0.8, 0.8);
  CHECK(doubted.agreement < 0.4);
  CHECK(doubted.needed == 3);
  CHECK(doubted.accepted == (doubted.evidence > 3));
  CHECK(!fit_of(data, 0.8, 2, {.evidence = 1e6}).accepted);
  CHECK(fit_of(strangers, 0.8, 0.8, {.evidence_otherwise = -1e6}).accepted);
  CHECK_THROWS_AS(fit_of(data, 1, 1, {.folds = 0}), gp::argument_error);
}

TEST_CASE("weighted: evidence of the thirds by degree, worked out by hand", "[methods]") {
  // A star and a path beside it: degrees 5, then 1 and 2.
  const auto graph = gp::build_graph<node_id>(9, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {6, 7}, {7, 8}, {5, 6}});
  const std::vector<node_id> nodes{0, 5, 1, 7, 2, 6};  // degrees 5, 2, 1, 2, 1, 2
  const std::vector<double> gains{4, 1, 1, 9, 3, 2};
  const auto [low, high] = gp::detail::evidence_of_thirds<node_id>(graph, nodes, gains);
  CHECK(low == Approx(2));                 // nodes 1 and 2: 1 and 3, mean 2, deviation sqrt(2) / sqrt(2)
  CHECK(high == Approx(6.5 / (5 / 2.0)));  // nodes 7 and 0: 9 and 4
  const auto none = gp::detail::evidence_of_thirds<node_id>(graph, std::vector<node_id>{3}, std::vector<double>{1});
  CHECK(none.first == 0);
  CHECK(none.second == 0);
}

TEST_CASE("weighted: a third that is against it is warned about", "[methods]") {
  gp::weighted_fit fit;
  fit.validation_nodes = 300;
  fit.agreement = 0.8;
  fit.evidence = 3;
  fit.evidence_low = 4;
  fit.evidence_high = -1.5;
  gp::detail::judge(fit, {});
  CHECK(fit.accepted);
  REQUIRE(fit.warnings.size() == 1);
  CHECK_THAT(fit.warnings[0], Catch::Contains("the third of the validation nodes with the most neighbours is against"));
  auto refused = fit;
  refused.warnings.clear();
  refused.evidence = 0.5;
  gp::detail::judge(refused, {});
  CHECK(refused.warnings.empty());  // the backbone answers anyway
}

TEST_CASE("weighted: few labels are warned about, and none weigh nothing", "[methods]") {
  auto data = ring(10);
  data.split.validation.resize(3);
  const auto alike = nobody_alike(data.nodes());
  const gp::base_answers<double> answers{guess(data, 0.1, 1), {{guess(data, 2, 2)}}};
  const auto few = gp::fit_weighted(gp::cpu{1}, data, answers, alike, {"patched"});
  REQUIRE(few.warnings.size() == 3);  // next to noise: spreading changes much, neighbours agree on little
  CHECK(few.warnings[0] == "only 3 validation nodes: the verdict is thin");
  CHECK_THAT(few.warnings[1], Catch::StartsWith("spreading changes "));
  CHECK_THAT(few.warnings[2], Catch::StartsWith("the neighbours' vote "));
  CHECK_THAT(few.report(), Catch::Contains("warning: only 3 validation nodes"));
  data.split.validation.clear();
  const auto none = gp::fit_weighted(gp::cpu{1}, data, answers, alike, {"patched"});
  CHECK(!none.accepted);
  CHECK(none.candidates.empty());
  REQUIRE(none.warnings.size() == 1);
  CHECK_THAT(none.warnings[0], Catch::StartsWith("no validation nodes"));
}
