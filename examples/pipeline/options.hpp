// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data_options.hpp"
#include "graphpatcher/graphpatcher.hpp"

/// The command line.
struct options : data_options {
  std::string method = "graphpatcher";
  gp::patch_rule rule = gp::patch_rule::weighted;
  std::string backbone = "gcn";
  std::map<std::string, std::string> backbone_changes;  ///< of its config, as typed: backbone_hidden -> 32
  std::string device = "cpu";
  int threads = gp::hardware_threads();
  std::uint64_t seed = 1;
  std::size_t seeds = 1;
  gp::patcher_config patcher;
  gp::fit_options fit;
  std::string json;
  std::string report;
  std::string checkpoints;
  bool resume = false;
  bool overwrite = false;
};

/// Whether the method is patches of a network for the backbone as it is, so that its trainings are what is kept.
inline bool is_patcher(const options& o) {
  const auto& method = gp::methods::find(o.method);
  return gp::trains_patches(method) && method.name == o.method;
}

/// The patchers that are trained, without their seed: of the rule weighted two, or one.
inline std::vector<gp::patcher_config> patcher_configs(const options& o) {
  std::vector<gp::patcher_config> list;
  if (o.rule == gp::patch_rule::weighted) {
    for (const auto target : gp::weighted_targets(o.method == "weighted-fast")) {
      list.push_back(o.patcher);
      list.back().target = target;
    }
  } else {
    list.push_back(o.patcher);
  }
  return list;
}

/// Every option of a backbone's config is --backbone-<name>. Which backbone it will be is known when all is read.
template <class Config>
void add_backbone_options(CLI::App& app, options& o, const std::string& backbone) {
  const Config defaults;
  gp::for_each_option(defaults, [&](const gp::option& about, const auto& value) {
    const std::string name(about.name);
    if (name == "seed") {
      return;  // that of the run
    }
    const std::string typed_as = "--" + gp::typed_name("backbone_" + name);
    const std::string own = backbone + ": " + gp::option_text(value) + "]";
    if (auto* const known = app.get_option_no_throw(typed_as)) {
      const std::string type = known->get_type_name();
      known->type_name(type.substr(0, type.size() - 1) + ", " + own);
    } else {
      const auto keep = [&o, name](const std::string& typed) { o.backbone_changes["backbone_" + name] = typed; };
      app.add_option_function<std::string>(typed_as, keep, std::string(about.meaning))
          ->type_name(gp::option_values<decltype(value)>(about) + " [" + own);
    }
  });
}

inline void add_options(CLI::App& app, options& o) {
  app.get_formatter()->column_width(36);
  app.option_defaults()->always_capture_default();

  add_option(app, {"seed", "first seed; the same seed gives the same bits for any number of threads"}, o.seed);
  add_option(app, {"seeds", "number of seeds to run and average over", gp::within(1, 100'000)}, o.seeds);
  app.add_option("--device", o.device, "where to run")->check(one_of({"cpu", "cuda"}));
  add_option(app, {"threads", "threads of the cpu", gp::within(1, 4096)}, o.threads);

  add_option(
      app,
      {"rule",
       "how patches become one answer: all answers weighed on validation nodes, or the backbone where that is no "
       "surer; the number of patches chosen on validation nodes; or --patches of them for every node. The "
       "default holds for graphpatcher; other methods choose on validation nodes"},
      o.rule);
  std::string explained = "Methods, one or several joined by + in the order in which they act:\n";
  for (const auto& info : gp::methods::infos) {
    explained += gp::text("  ", gp::padded_text(std::string(info.name), 34), info.help, "\n");
  }
  app.add_option("--method", o.method, "what is done for nodes of low degree; see below")
      ->check(known_to([](const std::string& name) { gp::methods::find(name); }))
      ->type_name("NAME");
  app.footer(explained);

  app.option_defaults()->group("Data");
  add_data_options(app, o);

  app.option_defaults()->group("Backbone");
  app.add_option("--backbone", o.backbone, "the GNN that is trained, frozen and patched")
      ->check(one_of({"gcn", "sage", "gat"}));
  add_backbone_options<gp::gcn_config>(app, o, "gcn");
  add_backbone_options<gp::sage_config>(app, o, "sage");
  add_backbone_options<gp::gat_config>(app, o, "gat");
  gp::for_each_option(
      o.fit, [&](const gp::option& about, auto& value) { add_option(app, about, value); }, "backbone_");

  app.option_defaults()->group("Patcher");
  gp::for_each_option(o.patcher, [&](const gp::option& about, auto& value) {
    if (about.name != "seed") {
      add_option(app, about, value);
    }
  });

  app.option_defaults()->group("Output");
  app.add_option("--json", o.json, "write the results here, after every seed");
  app.add_option("--report", o.report, "write an HTML report here");
  app.add_option("--checkpoint-dir", o.checkpoints,
                 "keep backbone, patchers and unfinished trainings of every seed here");
  auto* const resume = app.add_flag("--resume", o.resume, "go on with what --json and --checkpoint-dir already have");
  app.add_flag("--overwrite", o.overwrite, "put new results in the place of what they have, once there are new ones")
      ->excludes(resume);

  // Where the authors' settings differ by dataset, they are the default.
  const auto says = [&](const char* name, const char* words) {
    app.get_option(name)->description(app.get_option(name)->get_description() + words);
  };
  says("--backbone-norm", "; symmetric on pubmed");
  says("--batch", "; 32 on citeseer");
}

/// What --rule stands for with this method, and what contradicts it.
inline void take_rule(const CLI::App& app, options& o) {
  const bool given = app.count("--rule") > 0;
  const bool weighs = gp::methods::find(o.method).role == gp::method_role::rule || o.method == "weighted-controls";
  const auto weighted = gp::patch_rule::weighted;
  if (!given && !weighs && o.method != "graphpatcher") {
    o.rule = gp::patch_rule::validated;
  }
  gp::expects(!weighs || o.rule == weighted, "--method ", o.method, " is the rule weighted, got --rule ",
              word_of(o.rule), "; leave one of them out");
  gp::expects(weighs || o.rule != weighted || o.method == "graphpatcher", "--rule weighted weighs the patches of ",
              "graphpatcher, got --method ", o.method, "; leave one of them out, or take --method weighted-controls");
  gp::expects(
      !is_patcher(o) || o.rule != weighted || app.count("--target") == 0, "--target: the rule weighted trains ",
      o.method == "weighted-fast" ? "a patcher of target own" : "two patchers, of target own and of target spread",
      "; leave it out, or take --rule validated");
}

inline void take_authors_defaults(const CLI::App& app, options& o) {
  if (o.dataset == "citeseer" && app.count("--batch") == 0) {
    o.patcher.batch = 32;
  }
  if (o.dataset == "pubmed" && o.backbone == "gcn") {
    o.backbone_changes.try_emplace("backbone_norm", "symmetric");
  }
}

/// What is unknown gets the nearest name, or what it is called now.
inline std::string advice_on(const CLI::App& app, const options& o) {
  gp::option_names names;
  names.add(o.patcher);
  names.add(o.fit, "backbone_");
  names.add("backbone_norm", "norm");
  for (const auto* option : app.get_options()) {
    names.add(gp::option_name(option->get_single_name()));
  }
  std::string all;
  for (const auto& word : app.remaining()) {
    if (word.starts_with("--")) {
      all += "no option is called " + word + "; " + names.advice(word.substr(2, word.find('=') - 2)) + "\n";
    }
  }
  return all;
}
