// SPDX-License-Identifier: MIT
// The paper's tables and figures: runs every dataset, backbone, method and seed
// that they need, and makes a report of the results. Can be stopped and resumed.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>

#include "experiments/report/report.hpp"
#include "experiments/results/folder_lock.hpp"
#include "experiments/run/cell_options.hpp"
#include "experiments/run/run_experiment.hpp"
#include "graphpatcher/eval/program.hpp"
#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/graph/split_like.hpp"
#include "graphpatcher/graph/splits.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "graphpatcher/io/load_dataset.hpp"
#include "options.hpp"
#include "tune.hpp"

namespace {

/// Whether a dataset comes with one split that everybody uses.
bool has_public_split(const std::string& dataset) {
  return dataset == "synthetic" || gp::find_dataset(dataset).splits == 1;
}

/// The data of one seed: public splits where the paper uses them, else a random one for each seed; under the name of
/// random_dataset() a random one of the public one's sizes.
gp::dataset<float, std::int32_t> load(const options& o, const std::string& key, std::uint64_t seed) {
  const auto name = gp::public_dataset(key);
  if (name != key) {
    auto data = load(o, name, seed);
    data.split = gp::random_split_like(data.split, data.labels, seed);
    return data;
  }
  if (name == "synthetic") {
    return gp::make_degree_biased<float, std::int32_t>({});
  }
  const auto& entry = gp::find_dataset(name);
  const bool has_splits = entry.splits > 1;
  auto data = gp::load_dataset<float>(
      name, {.root = o.data,
             .normalise = entry.layout == gp::dataset_layout::planetoid,  // the protocol's; others raw
             .split_index = has_splits && o.own_splits ? seed % entry.splits : 0,
             .split_seed = seed,
             .exec = gp::cpu{1},
             .quiet = true});
  if (has_splits && !o.own_splits) {
    data.split = gp::random_split(data.labels, {.seed = seed});
  }
  return data;
}

/// The grids behind the tables and figures that were asked for.
std::vector<gp::experiment_grid> grids_of(const options& o, const gp::tuned_settings& tuned) {
  gp::experiment_grid base;
  base.first_seed = o.seed;
  base.seeds = o.seeds;
  base.datasets = o.datasets.empty() ? base.datasets : o.datasets;
  base.backbones = o.backbones.empty() ? base.backbones : o.backbones;
  base.methods = o.methods.empty() ? base.methods : o.methods;
  base.settings = o.settings.empty() ? std::vector{o.preset} : o.settings;
  std::vector<gp::experiment_grid> grids;
  std::vector<std::string> with_public_split;
  std::ranges::copy_if(base.datasets, std::back_inserter(with_public_split), has_public_split);
  gp::expects(o.splits == 0 || !with_public_split.empty(), "--splits: none of these datasets has a public split; each ",
              "seed has a random one anyway");
  const bool anything_else = !o.tables.empty() || !o.figures.empty();
  if (!anything_else || std::ranges::count_if(o.tables, [](int table) { return table <= 2; }) > 0 ||
      std::ranges::count_if(o.figures, [](const auto& name) { return name == "degree" || name == "patches"; }) > 0) {
    grids.push_back(base);
  }
  if (std::ranges::count(o.tables, 2) > 0 && o.backbones.empty()) {
    grids.back().backbones = {"gcn", "sage", "gat"};
  }
  const bool by_rule = o.settings.empty() && o.preset == "best";  // which has no number of patches
  if (by_rule && std::ranges::count(o.figures, "patches") > 0) {
    grids.back().settings.emplace_back("small");
  }
  if (o.splits > 0 && !grids.empty()) {
    auto random = grids.back();
    random.seeds = o.splits;
    random.datasets.clear();
    for (const auto& dataset : with_public_split) {
      random.datasets.push_back(gp::random_dataset(dataset));
    }
    grids.push_back(random);
  }
  // A setting with one option changed; a change that changes nothing is the setting itself, which is run once.
  const auto vary = [&](const std::string& setting, const std::vector<std::string>& changes) {
    auto grid = base;
    grid.methods = {gp::baseline_name(), gp::patcher_name()};
    grid.settings = {setting};
    const auto config_of = [&](const std::string& name) {
      return gp::parse_setting(name, grid.datasets.front(), grid.backbones.front(), tuned);
    };
    for (const auto& change : changes) {
      if (const auto changed = setting + " " + change; config_of(changed) != config_of(setting)) {
        grid.settings.push_back(changed);
      }
    }
    grids.push_back(grid);
  };
  const std::string varied = by_rule ? "small" : base.settings.front();
  for (const auto& figure : o.figures) {
    if (figure == "sensitivity") {
      vary(varied,
           {"learning-rate=0.001", "learning-rate=0.0005", "learning-rate=0.0001", "learning-rate=0.00005", "hidden=64",
            "hidden=128", "hidden=256", "hidden=1024", "strength=0.1", "strength=0.2", "strength=0.3", "strength=0.4"});
    } else if (figure == "samples") {
      vary(varied + " loss=paper",
           {"samples=1", "samples=2", "samples=5", "samples=10", "samples=20", "estimator=exact"});
    }
  }
  return grids;
}

/// What --tune searches: one dataset and backbone after the other.
std::vector<gp::experiment_grid> searches_of(const options& o, const gp::experiment_grid& all) {
  std::vector<gp::experiment_grid> searches;
  for (const auto& dataset : all.datasets) {
    for (const auto& backbone : all.backbones) {
      auto& grid = searches.emplace_back(all);
      grid.datasets = {dataset};
      grid.backbones = {backbone};
      grid.methods = {gp::patcher_name()};
      grid.settings = o.settings.empty() ? std::vector<std::string>{"small", "spread"} : o.settings;
    }
  }
  return searches;
}

/// The commands that made the results in a folder, one a line. `command` joins them, unless it is empty or among them.
std::string commands_of(const std::filesystem::path& out, const std::string& command) {
  const auto file = out / "commands.txt";
  std::string all;
  bool known = command.empty();
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    known = known || line == command;
    all += line + "\n";
  }
  if (!known) {
    all += command + "\n";
    gp::write_file_atomically(file, all);
  }
  return all.substr(0, all.find_last_not_of('\n') + 1);
}

