// SPDX-License-Identifier: MIT
#include "io/pickle.hpp"

#include <cstddef>
#include <vector>

#include "fuzz/support/invariants.hpp"
#include "fuzz/targets/targets.hpp"
#include "io/pickle_numpy.hpp"
#include "io/planetoid_files.hpp"

namespace gp_fuzz {

namespace {

void read_labels(const graphpatcher::pickle_document& file) {
  const auto one_hot = graphpatcher::array_in<std::int32_t>(file, file.root(), 2);
  require(one_hot.size * sizeof(std::int32_t) <= file.bytes().size(), "an array within the file");
  if (one_hot.shape[1] == 0) {
    return;  // read_planetoid_nodes() refuses it
  }
  const auto labels = graphpatcher::one_hot_labels<std::int32_t>(file, one_hot);
  require(labels.size() == one_hot.shape[0], "a label for each row");
  for (const auto label : labels) {
    require(label >= 0 && static_cast<std::size_t>(label) < one_hot.shape[1], "labels in range");
  }
}

void read_links(const graphpatcher::pickle_document& file) {
  const auto links = graphpatcher::links_in<std::int32_t>(file);
  require(links.nodes <= file.bytes().size() && links.edges.size() <= file.bytes().size(),
          "a graph no larger than the file");
  require_sound(graphpatcher::build_graph<std::int32_t>(links.nodes, links.edges));
}

}  // namespace

/// A pickle, and the features, classes or neighbours in it.
void pickle(bytes input) {
  const auto file = graphpatcher::decode_pickle("input", std::vector<std::uint8_t>(input.begin(), input.end()));
  if (file.root().kind == graphpatcher::pickle_kind::array) {
    read_labels(file);
  } else if (file.root().kind == graphpatcher::pickle_kind::dict) {
    read_links(file);
  } else {
    require_sound(graphpatcher::csr_in<float, std::int32_t>(file));
  }
}

}  // namespace gp_fuzz
