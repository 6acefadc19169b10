// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "graphpatcher/graphpatcher.hpp"

namespace gp = graphpatcher;

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
};

inline void add_data_options(CLI::App& app, data_options& o) {
  std::vector<std::string> names{"synthetic"};
  names.insert(names.end(), gp::dataset_names.begin(), gp::dataset_names.end());
  auto* const dataset = app.add_option("--dataset", o.dataset, "what to run on")->check(CLI::IsMember(names));
  dataset->type_name("NAME");
  app.add_option("--data", o.data, "folder with the dataset's files (docs/datasets.md)");
  app.add_option("--split", o.split, "which of the splits that come with the dataset");
  app.add_option("--split-seed", o.split_seed, "of the random split of a dataset that comes with none");

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
  app.add_option("--first-id", o.first_id, "what the files call the first node: 0 or 1")->needs(edges);
  const std::map<std::string, gp::text_header> headers{{"automatic", gp::text_header::automatic},
                                                       {"present", gp::text_header::present},
                                                       {"absent", gp::text_header::absent}};
  app.add_option("--header", o.header, "whether the first line of the files names columns: automatic, present, absent")
      ->transform(CLI::CheckedTransformer(headers, CLI::ignore_case).description(""))
      ->type_name("NAME")
      ->default_str("automatic")
      ->needs(edges);
  const std::map<std::string, gp::text_ids> ids{
      {"automatic", gp::text_ids::automatic}, {"present", gp::text_ids::present}, {"absent", gp::text_ids::absent}};
  app.add_option("--ids", o.ids, "whether features begin with the node's id: automatic, present, absent")
      ->transform(CLI::CheckedTransformer(ids, CLI::ignore_case).description(""))
      ->type_name("NAME")
      ->default_str("automatic")
      ->needs(edges);
  app.add_flag("--normalise", o.normalise, "make the features of a node sum to 1")->needs(edges);
}

inline gp::dataset<float, std::int32_t> load_data(data_options& o, const gp::cpu& exec, bool quiet) {
  if (!o.edges.empty()) {
    o.dataset = o.edges;
    gp::graph_files_summary found;
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
    if (!quiet) {
      std::cerr << o.edges << ": " << found.line() << '\n';
    }
    return data;
  }
  if (o.dataset == "synthetic") {
    return gp::make_degree_biased<float, std::int32_t>({});
  }
  return gp::load_dataset<float>(
      o.dataset, {.root = o.data, .split_index = o.split, .split_seed = o.split_seed, .exec = exec, .quiet = quiet});
}
