// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/dataset.hpp"

/// What core_program computes with: all of it from random draws and exact arithmetic, so that it is the same bits
/// everywhere.
namespace cross {

namespace gp = graphpatcher;

inline gp::random_stream draws(std::uint64_t label) {
  return gp::random_stream(17, gp::purpose::generator).fork(label);
}

/// Numbers in [-1, 1) with few bits: a float holds them.
template <class T>
gp::matrix<T> random_matrix(std::size_t rows, std::size_t cols, std::uint64_t label) {
  const auto stream = draws(label);
  gp::matrix<T> result(rows, cols);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      result(r, c) = static_cast<T>(stream.bits(r, c)[0] >> 12) * T(0x1p-19) - T(1);
    }
  }
  return result;
}

template <class T>
gp::matrix<T> absolute(gp::matrix<T> values) {
  std::ranges::transform(values.values(), values.values().begin(), [](T value) { return std::abs(value); });
  return values;
}

/// A graph with a hub, features of which a third are not zero, and labels.
template <class T>
gp::dataset<T, int> make_data(std::size_t nodes, std::size_t features) {
  constexpr std::size_t classes = 3;
  const auto stream = draws(1);
  gp::dataset<T, int> data;
  data.name = "cross";
  data.classes = classes;
  std::vector<gp::edge<int>> edges;
  for (std::size_t e = 0; e < 2 * nodes; ++e) {
    const auto word = stream.bits(e);
    const int target = e < 12 ? 0 : static_cast<int>(word[1] % nodes);
    edges.push_back({static_cast<int>(word[0] % nodes), target});
  }
  data.graph = gp::build_graph(nodes, edges);
  gp::matrix<T> dense(nodes, features);
  for (std::size_t v = 0; v < nodes; ++v) {
    for (std::size_t f = 0; f < features; ++f) {
      const auto word = stream.bits(v, f + 1);
      dense(v, f) = word[0] % 3 == 0 ? static_cast<T>(word[1] >> 12) * T(0x1p-20) : T(0);
    }
    data.labels.push_back(static_cast<int>(stream.bits(v, 1000)[0] % classes));
    (v < nodes / 2 ? data.split.train : data.split.validation).push_back(static_cast<int>(v));
  }
  data.features = gp::sparse_from_dense<int>(dense.view());
  data.check();
  return data;
}

inline std::size_t largest_degree(const gp::csr_graph<int>& graph) {
  std::size_t largest = 0;
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    largest = std::max(largest, graph.neighbors(v).size());
  }
  return largest;
}

/// The same model with its parameters' absolute values: on features that are not negative it computes the sums of
/// absolute values that bound what rounding does (ReLU lets them through and enlarges no difference).
template <class Model>
Model absolute_model(Model model) {
  for (auto* p : model.parameters()) {
    p->value = absolute(std::move(p->value));
  }
  return model;
}

}  // namespace cross
