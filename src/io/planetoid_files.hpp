// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "io/byte_reader.hpp"
#include "io/mapped_file.hpp"
#include "io/pickle.hpp"
#include "io/pickle_numpy.hpp"

namespace graphpatcher {

/// Where one of the eight files of a Planetoid set is: ind.NAME.PART.
inline std::filesystem::path planetoid_path(const std::filesystem::path& directory, const std::string& name,
                                            const char* part) {
  return directory / ("ind." + name + "." + part);
}

/// What to tell a reader who has not got the files.
inline std::string planetoid_hint(const std::string& name) {
  return "the files ind." + name + ".{x,y,tx,ty,allx,ally,graph,test.index} come from " +
         "https://github.com/kimiyoung/planetoid, folder data: put all eight into one folder";
}

/// Features and classes of the same nodes: (x, y), (tx, ty) or (allx, ally).
template <class T, class I>
struct planetoid_nodes {
  std::string path;  ///< of the features, for messages
  sparse_matrix<T, I> features;
  std::vector<I> labels;
  std::size_t classes = 0;
};

/// The class of each row of a one-hot matrix.
template <class I>
std::vector<I> one_hot_labels(const pickle_document& file, const pickle_array<std::int32_t>& rows) {
  const std::size_t classes = rows.shape[1];
  std::vector<I> labels(rows.shape[0], -1);
  for (std::size_t i = 0; i < rows.size; ++i) {
    auto& label = labels[i / classes];
    if (rows[i] != 0 && (rows[i] != 1 || label != -1)) {
      file.fail(rows.offset_of(i), text("expected one 1 and zeros in row ", i / classes, ", got ", rows[i]));
    }
    label = rows[i] == 1 ? static_cast<I>(i % classes) : label;
  }
  for (std::size_t r = 0; r < labels.size(); ++r) {
    if (labels[r] == -1) {
      file.fail(rows.offset_of(r * classes), text("expected a class in row ", r, ", got only zeros"));
    }
  }
  return labels;
}

template <class T, class I>
planetoid_nodes<T, I> read_planetoid_nodes(const std::filesystem::path& directory, const std::string& name,
                                           const char* features_part, const char* labels_part) {
  const auto features_path = planetoid_path(directory, name, features_part);
  planetoid_nodes<T, I> nodes;
  nodes.path = features_path.string();
  nodes.features = csr_in<T, I>(read_pickle(features_path, planetoid_hint(name)));
  const auto labels_file = read_pickle(planetoid_path(directory, name, labels_part), planetoid_hint(name));
  const auto one_hot = array_in<std::int32_t>(labels_file, labels_file.root(), 2);
  if (one_hot.shape[0] != nodes.features.rows() || one_hot.shape[1] == 0) {
    labels_file.fail(one_hot.offset, text("expected classes of the ", nodes.features.rows(), " rows of ", nodes.path,
                                          ", got ", one_hot.shape[0], " x ", one_hot.shape[1]));
  }
  nodes.labels = one_hot_labels<I>(labels_file, one_hot);
  nodes.classes = one_hot.shape[1];
  return nodes;
}

/// A dict of lists: the neighbours of every node. As many nodes as keys; edges
/// as they are listed, with all repetitions and loops.
template <class I>
struct planetoid_links {
  std::size_t nodes = 0;
  std::vector<edge<I>> edges;
};

template <class I>
planetoid_links<I> links_in(const pickle_document& file) {
  const auto& dict = file.items(file.root(), pickle_kind::dict, "the file's content");
  planetoid_links<I> links;
  links.nodes = dict.size() / 2;
  if (links.nodes == 0) {
    file.fail(file.root().offset, "expected the neighbours of at least one node, got none");
  }
  const auto node_in = [&](const pickle_value& value) {
    const std::size_t id = file.count(value, "a node's id");
    if (id >= links.nodes) {
      file.fail(value.offset, text("expected a node's id below ", links.nodes, ", the number of nodes, got ", id));
    }
    return static_cast<I>(id);
  };
  std::vector<bool> seen(links.nodes, false);
  for (std::size_t i = 0; i < dict.size(); i += 2) {
    const I node = node_in(dict[i]);
    if (seen[static_cast<std::size_t>(node)]) {
      file.fail(dict[i].offset, text("expected each node once, got node ", node, " again"));
    }
    seen[static_cast<std::size_t>(node)] = true;
    const auto& neighbors = file.items(dict[i + 1], pickle_kind::list, "a node's neighbours");
    // A list may be shared: without this, a small file could ask for a huge graph.
    if (links.edges.size() + neighbors.size() > file.bytes().size()) {
      file.fail(dict[i + 1].offset, "expected fewer neighbours than the file has bytes");
    }
    for (const auto& neighbor : neighbors) {
      links.edges.push_back({node_in(neighbor), node});
    }
  }
  return links;
}

/// The lines of test.index: the node of each row of tx, all in [begin, end),
/// none twice.
template <class I>
std::vector<I> read_test_index(const std::filesystem::path& directory, const std::string& name, std::size_t begin,
                               std::size_t end, std::size_t count) {
  const auto path = planetoid_path(directory, name, "test.index");
  const auto bytes = read_file(path, planetoid_hint(name));
  byte_reader reader(path.string(), bytes);
  std::vector<bool> seen(end - begin, false);
  std::vector<I> nodes;
  while (reader.remaining() > 0) {
    const auto at = reader.position();
    const auto line = reader.line(32, "a node's id");
    std::size_t id = 0;
    const auto [stop, failure] = std::from_chars(line.data(), line.data() + line.size(), id);
    if (failure != std::errc{} || stop != line.data() + line.size() || id < begin || id >= end || seen[id - begin]) {
      reader.fail(at, text("expected a node's id in [", begin, ", ", end, ") that is not there yet"));
    }
    seen[id - begin] = true;
    nodes.push_back(static_cast<I>(id));
  }
  if (nodes.size() != count) {
    reader.fail(reader.position(), text("expected ", count, " test nodes, the rows of tx, got ", nodes.size()));
  }
  return nodes;
}

}  // namespace graphpatcher
