// SPDX-License-Identifier: MIT
// Does what a job file says, for test_exchange.py: reads a graph and the weights
// of a PyTorch module, writes logits, the weights again, and the patched graph.
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/io/npz.hpp"
#include "graphpatcher/io/patched_graph.hpp"
#include "graphpatcher/io/torch_names.hpp"
#include "graphpatcher/patcher/config_words.hpp"
#include "graphpatcher/patcher/patching.hpp"

namespace gp = graphpatcher;
using number = double;
using node_id = std::int32_t;
using dataset = gp::dataset<number, node_id>;

namespace {

dataset read_graph(const std::string& path, std::size_t classes) {
  const gp::npz_archive file(path);
  const auto x = file.read<number>("x");
  const auto pairs = file.read<std::int64_t>("edge_index");
  const std::size_t count = pairs.shape.at(1);
  std::vector<gp::edge<node_id>> edges;
  for (std::size_t e = 0; e < count; ++e) {
    edges.push_back({static_cast<node_id>(pairs.values[e]), static_cast<node_id>(pairs.values[count + e])});
  }
  dataset data;
  data.name = path;
  data.graph = gp::build_graph<node_id>(x.shape.at(0), edges);
  data.features =
      gp::sparse_from_dense<node_id>(gp::matrix_view<const number>(x.values.data(), x.shape.at(0), x.shape.at(1)));
  data.labels.assign(data.nodes(), 0);
  data.classes = classes;
  data.split = {{0}, {1}, {}};
  return data;
}

void write_matrices(const std::string& path, const std::vector<std::pair<std::string, gp::matrix<number>>>& all) {
  gp::npz_writer file;
  for (const auto& [name, value] : all) {
    file.add<number>(name, std::vector<std::size_t>{value.rows(), value.cols()}, value.values());
  }
  file.write(path);
}

/// Patches the anchors of the graph file and writes the graph with its virtual nodes.
template <class Model>
void patch(const nlohmann::json& job, const dataset& data, const Model& model) {
  gp::patch_generator<number> generator({.features = data.features.cols(), .hidden = job.at("hidden")});
  const auto names = gp::released_names(generator);
  gp::assign_parameters(generator, gp::read_state_dict<number>(job.at("weights").get<std::string>()), names);
  gp::write_state_dict(job.at("export").get<std::string>(), gp::export_parameters(generator, names));
  const std::vector<node_id> anchors = job.at("anchors");
  gp::patching_options options{.patches = job.at("patches"), .keep_features = true};
  gp::patched_graph_options out;
  for (const auto& [word, edge] : gp::words_of<gp::patch_edge>()) {
    if (job.at("edge") == word) {
      options.edge = out.edge = edge;
    }
  }
  const auto patched = gp::patch_nodes(gp::cpu{}, data.graph, data.features, model, generator, anchors, options);
  gp::write_patched_graph(job.at("npz").get<std::string>(), data, anchors, patched.features, out);
  gp::write_patched_graph(job.at("csv").get<std::string>(), data, anchors, patched.features, out);
  write_matrices(job.at("logits"), {{"before", patched.logits.front()},
                                    {"after", patched.logits.back()},
                                    {"first_patch", patched.features.front()}});
}

template <class Config>
void run(const nlohmann::json& job, const Config& config) {
  const std::size_t classes = job.at("classes");
  const auto data = read_graph(job.at("graph"), classes);
  typename Config::template model_type<number> model(config, data.features.cols(), classes);
  const gp::layer_names layers = job.value("layers", gp::layer_names{});
  const auto names = job.at("names") == "pyg" ? gp::pyg_names(model, layers) : gp::dgl_names(model, layers);
  gp::assign_parameters(model, gp::read_state_dict<number>(job.at("weights").get<std::string>()), names);
  gp::write_state_dict(job.at("export").get<std::string>(), gp::export_parameters(model, names));
  write_matrices(job.at("logits"), {{"logits", gp::predict(gp::cpu{}, model, data.graph, data.features)}});
  if (job.contains("patcher")) {
    patch(job.at("patcher"), data, model);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    gp::expects(argc == 2, "expected one argument, a job file");
    std::ifstream file(argv[1]);
    const auto job = nlohmann::json::parse(file);
    const std::string kind = job.at("model");
    const std::size_t hidden = job.at("hidden");
    if (kind == "gcn") {
      run(job,
          gp::gcn_config{.hidden = hidden,
                         .norm = job.at("norm") == "right" ? gp::normalisation::mean : gp::normalisation::symmetric});
    } else if (kind == "sage") {
      run(job, gp::sage_config{.hidden = hidden,
                               .aggregator = job.at("aggregator") == "mean" ? gp::sage_aggregator::mean
                                                                            : gp::sage_aggregator::pool});
    } else {
      run(job, gp::gat_config{.hidden = hidden, .heads = job.at("heads"), .output_heads = job.at("output_heads")});
    }
  } catch (const std::exception& problem) {
    std::cerr << "exchange: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
}
