// SPDX-License-Identifier: MIT
#include "experiments/run/run_experiment.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <sstream>

#include "experiments/results/cell_json.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

/// Sizes at which a cell takes milliseconds.
constexpr const char* tiny = "released hidden=8 batch=8 max-iterations=20 warmup=10 evaluate-every=5";

gp::experiment_grid tiny_grid() {
  gp::experiment_grid grid;
  grid.datasets = {"toy"};
  grid.settings = {tiny};
  grid.seeds = 2;
  return grid;
}

gp::experiment_options tiny_options(const std::filesystem::path& folder, int jobs) {
  gp::experiment_options options;
  options.backbones = folder.empty() ? folder : folder / "backbones";
  options.jobs = jobs;
  options.fit.max_epochs = 20;
  options.progress.quiet = true;
  return options;
}

gp::dataset<float, node_id> load_toy(const std::string&, std::uint64_t) {
  return toy::make<float>(60, 90);
}

/// All that doesn't depend on the clock.
std::string scores_of(gp::cell_result cell) {
  cell.seconds = cell.backbone_seconds = cell.peak_rss_mb = 0;
  return gp::cell_to_json(cell).dump();
}

}  // namespace

TEST_CASE("a plan has every cell once", "[experiments]") {
  auto grid = tiny_grid();
  auto twice = gp::plan_experiment({grid, grid});
  REQUIRE(twice.size() == 2);
  CHECK(twice[0].cells.size() == 13);
  grid.settings = {"released", "paper"};
  CHECK(gp::plan_experiment({grid})[0].cells.size() == 14);  // only GraphPatcher has settings
  grid.first_seed = std::numeric_limits<std::uint64_t>::max() - 1;
  CHECK(gp::plan_experiment({grid}).back().seed == std::numeric_limits<std::uint64_t>::max());
  grid.seeds = 3;
  CHECK_THROWS_WITH(gp::plan_experiment({grid}), Catch::Contains("below 2^64"));
  grid.first_seed = 1;
  grid.methods = {"magic"};
  CHECK_THROWS_WITH(gp::plan_experiment({grid}), Catch::Contains("no method is called 'magic'"));
  grid.seeds = 0;
  CHECK_THROWS_AS(gp::plan_experiment({grid}), gp::argument_error);
}

TEST_CASE("cells are the same for any number of jobs, and are never run twice", "[experiments]") {
  const gp_test::temporary_folder folder;
  const auto units = gp::plan_experiment({tiny_grid()});
  gp::results_file one(folder.path() / "one.jsonl");
  gp::results_file two(folder.path() / "two.jsonl");
  const auto first = gp::run_experiment(units, one, load_toy, tiny_options(folder.path() / "a", 1));
  CHECK(first.failures.empty());
  CHECK(first.run == 26);
  gp::run_experiment(units, two, load_toy, tiny_options(folder.path() / "b", 2));
  const auto a = one.cells(), b = two.cells();
  REQUIRE(a.size() == 26);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(scores_of(a[i]) == scores_of(b[i]));
  }
  const auto again = gp::run_experiment(units, one, load_toy, tiny_options(folder.path() / "a", 1));
  CHECK(again.run == 0);
  CHECK(again.known == 26);

  // A new method on stored backbones gives what it gives with them.
  gp::results_file later(folder.path() / "later.jsonl");
  auto grid = tiny_grid();
  grid.methods = {"graphpatcher"};
  gp::run_experiment(gp::plan_experiment({grid}), later, load_toy, tiny_options(folder.path() / "a", 1));
  for (const auto& cell : later.cells()) {
    const auto same = std::ranges::find_if(a, [&](const auto& known) { return known.key == cell.key; });
    REQUIRE(same != a.end());
    CHECK(scores_of(cell) == scores_of(*same));
  }
}

TEST_CASE("a cell whose setting stands for something else now is run again", "[experiments]") {
  const gp_test::temporary_folder folder;
  auto grid = tiny_grid();
  grid.seeds = 1;
  grid.methods = {"none", "graphpatcher"};
  const std::string searched = grid.settings.front();
  grid.settings = {"tuned"};
  const auto units = gp::plan_experiment({grid});
  gp::results_file results(folder.path() / "results.jsonl");
  auto options = tiny_options("", 1);
  options.cell.tuned = {{"toy-gcn", searched}};
  CHECK(gp::run_experiment(units, results, load_toy, options).run == 2);
  CHECK(gp::run_experiment(units, results, load_toy, options).run == 0);
  options.cell.tuned = {{"toy-gcn", searched + " hidden=5"}};
  const auto changed = gp::run_experiment(units, results, load_toy, options);
  CHECK(changed.run == 1);
  CHECK(changed.known == 1);
  CHECK(gp::run_experiment(units, results, load_toy, options).run == 0);
  const gp::results_file again(folder.path() / "results.jsonl");  // the later line counts
  REQUIRE(again.cells().size() == 2);
  CHECK(gp::is_current(again.cells()[0], options.cell));
}