void write_reports(const options& o, const std::string& command, const std::vector<gp::cell_result>& cells) {
  const gp::report_text about{"GraphPatcher: tables and figures", commands_of(o.out, command)};
  gp::write_experiment_report(o.out, cells, about);
  if (!o.docs.empty()) {
    gp::write_file_atomically(o.docs, gp::experiment_markdown(cells, about));
  }
  std::cout << gp::experiment_text(cells) << "report: " << (std::filesystem::path(o.out) / "report.html").string()
            << '\n';
}

/// The names of one kind, one a line.
int list(const std::string& kind) {
  const auto print = [](const auto& names) {
    for (const auto& name : names) {
      std::cout << name << '\n';
    }
  };
  if (kind == "methods") {
    for (const auto& info : gp::known_methods()) {
      std::cout << info.name << '\n';
    }
  } else if (kind == "datasets") {
    print(gp::experiment_datasets);
  } else if (kind == "backbones") {
    print(gp::experiment_backbones);
  } else {
    print(gp::experiment_presets);
  }
  return EXIT_SUCCESS;
}

/// A report of what is there; another program may still be adding to it.
int report(const options& o) {
  const auto file = std::filesystem::path(o.out) / "results.jsonl";
  std::vector<gp::cell_result> cells;
  for (auto& [key, cell] : gp::read_results(file)) {
    cells.push_back(std::move(cell));
  }
  write_reports(o, "", cells);
  std::cout << cells.size() << " cells, nothing was run; results: " << file.string() << '\n';
  return EXIT_SUCCESS;
}

