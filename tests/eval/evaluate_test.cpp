// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/evaluate.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "graphpatcher/eval/report.hpp"
#include "graphpatcher/eval/run_seed.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "support/quick_config.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

gp::patcher_config short_config() {
  auto config = toy::quick_config();
  config.hidden = 8;
  config.samples = 2;
  config.learning_rate = 1e-4;
  config.max_iterations = 6;
  config.warmup = 2;
  config.evaluate_every = 2;
  config.seed = 5;
  return config;
}

}  // namespace

TEST_CASE("the best number of patches wins, the larger of equals", "[eval]") {
  const auto choose = [](std::vector<double> validation) { return gp::choose_patches(validation); };
  CHECK(choose({80, 81, 82, 81}) == 2);
  CHECK(choose({80, 82, 82, 81}) == 2);
  CHECK(choose({83, 82, 82, 81}) == 0);
  CHECK(choose({80, 80, 80}) == 2);
  CHECK(choose({}) == 0);
}

TEST_CASE("an evaluation scores what the backbone and the patches predict", "[eval]") {
  const auto data = toy::make<float>(90, 160);
  const gp::gcn_backbone<float> model({.hidden = 8, .seed = 3}, 12, 3);
  const auto patcher = gp::train_patcher(gp::cpu{}, data, model, short_config());
  const auto run = gp::evaluate_run(gp::cpu{}, data, model, patcher, {.patches = 3});

  // Without patches: the accuracy of the backbone on the whole graph, counted by hand.
  const auto logits = gp::predict(gp::cpu{}, model, data.graph, data.features);
  const auto right = [&](const std::vector<node_id>& nodes) {
    double count = 0;
    for (const node_id v : nodes) {
      const auto row = logits.row(static_cast<std::size_t>(v));
      count += std::max_element(row.begin(), row.end()) - row.begin() == data.labels[static_cast<std::size_t>(v)];
    }
    return 100.0 * count / static_cast<double>(nodes.size());
  };
  REQUIRE(run.by_patches.size() == 4);
  CHECK(run.by_patches[0].overall == Approx(right(data.split.test)));
  CHECK(run.validation.at(0) == Approx(right(data.split.validation)));
  CHECK(run.chosen == gp::choose_patches(run.validation));
  CHECK(run.seed == 5);
  CHECK(run.iterations == patcher.iterations);
  CHECK(run.curves.size() == patcher.evaluations.size());

  // Degrees: every test node once, and the mean over degrees is the overall accuracy.
  double nodes = 0;
  double before = 0;
  double after = 0;
  for (const auto& row : run.by_degree) {
    nodes += static_cast<double>(row.nodes);
    before += static_cast<double>(row.nodes) * row.before;
    after += static_cast<double>(row.nodes) * row.after;
  }
  CHECK(nodes == static_cast<double>(data.split.test.size()));
  CHECK(before / nodes == Approx(run.before().overall));
  CHECK(after / nodes == Approx(run.after().overall));

  auto untested = data;
  untested.split.test.clear();
  CHECK_THROWS_AS(gp::evaluate_run(gp::cpu{}, untested, model, patcher), gp::argument_error);
}

TEST_CASE("an evaluation names its settings and writes what it says", "[eval]") {
  const auto data = toy::make<float>();
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  auto config = short_config();
  config.loss = gp::patch_loss::released;
  config.degree = gp::degree_mode::ego;
  const auto patcher = gp::train_patcher(gp::cpu{}, data, model, config);
  const auto result = gp::evaluate(gp::cpu{}, data, model, patcher, {.patches = 1});
  CHECK(result.record.dataset == "toy");
  CHECK(result.record.backbone == "gcn");
  CHECK(result.record.loss == "released");
  CHECK(result.record.degree == "ego");
  CHECK(result.record.path == "fast");
  CHECK(result.run().notes.empty());
  CHECK_THAT(result.table(), Catch::Contains("low third"));

  const auto folder = std::filesystem::temp_directory_path() / "graphpatcher_evaluate_test";
  std::filesystem::create_directories(folder);
  result.write_json((folder / "result.json").string());
  result.write_html((folder / "report.html").string());
  const auto read = gp::read_json(folder / "result.json");
  CHECK(read.runs.at(0).by_patches.at(1).overall == Approx(result.run().by_patches[1].overall));
  CHECK(read.settings == result.record.settings);
  CHECK(std::filesystem::file_size(folder / "report.html") > 1000);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a seed decides a whole run, threads don't", "[eval]") {
  const auto data = toy::make<float>();
  const auto run = [&](int threads, std::uint64_t seed) {
    return gp::run_seed(gp::cpu{threads}, data, gp::gcn_config{.hidden = 8}, short_config(), seed, {.max_epochs = 20});
  };
  const auto one = run(1, 2);
  const auto three = run(3, 2);
  const auto other = run(1, 3);
  CHECK(one.seed == 2);
  REQUIRE(one.curves.size() == three.curves.size());
  for (std::size_t i = 0; i < one.curves.size(); ++i) {
    CHECK(one.curves[i].loss == three.curves[i].loss);
  }
  CHECK(one.backbone_curve.back().loss == three.backbone_curve.back().loss);
  CHECK(one.curves.back().loss != other.curves.back().loss);
}
