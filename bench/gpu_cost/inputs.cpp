// SPDX-License-Identifier: MIT
#include "inputs.hpp"

#include <algorithm>
#include <utility>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/graph/rmat.hpp"
#include "graphpatcher/io/load_dataset.hpp"

namespace gpu_cost {

namespace {

constexpr gp::cpu host{1};

std::vector<index> evenly_spaced(std::size_t nodes, std::size_t count) {
  count = std::min(count, nodes);
  std::vector<index> ids(count);
  for (std::size_t i = 0; i < count; ++i) {
    ids[i] = static_cast<index>(i * nodes / count);
  }
  return ids;
}

void add_batch(ego_input& input, std::size_t anchors) {
  input.anchors = evenly_spaced(input.graph.nodes(), anchors);
  input.batch = gp::make_ego_batch<index>(host, input.graph, input.anchors);
  input.messages = gp::materialise<index>(host, input.batch);
}

ego_input from_dataset(gp::dataset<float, index> data, std::string name) {
  ego_input input;
  input.name = std::move(name);
  input.graph = std::move(data.graph);
  input.features = std::move(data.features);
  input.classes = data.classes;
  return input;
}

ego_input embedded() {
  return from_dataset(gp::make_degree_biased<float, index>(), "embedded");
}

/// Of about Pubmed's size, with a hub among the anchors (node 0). Sparser and flatter than Graph500's graphs, so that
/// ego-graphs stay small.
ego_input rmat() {
  ego_input input;
  input.name = "rmat";
  input.graph = gp::make_rmat<index>(host, {.scale = 14, .edges = 11000, .a = 0.48, .b = 0.22, .c = 0.22, .d = 0.08});
  input.classes = 3;
  return input;
}

bool has_files(const std::filesystem::path& root, const std::string& name) {
  const std::string file = "ind." + name + ".x";
  return std::filesystem::exists(root / file) || std::filesystem::exists(root / "planetoid" / file);
}

/// The dataset if its files are there, else what stands in for it.
ego_input dataset_or(const std::string& name, const input_options& options, ego_input (*stand_in)(),
                     std::vector<std::string>& messages) {
  if (options.data && has_files(*options.data, name)) {
    return from_dataset(gp::load_dataset<float, index>(name, {.root = *options.data}), name);
  }
  ego_input input = stand_in();
  messages.push_back(name + ": skipped: no data" + (options.data ? " in " + options.data->string() : "") + "; " +
                     input.name + " stands in");
  return input;
}

}  // namespace

standard_inputs make_inputs(const input_options& options) {
  gp::expects(options.anchors >= 1, "gpu_cost: expected at least 1 anchor, got 0");
  standard_inputs inputs;
  inputs.graphs.push_back(dataset_or("cora", options, embedded, inputs.messages));
  inputs.graphs.push_back(dataset_or("pubmed", options, rmat, inputs.messages));
  for (ego_input& each : inputs.graphs) {
    add_batch(each, options.anchors);
  }
  return inputs;
}

}  // namespace gpu_cost
