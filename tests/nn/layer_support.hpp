// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/gradient_check.hpp"
#include "graphpatcher/autodiff/node_features.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/builder.hpp"
#include "graphpatcher/graph/whole_graph.hpp"

/// Small graphs and numbers that several tests of layers and models share.
namespace gp_test {

namespace gp = graphpatcher;

/// Numbers in [-1, 1), different for every seed.
template <class T>
gp::matrix<T> random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  const gp::random_stream random(seed, gp::purpose::generator);
  gp::matrix<T> result(rows, cols);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result.values()[i] = static_cast<T>(2 * random.uniform(i) - 1);
  }
  return result;
}

/// The same with about two thirds of the values zero.
template <class T>
gp::matrix<T> sparse_looking_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  auto result = random_matrix<T>(rows, cols, seed);
  const gp::random_stream random(seed, gp::purpose::split);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result.values()[i] = random.uniform(i) < 0.65 ? T(0) : result.values()[i];
  }
  return result;
}

/// Two triangles joined by a path, a leaf and an isolated node: 9 nodes.
template <gp::graph_index I>
gp::csr_graph<I> small_graph() {
  return gp::build_graph<I>(
      9, std::vector<gp::edge<I>>{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {4, 6}, {6, 7}});
}

/// The nodes within `hops` hops of the targets, ordered by distance and then by
/// id, with the degrees of the whole graph: slow and obvious.
template <gp::graph_index I>
gp::message_graph<I> around(const gp::csr_graph<I>& graph, const std::vector<I>& targets, std::size_t hops) {
  const auto whole = gp::whole_graph(graph);
  gp::message_graph<I> result;
  result.global_ids = targets;
  result.within = {static_cast<I>(targets.size())};
  const auto position = [&](I id) { return std::ranges::find(result.global_ids, id) - result.global_ids.begin(); };
  for (std::size_t h = 0; h < hops; ++h) {
    std::vector<I> next;
    for (const I id : result.global_ids) {
      for (const I neighbor : graph.neighbors(static_cast<std::size_t>(id))) {
        if (position(neighbor) == static_cast<std::ptrdiff_t>(result.nodes()) &&
            std::ranges::find(next, neighbor) == next.end()) {
          next.push_back(neighbor);
        }
      }
    }
    std::ranges::sort(next);
    result.global_ids.insert(result.global_ids.end(), next.begin(), next.end());
    result.within.push_back(static_cast<I>(result.nodes()));
  }
  result.offsets = {0};
  for (const I id : result.global_ids) {
    const auto v = static_cast<std::size_t>(id);
    for (I e = whole.offsets[v]; e < whole.offsets[v + 1]; ++e) {
      const auto source = position(whole.sources[static_cast<std::size_t>(e)]);
      if (source != static_cast<std::ptrdiff_t>(result.nodes())) {
        result.sources.push_back(static_cast<I>(source));
      }
    }
    result.offsets.push_back(static_cast<I>(result.sources.size()));
    result.in_degree.push_back(whole.in_degree[v]);
    result.out_degree.push_back(whole.out_degree[v]);
  }
  return result;
}

/// sum(x * weights): a loss whose gradient is `weights`.
template <class T>
gp::variable<T> weighted_sum(const gp::variable<T>& x, const gp::matrix<T>& weights) {
  return gp::sum_all(gp::multiply(x, x.owner().constant(weights)));
}

/// Gives every parameter numbers of its own, biases too: a gradient of a layer
/// whose biases are zero says little.
template <class T>
void randomise(const gp::parameter_list<T>& parameters, std::uint64_t seed) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto& value = parameters[i]->value;
    value = random_matrix<T>(value.rows(), value.cols(), 1000 * seed + i);
  }
}

/// Largest |a - b| over the largest |b|.
template <class A, class B>
double relative_difference(gp::matrix_view<A> a, gp::matrix_view<B> b) {
  gp::expects<gp::shape_error>(a.rows() == b.rows() && a.cols() == b.cols(), "compared ", a.rows(), " x ", a.cols(),
                               " with ", b.rows(), " x ", b.cols());
  double largest = 0;
  double difference = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.cols(); ++c) {
      largest = std::max(largest, std::abs(static_cast<double>(b(r, c))));
      difference = std::max(difference, std::abs(static_cast<double>(a(r, c)) - static_cast<double>(b(r, c))));
    }
  }
  return largest > 0 ? difference / largest : difference;
}

/// Whether two matrices hold the same bits (of finite numbers).
template <class A, class B>
bool same_values(gp::matrix_view<A> a, gp::matrix_view<B> b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && relative_difference(a, b) == 0;
}

/// The gradient check of a layer of 5 inputs, on sparse features, and on dense ones that have a gradient, too.
/// prepare(tape) is called first. (No sparse rows among the dense ones: zeros would stand on the kink of LeakyReLU.)
template <class Layer, class Prepare>
void check_gradients(Layer& layer, Prepare&& prepare) {
  const auto graph = gp::whole_graph(small_graph<std::int32_t>());
  const auto r = random_matrix<double>(9, layer.outputs(), 3);
  const gp::feature_table table = gp::sparse_from_dense<std::int32_t>(sparse_looking_matrix<double>(9, 5, 4).view());
  auto list = layer.parameters();
  CHECK(gp::gradient_check(list, [&](gp::tape<double>& t) {
          prepare(t);
          const gp::node_features<double, std::int32_t> features{&table, &graph, {}};
          return weighted_sum(layer.forward(t, graph.all(), features), r);
        }) < 1e-6);
  gp::parameter<double> x("x", 9, 5);
  x.value = random_matrix<double>(9, 5, 4);
  list.push_back(&x);
  CHECK(gp::gradient_check(list, [&](gp::tape<double>& t) {
          prepare(t);
          return weighted_sum(layer.forward(t, graph.all(), t.use(x)), r);
        }) < 1e-6);
}
template <class Layer>
void check_gradients(Layer& layer) {
  check_gradients(layer, [](gp::tape<double>&) {});
}

/// Whether the rows that are wanted are the same bits as those rows among all: a layer of 5 inputs.
template <class T, class Layer>
void check_prefixes(const Layer& layer) {
  const auto graph = around(small_graph<std::int32_t>(), {2, 8, 5}, 2);
  const auto x = random_matrix<T>(graph.nodes(), 5, 4);
  gp::tape<T> t;
  const auto all = layer.forward(t, graph.all(), t.constant(x)).value();
  for (const std::size_t hops : {0, 1}) {
    const auto part = layer.forward(t, graph.towards(hops), t.constant(x)).value();
    CHECK(part.rows() == graph.nodes_within(hops));
    CHECK(same_values(part, all.middle_rows(0, part.rows())));
  }
}

}  // namespace gp_test
