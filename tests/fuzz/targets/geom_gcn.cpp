// SPDX-License-Identifier: MIT
#include <cstddef>
#include <string>

#include "fuzz/support/invariants.hpp"
#include "fuzz/support/scratch_file.hpp"
#include "fuzz/targets/targets.hpp"
#include "io/geom_gcn_nodes.hpp"

namespace gp_fuzz {

namespace {

graphpatcher::geom_gcn_nodes<float, std::int32_t> nodes_in(const std::string& text) {
  static const scratch_file file("out1_node_feature_label.txt");
  graphpatcher::text_source source(file.holding(text), {.exec = {.threads = 1}, .quiet = true});
  return graphpatcher::read_geom_gcn_nodes<float, std::int32_t>(source);
}

}  // namespace

void geom_gcn(bytes input) {
  const std::string text(input.begin(), input.end());
  const auto nodes = nodes_in(text);
  require_sound(nodes.features);
  require(nodes.labels.size() == nodes.features.rows() && !nodes.labels.empty(), "a class for every node");
  for (const auto label : nodes.labels) {
    require(label >= -1 && static_cast<std::int64_t>(label) < static_cast<std::int64_t>(nodes.labels.size()),
            "classes in range");
  }
  if (text.find('\r') == std::string::npos) {
    const auto again = nodes_in(with_crlf(text));
    require(same(again.features, nodes.features) && again.labels == nodes.labels, "the same with \\r\\n");
  }
}

}  // namespace gp_fuzz
