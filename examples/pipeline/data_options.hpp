// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "graphpatcher/graphpatcher.hpp"
#include "support/command_line.hpp"

/// What the pipeline runs on: the embedded dataset, a public one by its name, or files of the user's own.
struct data_options {
  std::string dataset = "synthetic";
  std::string data = "data";
  std::size_t split = 0;
  std::uint64_t split_seed = 0;
  std::string edges, features, labels;
  std::string train, validation, test;
  std::int64_t first_id = 0;
  gp::text_header header = gp::text_header::automatic;
  gp::text_ids ids = gp::text_ids::automatic;
  bool normalise = false;

  /// What records call it.
  const std::string& name() const { return edges.empty() ? dataset : edges; }
};

inline void add_data_options(CLI::App& app, data_options& o) {
  std::vector<std::string> names{"synthetic"};
  names.insert(names.end(), gp::dataset_names.begin(), gp::dataset_names.end());
  auto* const dataset = app.add_option("--dataset", o.dataset, "what to run on")->check(one_of(names));
  dataset->type_name("NAME");
  app.add_option("--data", o.data, "folder with the dataset's files (docs/datasets.md)");
  add_option(app, {"split", "which of the splits that come with the dataset"}, o.split);
  add_option(app, {"split_seed", "of the random split of a dataset that comes with none"}, o.split_seed);

  app.option_defaults()->group("A graph of your own");
  auto* const edges = app.add_option("--edges", o.edges, "edge list: csv, tsv or mtx, also .gz")->excludes(dataset);
  auto* const features = app.add_option("--features", o.features, "a row a node: csv, tsv or npy")->needs(edges);
  auto* const labels = app.add_option("--labels", o.labels, "a class a node, -1 = unknown: csv or npy")->needs(edges);
  edges->needs(features)->needs(labels);
  auto* const train = app.add_option("--train", o.train, "ids of training nodes; without, the split is random");
  auto* const validation = app.add_option("--validation", o.validation, "ids of validation nodes");
  auto* const test = app.add_option("--test", o.test, "ids of test nodes");
  train->needs(edges)->needs(validation)->needs(test);
  validation->needs(train);
  test->needs(train);
  add_option(app, {"first_id", "what the files call the first node", gp::within(0, 1)}, o.first_id)->needs(edges);
  add_option(app, {"header", "whether the first line of the files names columns"}, o.header)->needs(edges);
  add_option(app, {"ids", "whether features begin with the node's id"}, o.ids)->needs(edges);
  app.add_flag("--normalise", o.normalise, "make the features of a node sum to 1")->needs(edges);
}

using dataset = gp::dataset<float, std::int32_t>;

/// Reads the data and says what was found: a header taken for data or a lost direction are seen here.
inline dataset load_data(const data_options& o, const gp::cpu& exec, bool quiet) {
  const gp::progress_options shown{.quiet = quiet};
  if (!o.edges.empty()) {
    gp::dataset_summary found;
    auto data = gp::load_graph_files<float>({.edges = o.edges,
                                             .features = o.features,
                                             .labels = o.labels,
                                             .train = o.train,
                                             .validation = o.validation,
                                             .test = o.test,
                                             .split = {.seed = o.split_seed},
                                             .name = o.edges,
                                             .first_id = o.first_id,
                                             .header = o.header,
                                             .ids = o.ids,
                                             .normalise = o.normalise,
                                             .text = {.exec = exec, .quiet = quiet}},
                                            &found);
    gp::show_note(o.edges + ": " + found.line(), shown);
    return data;
  }
  auto data =
      o.dataset == "synthetic"
          ? gp::make_degree_biased<float, std::int32_t>({})
          : gp::load_dataset<float>(
                o.dataset,
                {.root = o.data, .split_index = o.split, .split_seed = o.split_seed, .exec = exec, .quiet = quiet});
  gp::show_note(data.name + ": " + gp::summarise(data).line(), shown);
  return data;
}
