// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/results/names.hpp"
#include "experiments/run/settings.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/eval/table.hpp"
#include "graphpatcher/io/dataset_catalog.hpp"
#include "support/command_line.hpp"

/// The command line. Empty lists mean: what the tables and figures ask for.
struct options {
  std::vector<int> tables;
  std::vector<std::string> figures;
  std::string list;
  std::vector<std::string> datasets, backbones, methods, settings;
  std::string preset = "best";
  std::uint64_t seed = 1;
  std::size_t seeds = 10;
  std::size_t splits = 0;
  std::string data = "data";
  std::string out = "experiments";
  std::string tuned;
  std::string docs;
  bool own_splits = false;
  bool resume = false;
  bool report_only = false;
  bool tune = false;
  bool quiet = false;
  int jobs = gp::hardware_threads();
};

inline void add_options(CLI::App& app, options& o) {
  app.get_formatter()->column_width(34);
  app.option_defaults()->always_capture_default();

  app.option_defaults()->group("What to run");
  app.add_option("--table", o.tables, "tables of the paper")->delimiter(',')->check(CLI::Range(1, 4));
  app.add_option("--figure", o.figures, "figures: degree, patches, sensitivity, samples")
      ->delimiter(',')
      ->check(one_of({"degree", "patches", "sensitivity", "samples"}));
  const auto known = [](const auto& names) { return one_of(std::vector<std::string>(names.begin(), names.end())); };
  std::vector<std::string> datasets(gp::dataset_names.begin(), gp::dataset_names.end());
  datasets.emplace_back("synthetic");
  app.add_option("--datasets", o.datasets, "default: the seven that are filled")
      ->delimiter(',')
      ->check(one_of(datasets));
  app.add_option("--backbones", o.backbones, "default: those of the table, else gcn")
      ->delimiter(',')
      ->check(known(gp::experiment_backbones));
  std::string explained = "Methods, one or several joined by + in the order in which they act:\n";
  for (const auto& info : gp::known_methods()) {
    explained += gp::text("  ", gp::padded_text(std::string(info.name), 32), info.help, "\n");
  }
  app.add_option("--methods", o.methods, "see below; default: all that train no backbone of their own")
      ->delimiter(',')
      ->check(known_to([](const std::string& name) { gp::find_method(name); }));
  app.add_option("--preset", o.preset,
                 "settings of GraphPatcher; best: by the rule that weighs all answers (docs/rule.md)")
      ->check(known(gp::experiment_presets));
  app.add_option("--setting", o.settings, "instead: a preset and changes, such as 'released hidden=128'; repeatable")
      ->take_all();
  add_option(app, {"seeds", "number of seeds", gp::within(1, 1000)}, o.seeds);
  add_option(app, {"seed", "the first of them"}, o.seed);
  add_option(app,
             {"splits",
              "random splits beside the public one, of its sizes, from the first seed on, as datasets of their own: "
              "cora-random",
              gp::within(0, 1000)},
             o.splits);
  app.add_flag("--tune", o.tune,
               "search loss, learning rate, hidden and strength by validation, from the --settings on (small and "
               "spread); writes OUT/tuned.json");

  app.add_option("--list", o.list, "run nothing, print the names of these, one a line")
      ->check(one_of({"methods", "datasets", "backbones", "settings"}));

  app.option_defaults()->group("Where");
  app.add_option("--data", o.data, "folder with the datasets' files (docs/datasets.md)");
  app.add_flag("--own-splits", o.own_splits, "the splits that come with Chameleon, Actor, ... instead of random ones");
  app.add_option("--out", o.out, "folder for results.jsonl, backbones, summary.json and the report");
  app.add_option("--tuned", o.tuned, "what --preset tuned stands for; default OUT/tuned.json");

  app.option_defaults()->group("How");
  app.add_flag("--resume", o.resume, "go on with the results in OUT: finished cells are not run again");
  app.add_option("--docs", o.docs, "also write the results as Markdown to this file");
  app.add_flag("--report-only", o.report_only, "run nothing, make the report of what is in OUT");
  add_option(app, {"jobs", "backbones at once, a thread each; changes no result", gp::within(1, 4096)}, o.jobs);
  app.add_flag("--quiet", o.quiet, "no progress display");

  app.footer(explained + "\n" + gp::settings_help());
}