/// Every setting on every dataset and backbone, before anything is trained: all that is wrong in one error.
void check(const options& o, const std::vector<gp::experiment_grid>& grids, const gp::tuned_settings& tuned) {
  gp::expects(o.seed <= std::numeric_limits<std::uint64_t>::max() - (o.seeds - 1), "seed: expected a first seed of ",
              o.seeds, " that are all below 2^64, got ", o.seed, "; take a smaller --seed or fewer --seeds");
  std::vector<std::string> problems;
  for (const auto& grid : grids) {
    if (std::ranges::none_of(grid.methods, gp::has_settings)) {
      continue;
    }
    for (const auto& dataset : grid.datasets) {
      for (const auto& backbone : grid.backbones) {
        for (const auto& setting : grid.settings) {
          try {
            gp::parse_setting(setting, gp::public_dataset(dataset), backbone, tuned);
          } catch (const gp::argument_error& problem) {
            if (std::ranges::count(problems, problem.what()) == 0) {
              problems.emplace_back(problem.what());
            }
          }
        }
      }
    }
  }
  std::string all;
  for (const auto& problem : problems) {
    all += (all.empty() ? "" : "\n") + problem;
  }
  gp::expects(problems.empty(), all);
}

int experiments(const options& o, const std::string& command) {
  const std::filesystem::path out = o.out;
  std::error_code unknown;
  gp::expects(!out.empty(), "--out: expected a folder, got nothing");
  gp::expects(!std::filesystem::is_directory(o.docs, unknown), "--docs: expected a file, got the folder ", o.docs);
  const auto file = out / "results.jsonl";
  const auto tuned = o.tuned.empty() ? out / "tuned.json" : std::filesystem::path(o.tuned);
  gp::expects(o.resume || !std::filesystem::exists(file, unknown), file.string(),
              ": is there already; go on with --resume, or choose another --out");
  gp::experiment_options running;
  running.backbones = out / "backbones";
  running.jobs = o.jobs;
  running.progress.quiet = o.quiet;
  running.cell.tuned = read_tuned(tuned);
  const auto grids = grids_of(o, running.cell.tuned);
  const auto searches = o.tune ? searches_of(o, grids.front()) : std::vector<gp::experiment_grid>();
  check(o, o.tune ? searches : grids, running.cell.tuned);
  const gp::folder_lock alone(out);
  gp::results_file results(file);
  gp::experiment_outcome outcome;
  const auto run = [&](const std::vector<gp::experiment_grid>& planned) {
    auto now = gp::run_experiment(
        gp::plan_experiment(planned), results,
        [&](const std::string& name, std::uint64_t seed) { return load(o, name, seed); }, running);
    outcome.run += now.run;
    outcome.known += now.known;
    for (const auto& failure : now.failures) {
      std::cerr << "failed: " << failure << '\n';
      outcome.failures.push_back(failure);
    }
  };
  try {
    for (const auto& grid : searches) {
      running.cell.tuned[grid.datasets[0] + "-" + grid.backbones[0]] =
          tune(results, grid, [&](const gp::experiment_grid& settings) { run({settings}); });
      write_tuned(tuned, running.cell.tuned);
    }
    if (!o.tune) {
      run(grids);
    }
  } catch (const gp::interrupted_error& stop) {
    std::cerr << stop.what() << "; " << results.cells().size() << " finished cells are in " << file.string()
              << "; go on with --resume\n";
    return 130;
  }
  write_reports(o, command, results.cells());
  std::cout << outcome.run << " cells run, " << outcome.known << " were there; results: " << file.string() << '\n';
  return outcome.failures.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  return gp::run_program("experiments", [&] {
    options o;
    CLI::App app("Runs the paper's experiments: with and without patches, beside controls, over seeds.");
    add_options(app, o);
    CLI11_PARSE(app, argc, argv);
    std::string command = "experiments";
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--resume" || word == "--quiet") {
        continue;  // changes nothing that comes out
      }
      command += word.find(' ') == std::string::npos ? " " + word : " '" + word + "'";
    }
    return !o.list.empty() ? list(o.list) : o.report_only ? report(o) : experiments(o, command);
  });
}