TEST_CASE("the setting best is the rule, and cells of one backbone share their patchers", "[experiments]") {
  const gp_test::temporary_folder folder;
  auto grid = tiny_grid();
  grid.seeds = 1;
  grid.methods = {"none", "graphpatcher", "weighted"};
  const std::string changes = std::string(tiny).substr(8);
  grid.settings = {"small " + changes, "best " + changes};
  gp::results_file together(folder.path() / "together.jsonl");
  gp::run_experiment(gp::plan_experiment({grid}), together, load_toy, tiny_options("", 1));
  const auto find = [&](const gp::results_file& results, const std::string& method, const std::string& setting) {
    const auto cell = results.find({"toy", "gcn", method, setting + " " + changes, 1});
    REQUIRE(cell.has_value());
    return *cell;
  };
  const auto best = find(together, "graphpatcher", "best"), rule = find(together, "weighted", "small");
  REQUIRE(best.decision.has_value());
  CHECK(best.decision == rule.decision);
  REQUIRE(best.answer.has_value());
  CHECK(best.outcomes.after == rule.outcomes.after);
  CHECK(best.settings == rule.settings);
  CHECK(!find(together, "graphpatcher", "small").decision.has_value());

  // Whoever trains first: the same bits.
  grid.methods = {"graphpatcher"};
  grid.settings = {"best " + changes};
  gp::results_file alone(folder.path() / "alone.jsonl");
  gp::run_experiment(gp::plan_experiment({grid}), alone, load_toy, tiny_options("", 1));
  CHECK(scores_of(find(alone, "graphpatcher", "best")) == scores_of(best));

  auto before = best;
  before.decision.reset();  // of a version in which best was something else
  CHECK(gp::is_current(best, {}));
  CHECK(!gp::is_current(before, {}));
}

TEST_CASE("every cell begins with the backbone's own results", "[experiments]") {
  const gp_test::temporary_folder folder;
  auto grid = tiny_grid();
  grid.seeds = 1;
  gp::results_file results(folder.path() / "results.jsonl");
  gp::run_experiment(gp::plan_experiment({grid}), results, load_toy, tiny_options("", 1));
  const auto cells = results.cells();
  for (const auto& cell : cells) {
    const auto& method = cell.key.method;
    const bool patches =
        method == "zero" || method == "mean" || method == "copy" || method == "untrained" || method == "graphpatcher";
    CHECK(cell.by_patches.size() == (patches ? 9 : 1));
    CHECK(cell.answer.has_value() == (!patches && method != "none"));  // others have one answer
    CHECK(cell.before().test.overall.accuracy == cells.front().before().test.overall.accuracy);
    CHECK(cell.decision.has_value() == (method == "weighted-controls"));
    REQUIRE(cell.outcomes.tested.size() == 60);
    CHECK(cell.outcomes.before == cells.front().outcomes.after);  // the first is the backbone alone
    const auto right = std::ranges::count(cell.outcomes.after, true);
    CHECK(cell.after().test.overall.accuracy ==
          Approx(100.0 * static_cast<double>(right) / static_cast<double>(cell.outcomes.after.size())));
    CHECK(cell.neighbors.overall.homophily > 0);
    CHECK(cell.chosen <= 5);
    CHECK(cell.path == "fast");
  }
  CHECK(!std::filesystem::exists(folder.path() / "backbones"));
}

TEST_CASE("a unit that breaks doesn't take the others with it", "[experiments]") {
  const gp_test::temporary_folder folder;
  auto grid = tiny_grid();
  grid.datasets = {"missing", "toy"};
  grid.methods = {"none"};
  gp::results_file results(folder.path() / "results.jsonl");
  const auto outcome = gp::run_experiment(
      gp::plan_experiment({grid}), results,
      [](const std::string& name, std::uint64_t seed) {
        gp::expects(name == "toy", "no such data");
        return load_toy(name, seed);
      },
      tiny_options("", 2));
  CHECK(outcome.run == 2);
  REQUIRE(outcome.failures.size() == 2);
  CHECK(outcome.failures[0].find("no such data") != std::string::npos);
}

TEST_CASE("a stored backbone of other data is refused", "[experiments]") {
  const gp_test::temporary_folder folder;
  auto grid = tiny_grid();
  grid.seeds = 1;
  grid.methods = {"none"};
  gp::results_file results(folder.path() / "results.jsonl");
  const auto options = tiny_options(folder.path(), 1);
  gp::run_experiment(gp::plan_experiment({grid}), results, load_toy, options);
  gp::results_file fresh(folder.path() / "fresh.jsonl");
  const auto other = gp::run_experiment(
      gp::plan_experiment({grid}), fresh,
      [](const std::string&, std::uint64_t) { return toy::make<float>(60, 90, 12, 5); }, options);
  REQUIRE(other.failures.size() == 1);
  CHECK(other.failures[0].find("made for other data") != std::string::npos);
}

TEST_CASE("the display tells what runs, and how far a backbone is", "[experiments]") {
  const gp_test::temporary_folder folder;
  gp::results_file results(folder.path() / "results.jsonl");
  auto options = tiny_options({}, 1);
  std::ostringstream out;
  options.progress = {
      .style = gp::progress_style::lines, .out = &out, .line_interval = std::chrono::milliseconds::zero()};
  std::size_t epochs = 0;
  options.fit.watch = [&](const gp::training_history&) { ++epochs; };
  auto grid = tiny_grid();
  grid.methods = {"none", "zero"};
  grid.seeds = 1;
  gp::run_experiment(gp::plan_experiment({grid}), results, load_toy, options);
  CHECK_THAT(out.str(), Catch::Contains("toy gcn seed 1: training the backbone\n"));
  CHECK_THAT(out.str(), Catch::Contains("0/2, toy gcn seed 1: training the backbone, epoch 10\n"));
  CHECK_THAT(out.str(), Catch::Contains("toy gcn seed 1: zero"));
  CHECK(epochs == 20);
}
