// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "data_options.hpp"
#include "graphpatcher/graphpatcher.hpp"

/// The command line. A value of 0 or "auto" means: as the authors used for this dataset.
struct options : data_options {
  std::string backbone = "gcn";
  std::string norm = "auto";
  std::size_t backbone_hidden = 0;
  std::string device = "cpu";
  int threads = gp::hardware_threads();
  std::uint64_t seed = 1;
  std::size_t seeds = 1;
  std::size_t batch = 0;
  gp::patcher_config patcher;
  gp::fit_options fit;
  std::string json;
  std::string report;
  std::string checkpoints;
  bool resume = false;
};

/// An option whose values are the words of a variant.
template <class Choice>
void add_choice(CLI::App& app, const std::string& name, Choice& target, const std::string& help) {
  std::map<std::string, Choice> words;
  for (const auto& [word, value] : gp::words_of<Choice>()) {
    words.emplace(word, value);
  }
  app.add_option(name, target, help)
      ->transform(CLI::CheckedTransformer(words).description(""))
      ->type_name(CLI::detail::generate_map(CLI::detail::smart_deref(words), true))
      ->default_str(std::string(gp::word_of(target)));
}

inline void add_options(CLI::App& app, options& o) {
  auto& p = o.patcher;
  app.get_formatter()->column_width(36);
  app.option_defaults()->always_capture_default();

  app.add_option("--seed", o.seed, "first seed; the same seed gives the same bits for any number of threads");
  app.add_option("--seeds", o.seeds, "number of seeds to run and average over")->check(CLI::PositiveNumber);
  app.add_option("--device", o.device, "where to run")->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--threads", o.threads, "threads of the cpu");
  add_choice(app, "--path", p.path, "how the patcher is computed; auto = fast where it can be taken");

  app.option_defaults()->group("Data");
  add_data_options(app, o);

  app.option_defaults()->group("Backbone");
  app.add_option("--backbone", o.backbone, "the GNN that is trained, frozen and patched")
      ->check(CLI::IsMember({"gcn", "sage", "gat"}));
  app.add_option("--backbone-hidden", o.backbone_hidden, "hidden units (gat: a head); 0 = 64 (gat: 8)");
  app.add_option("--norm", o.norm, "GCN normalisation; auto = symmetric on pubmed, else mean")
      ->check(CLI::IsMember({"auto", "mean", "symmetric"}));
  app.add_option("--epochs", o.fit.max_epochs, "at most this many epochs");
  app.add_option("--epoch-patience", o.fit.patience, "epochs without a better validation accuracy");

  app.option_defaults()->group("Patcher");
  app.add_option("--patches", p.patches, "add 1 .. N patches at test time")->check(CLI::PositiveNumber);
  app.add_option("--hidden", p.hidden, "hidden units");
  app.add_option("--dropout", p.dropout, "dropout");
  app.add_option("--strengths", p.strengths, "corruption strengths, decreasing")
      ->delimiter(',')
      ->default_str("0.9,0.6,0.3");
  app.add_option("--samples", p.samples, "L, corrupted targets a strength");
  add_choice(app, "--loss", p.loss, "paper: KL over classes to each target; released: the authors' code");
  add_choice(app, "--target", p.target,
             "what the last step aims at; spread: what similar nodes and neighbours say too");
  add_choice(app, "--spread-over", p.spread.over, "whom a spread target takes in");
  app.add_option("--similar", p.spread.similar, "nodes with similar features that a spread target takes in");
  app.add_option("--similar-weight", p.spread.weight, "of all of them together; a neighbour has 1");
  app.add_option("--spread-steps", p.spread.steps, "steps of spreading");
  add_choice(app, "--reduction", p.reduction, "how the L targets add up");
  add_choice(app, "--degree", p.degree, "degrees at the rim: of the whole graph or of the ego-graph");
  add_choice(app, "--patch-edge", p.edge, "how a patch is joined");
  add_choice(app, "--estimator", p.estimator, "exact: all masks of anchors of degree <= 3");
  add_choice(app, "--anchors", p.anchors, "nodes to train on: with a neighbour, or labelled for training");
  app.add_option("--epsilon", p.epsilon, "of the KL divergence");
  app.add_flag("--backprop-through-steps", p.backprop_through_steps, "let gradients reach earlier patches");

  app.option_defaults()->group("Training of the patcher");
  app.add_option("--batch", o.batch, "anchors an iteration; 0 = 32 on citeseer, else 64");
  app.add_option("--accumulate", p.accumulate, "batches a step");
  app.add_option("--lr", p.learning_rate, "learning rate of AdamW");
  app.add_option("--weight-decay", p.weight_decay, "weight decay of AdamW");
  app.add_option("--max-iterations", p.max_iterations, "at most this many iterations");
  add_choice(app, "--stop", p.stop, "what decides the best weights");
  app.add_option("--warmup", p.warmup, "iterations before the first evaluation");
  app.add_option("--evaluate-every", p.evaluate_every, "iterations between evaluations");
  app.add_option("--patience", p.patience, "evaluations without improvement");

  app.option_defaults()->group("Output");
  app.add_option("--json", o.json, "write the results here, after every seed");
  app.add_option("--report", o.report, "write an HTML report here");
  app.add_option("--checkpoint-dir", o.checkpoints,
                 "keep backbone, patcher and unfinished training of every seed here");
  app.add_flag("--resume", o.resume, "go on with what --json and --checkpoint-dir already have");
  app.add_flag("--quiet", p.quiet, "no progress display");
}
