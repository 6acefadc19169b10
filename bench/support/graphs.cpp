// SPDX-License-Identifier: MIT
#include "graphs.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/normalise.hpp"
#include "graphpatcher/graph/rmat.hpp"
#include "graphpatcher/io/npz.hpp"
#include "graphpatcher/io/planetoid.hpp"
#include "io/edge_list.hpp"
#include "io/text_column.hpp"
#include "io/text_graph.hpp"
#include "io/text_table.hpp"

namespace bench {

namespace {

namespace fs = std::filesystem;

void expects_file(const fs::path& file) {
  std::error_code failure;
  if (!fs::exists(file, failure)) {
    throw missing_data{"no data (" + file.string() + ")"};
  }
}

/// The layout of shchur/gnn-benchmark: adj_* and attr_* are matrices in compressed rows.
gp::dataset<float, index> load_coauthor(const fs::path& file) {
  expects_file(file);
  const gp::npz_archive archive(file);
  const auto offsets = archive.read<index>("adj_indptr").values;
  const auto columns = archive.read<index>("adj_indices").values;
  std::vector<gp::edge<index>> edges;
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
    for (index e = offsets[v]; e < offsets[v + 1]; ++e) {
      edges.push_back({columns[static_cast<std::size_t>(e)], static_cast<index>(v)});
    }
  }
  const auto shape = archive.read<std::int64_t>("attr_shape").values;
  gp::dataset<float, index> data;
  data.name = "coauthor-cs";
  data.graph = gp::build_graph<index>(offsets.size() - 1, edges);
  data.features = gp::normalise_rows(gp::sparse_matrix<float, index>(
      static_cast<std::size_t>(shape.at(0)), static_cast<std::size_t>(shape.at(1)),
      archive.read<index>("attr_indptr").values, archive.read<index>("attr_indices").values,
      archive.read<float>("attr_data").values));
  for (const std::int64_t label : archive.read<std::int64_t>("labels").values) {
    data.labels.push_back(static_cast<index>(label));
  }
  data.classes = 1 + static_cast<std::size_t>(*std::max_element(data.labels.begin(), data.labels.end()));
  data.split.test.resize(data.nodes());
  std::iota(data.split.test.begin(), data.split.test.end(), 0);
  return data;
}

/// Class means and noise, both uniform in [-1, 1): no number is 0.
gp::matrix<float> made_features(const std::vector<index>& labels, std::size_t classes) {
  constexpr std::size_t width = 128;
  const auto means = random_matrix(classes, width, 11);
  auto features = random_matrix(labels.size(), width, 12);
  for (std::size_t v = 0; v < labels.size(); ++v) {
    const auto mean = means.row(static_cast<std::size_t>(labels[v]));
    const auto row = features.row(v);
    for (std::size_t c = 0; c < width; ++c) {
      row[c] = 0.5f * mean[c] + row[c];
    }
  }
  return features;
}

gp::dataset<float, index> load_arxiv(const fs::path& folder, bool sparse) {
  expects_file(folder / "raw" / "edge.csv.gz");
  constexpr std::size_t nodes = 169343, patched = 1000;
  const auto column = [&](const char* file) {
    gp::text_source source(folder / file, {.quiet = true});
    return gp::read_text_column<index>(source, "a number", 0, nodes, gp::text_header::absent);
  };
  gp::dataset<float, index> data;
  data.name = sparse ? "ogbn-arxiv-sparse" : "ogbn-arxiv";
  data.graph = gp::read_graph<index>(
      gp::edge_list(folder / "raw" / "edge.csv.gz", {.header = gp::text_header::absent, .text = {.quiet = true}}),
      nodes);
  data.labels = column("raw/node-label.csv.gz");
  data.classes = 1 + static_cast<std::size_t>(*std::max_element(data.labels.begin(), data.labels.end()));
  auto features = made_features(data.labels, data.classes);
  if (sparse) {
    data.features = gp::sparse_from_dense<index>(features.view());
  } else {
    data.features = std::move(features);
  }
  data.split.train = column("split/time/train.csv.gz");
  data.split.validation = column("split/time/valid.csv.gz");
  const auto test = column("split/time/test.csv.gz");
  for (std::size_t i = 0; i < patched; ++i) {
    data.split.test.push_back(test[i * test.size() / patched]);
  }
  return data;
}

}  // namespace

gp::dataset<float, index> load(const std::string& name, const run_options& options) {
  const fs::path root = options.data;
  if (name == "coauthor-cs") {
    return load_coauthor(root / "npz" / "ms_academic_cs.npz");
  }
  if (name == "ogbn-arxiv" || name == "ogbn-arxiv-sparse") {
    return load_arxiv(root / "ogbn_arxiv", name == "ogbn-arxiv-sparse");
  }
  expects_file(root / "planetoid" / ("ind." + name + ".x"));
  return gp::load_planetoid<float, index>(root / "planetoid", name);
}

const gp::csr_graph<index>& graph(const std::string& name, const run_options& options) {
  static std::map<std::string, gp::csr_graph<index>> made;
  auto found = made.find(name);
  if (found == made.end()) {
    const bool synthetic = name == "rmat-1e6";
    found = made.emplace(name, synthetic ? rmat(1'000'000, options.threads) : load(name, options).graph).first;
  }
  return found->second;
}

gp::csr_graph<index> rmat(std::size_t edges, int threads) {
  const auto scale = static_cast<int>(std::bit_width(edges / 16));
  return gp::make_rmat<index>(gp::cpu{threads}, {.scale = scale, .edges = edges});
}

gp::message_graph<index> messages_of(const gp::csr_graph<index>& graph) {
  gp::message_graph<index> result;
  result.offsets.assign(graph.offsets().begin(), graph.offsets().end());
  result.sources.assign(graph.neighbors().begin(), graph.neighbors().end());
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    result.in_degree.push_back(static_cast<index>(graph.degree(v)));
    result.out_degree.push_back(static_cast<index>(graph.out_degree(v)));
  }
  result.within = {static_cast<index>(graph.nodes())};
  result.global_ids.resize(graph.nodes());
  std::iota(result.global_ids.begin(), result.global_ids.end(), 0);
  return result;
}

gp::matrix<float> random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  const gp::random_stream random(seed, gp::purpose::generator);
  gp::matrix<float> result(rows, cols);
  const auto values = result.values();
  for (std::size_t i = 0; i < values.size(); i += 4) {
    const auto words = random.bits(i / 4);
    for (std::size_t w = 0; w < 4 && i + w < values.size(); ++w) {
      values[i + w] = static_cast<float>(static_cast<double>(words[w]) * 0x1.0p-31 - 1.0);
    }
  }
  return result;
}

std::vector<index> anchors_of(const gp::csr_graph<index>& graph, std::size_t count) {
  std::vector<index> connected;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    if (graph.degree(v) > 0) {
      connected.push_back(static_cast<index>(v));
    }
  }
  count = std::min(count, connected.size());
  std::vector<index> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    chosen.push_back(connected[i * connected.size() / count]);
  }
  return chosen;
}

}  // namespace bench
