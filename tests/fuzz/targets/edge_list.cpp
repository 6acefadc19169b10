// SPDX-License-Identifier: MIT
#include "io/edge_list.hpp"

#include <cstddef>
#include <string>

#include "fuzz/support/invariants.hpp"
#include "fuzz/support/scratch_file.hpp"
#include "fuzz/targets/targets.hpp"
#include "io/text_graph.hpp"

namespace gp_fuzz {

namespace {

constexpr std::size_t nodes = 6;

graphpatcher::csr_graph<std::int32_t> graph_in(const std::string& text) {
  static const scratch_file plain("input.csv");
  static const scratch_file market("input.mtx");
  const auto& file = text.starts_with("%") ? market : plain;
  const graphpatcher::edge_list edges(file.holding(text), {.text = {.exec = {.threads = 1}, .quiet = true}});
  return graphpatcher::read_graph<std::int32_t>(edges, nodes);
}

}  // namespace

/// A graph of six nodes. Other line ends and a newline at the end change nothing.
void edge_list(bytes input) {
  const std::string text(input.begin(), input.end());
  const auto graph = graph_in(text);
  require(graph.nodes() == nodes, "as many nodes as were asked for");
  require_sound(graph);
  if (text.find('\r') == std::string::npos) {
    require(same(graph_in(with_crlf(text)), graph), "the same graph with \\r\\n");
  }
  require(same(graph_in(text + "\n"), graph), "the same graph with a newline at the end");
}

}  // namespace gp_fuzz
