// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/encoder.hpp"

#include <catch2/catch.hpp>

#include "support/compare.hpp"
#include "support/random_matrix.hpp"
#include "support/slope.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
namespace fast = gp::fast;
using support::random_matrix;
using toy::node_id;

namespace {

/// Two anchors, nodes 3 and 0 of a table of 6: the first has neighbours 5 and 1, the second has none.
fast::encoder_graph<node_id> two_anchors() {
  fast::encoder_graph<node_id> graph;
  graph.nodes = {3, 5, 1, 0};
  graph.anchors = {{0, 3, 4}, {0, 1, 2, 3}};
  graph.hidden = {{0, 2, 5}, {1, 0, 2, 0, 0}};  // node 5 and its one neighbour; node 1, joined twice to node 3
  graph.anchor_neighbors = {{0, 2, 2}, {0, 1}};
  return graph;
}

/// The formulas of encoder_base, number by number.
template <class T>
fast::encoder_base<T> slow_base(const gp::matrix<T>& x, const fast::encoder_graph<node_id>& graph,
                                const gp::matrix<T>& weight, const gp::matrix<T>& bias) {
  const std::size_t width = weight.cols();
  fast::encoder_base<T> out{gp::matrix<T>(graph.anchors.size(), width), gp::matrix<T>(graph.anchors.size(), width),
                            gp::matrix<T>(graph.hidden.size(), width)};
  for (std::size_t c = 0; c < width; ++c) {
    const auto t = [&](node_id position) {
      T sum = 0;
      for (std::size_t f = 0; f < x.cols(); ++f) {
        sum += x(static_cast<std::size_t>(graph.nodes[static_cast<std::size_t>(position)]), f) * weight(f, c);
      }
      return sum;
    };
    for (std::size_t r = 0; r < graph.hidden.size(); ++r) {
      T sum = 0;
      for (const node_id source : graph.hidden[r]) {
        sum += t(source);
      }
      out.hidden(r, c) = std::max(sum / static_cast<T>(graph.hidden[r].size()) + bias(0, c), T(0));
    }
    for (std::size_t b = 0; b < graph.anchors.size(); ++b) {
      for (const node_id source : graph.anchors[b]) {
        out.base(b, c) += t(source);
      }
      for (const node_id row : graph.anchor_neighbors[b]) {
        out.neighbors(b, c) += out.hidden(static_cast<std::size_t>(row), c);
      }
    }
  }
  return out;
}

/// A table of 6 nodes with 4 features; node 5 has none.
gp::matrix<double> table() {
  auto x = random_matrix<double>(6, 4, 2);
  std::ranges::fill(x.row(5), 0.0);
  x(3, 1) = x(0, 0) = 0;
  return x;
}

fast::encoder_base<double> encoded(int threads, const gp::matrix<double>& x, const gp::matrix<double>& weight,
                                   const gp::matrix<double>& bias, bool keep_hidden = true) {
  const auto graph = two_anchors();
  fast::encoder_base<double> out{gp::matrix<double>(2, weight.cols()), gp::matrix<double>(2, weight.cols()),
                                 gp::matrix<double>(keep_hidden ? 2 : 0, weight.cols())};
  fast::encode_base<double, node_id>(gp::cpu{threads}, gp::feature_table(gp::sparse_from_dense<node_id>(x.view())),
                                     graph, weight, bias.row(0), out);
  return out;
}

}  // namespace

TEST_CASE("lists of different length stand one after the other", "[patcher][fast]") {
  fast::list_of_lists<node_id> lists;
  CHECK(lists.size() == 0);
  lists.entries = {4, 5};
  lists.close();
  lists.close();  // an empty one
  lists.entries.push_back(6);
  lists.close();
  REQUIRE(lists.size() == 3);
  CHECK(lists[0].size() == 2);
  CHECK(lists[0][1] == 5);
  CHECK(lists[1].empty());
  CHECK(lists[2].front() == 6);
  lists.clear();
  CHECK(lists.size() == 0);
  CHECK(lists.entries.empty());
}

