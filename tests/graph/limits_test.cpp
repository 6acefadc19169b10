// SPDX-License-Identifier: MIT
// What stands exactly at a limit: options that are just accepted, draws that are equal to a threshold.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/graph/drop_edges.hpp"
#include "graphpatcher/graph/ego_batch.hpp"
#include "graphpatcher/graph/rmat.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;

TEST_CASE("corruption: one sample is enough, and is the first of several", "[graph][limits]") {
  const auto graph = gp::build_graph<node_id>(9, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}});
  const auto batch = gp::make_ego_batch({}, graph, std::vector<node_id>{0});
  const auto one = gp::corrupt({}, batch, {.strength = 0.5, .samples = 1, .seed = 3});
  const auto five = gp::corrupt({}, batch, {.strength = 0.5, .samples = 5, .seed = 3});
  CHECK(one.samples == 1);
  CHECK(one.weight(0, 0) == 1);
  CHECK(std::ranges::equal(one.kept(0, 0), five.kept(0, 0)));
}

TEST_CASE("corruption: without a word about it, the draws are those of step 0 of iteration 0", "[graph][limits]") {
  const auto graph = gp::build_graph<node_id>(9, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}});
  const auto batch = gp::make_ego_batch({}, graph, std::vector<node_id>{0});
  const auto first = gp::corrupt({}, batch, {.strength = 0.5, .samples = 8, .iteration = 0, .step = 0});
  CHECK(gp::corrupt({}, batch, {.strength = 0.5, .samples = 8}).keep == first.keep);
}

TEST_CASE("drop_edges: a draw that is equal to the share stays", "[graph][limits]") {
  const auto graph = gp::build_graph<node_id>(2, {{0, 1}});
  const gp::random_stream stream(5, gp::purpose::edges);
  const std::uint32_t draw = stream.bits(0, 1)[0];
  CHECK(gp::drop_edges(graph, draw * 0x1p-32, stream).entries() == 2);
  CHECK(gp::drop_edges(graph, (draw + 1.0) * 0x1p-32, stream).entries() == 0);
}

TEST_CASE("R-MAT: a quadrant may have no edges, or all of them", "[graph][limits]") {
  const auto diagonal = gp::rmat_edges<node_id>({}, {.scale = 6, .edges = 500, .a = 0.5, .b = 0, .c = 0, .d = 0.5});
  CHECK(std::ranges::all_of(diagonal, [](const auto& e) { return e.source == e.target; }));
  const auto corner = gp::rmat_edges<node_id>({}, {.scale = 6, .edges = 500, .a = 1, .b = 0, .c = 0, .d = 0});
  CHECK(std::ranges::all_of(corner, [](const auto& e) { return e.source == 0 && e.target == 0; }));
}

TEST_CASE("the embedded dataset: the smallest graph of two nodes a class, and its largest degree", "[graph][limits]") {
  gp::degree_biased_options small{
      .nodes = 6, .classes = 3, .mean_degree = 2.5, .train_per_class = 1, .validation = 1, .test = 1};
  CHECK(gp::make_degree_biased<float, node_id>(small).graph.nodes() == 6);
  small.mean_degree = 2.6;
  CHECK_THROWS_AS((gp::make_degree_biased<float, node_id>(small)), gp::argument_error);
  small.mean_degree = 2;
  small.nodes = 5;
  CHECK_THROWS_AS((gp::make_degree_biased<float, node_id>(small)), gp::argument_error);
}

TEST_CASE("the embedded dataset: a number in [0, 1) has 53 bits of two words", "[graph][limits]") {
  const gp::random_stream stream(8, gp::purpose::generator);
  const auto word = stream.bits(3, 4);
  const auto [first, second] = gp::detail::uniform_pair(stream, 3, 4);
  CHECK(first == std::floor(std::ldexp(word[0], 21) + std::ldexp(word[1], -11)) * 0x1p-53);
  CHECK(second == std::floor(std::ldexp(word[2], 21) + std::ldexp(word[3], -11)) * 0x1p-53);
}