TEST_CASE("strips cover every column once", "[patcher][fast]") {
  for (const std::size_t cols : {1, 63, 64, 65, 200, 256}) {
    std::vector<int> seen(cols, 0);
    fast::for_each_strip(gp::cpu{3}, cols, [&](std::size_t begin, auto width) {
      CHECK(begin % fast::strip_width == 0);
      for (std::size_t c = begin; c < begin + width; ++c) {
        ++seen[c];
      }
    });
    CHECK(seen == std::vector<int>(cols, 1));
  }
}

TEST_CASE("an anchor and its neighbours by hand", "[patcher][fast]") {
  // one feature, weight 1: t is the feature; nodes 3, 5, 1, 0 have 3, 0, -7, 10
  const gp::matrix<double> x{{10}, {-7}, {0}, {3}, {0}, {0}};
  const auto out = encoded(1, x, {{1}}, {{0.25}});
  CHECK(out.base(0, 0) == 3 + 0 - 7);
  CHECK(out.base(1, 0) == 10);
  CHECK(out.hidden(0, 0) == (0.0 + 3) / 2 + 0.25);
  CHECK(out.hidden(1, 0) == 0);  // (-7 + 3 + 3) / 3 + 1/4 is below
  CHECK(out.neighbors(0, 0) == 1.75);
  CHECK(out.neighbors(1, 0) == 0);
}

TEST_CASE("what is the same in every step, for strips of any width", "[patcher][fast]") {
  const auto x = table();
  for (const std::size_t width : {1, 7, 64, 70, 130}) {
    INFO("width " << width);
    const auto weight = random_matrix<double>(4, width, 3);
    const auto bias = random_matrix<double>(1, width, 4);
    const auto expected = slow_base(x, two_anchors(), weight, bias);
    const auto out = encoded(1, x, weight, bias);
    CHECK(support::largest_difference(out.base, expected.base) < 1e-14);  // sums of 16 products below 1
    CHECK(support::largest_difference(out.neighbors, expected.neighbors) < 1e-14);
    CHECK(support::largest_difference(out.hidden, expected.hidden) < 1e-14);
    const auto threads = encoded(3, x, weight, bias, false);
    CHECK(support::same_bits(threads.base, out.base));
    CHECK(support::same_bits(threads.neighbors, out.neighbors));
  }
}

TEST_CASE("the adjoint of the encoder's first layer is its slope", "[patcher][fast]") {
  const auto x = table();
  const auto graph = two_anchors();
  for (const std::size_t width : {3, 64, 70}) {
    INFO("width " << width);
    auto weight = random_matrix<double>(4, width, 3);
    auto bias = random_matrix<double>(1, width, 4);
    const auto g_base = random_matrix<double>(2, width, 5);
    const auto g_neighbors = random_matrix<double>(2, width, 6);
    const auto value = [&] {
      const auto out = slow_base(x, graph, weight, bias);
      double sum = 0;
      for (std::size_t i = 0; i < g_base.size(); ++i) {
        sum += g_base.values()[i] * out.base.values()[i] + g_neighbors.values()[i] * out.neighbors.values()[i];
      }
      return sum;
    };
    gp::matrix<double> g_weight(4, width);
    gp::matrix<double> g_bias(1, width);
    g_weight.fill(0.5);  // added to
    g_bias.fill(0.25);
    const auto hidden = encoded(1, x, weight, bias).hidden;
    fast::encode_base_adjoint<double, node_id>(gp::cpu{2}, gp::feature_table(gp::sparse_from_dense<node_id>(x.view())),
                                               graph, hidden, g_base, g_neighbors, g_weight, g_bias.row(0));
    for (std::size_t c = 0; c < width; c += width < 10 ? 1 : 7) {
      for (std::size_t f = 0; f < 4; ++f) {
        CHECK(g_weight(f, c) - 0.5 == Approx(support::slope(weight(f, c), value)).margin(support::slope_margin));
      }
      CHECK(g_bias(0, c) - 0.25 == Approx(support::slope(bias(0, c), value)).margin(support::slope_margin));
    }
  }
}
