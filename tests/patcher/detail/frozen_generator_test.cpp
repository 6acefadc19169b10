// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/frozen_generator.hpp"

#include <catch2/catch.hpp>

#include "support/compare.hpp"
#include "support/slow_graph.hpp"
#include "support/slow_patching.hpp"
#include "support/some_generator.hpp"

namespace gp = graphpatcher;
using node_id = std::int32_t;
using slow::dense;

TEST_CASE("a frozen generator makes the slow one's patches, and the products with two first layers",
          "[patcher][fast]") {
  for (const auto& [features, hidden, linear] : {std::tuple{4, 6, 8}, {3, 1, 16}, {9, 70, 5}}) {
    INFO(features << " features, " << hidden << " hidden");
    const auto inputs = static_cast<std::size_t>(features);
    const auto width = static_cast<std::size_t>(hidden);
    const auto network = support::some_generator(inputs, width);
    const auto weight = support::random_matrix<double>(inputs, static_cast<std::size_t>(linear), 8);
    const gp::fast::frozen_generator<double> frozen(gp::cpu{2}, network, weight);

    dense x = support::random_matrix<double>(6, inputs, 2);
    std::ranges::fill(x.row(4), 0.0);  // an anchor without features
    const slow::patched_graph graph(slow::six_nodes<node_id>(), x);
    const std::vector<node_id> anchors{4, 0, 5};
    // what the encoder's second layer multiplies: the mean of the sources' hidden rows
    const dense a = slow::relu(slow::output(network.encoder(0), x, graph.sources));
    dense agg(3, width);
    dense expected(3, inputs);
    for (std::size_t b = 0; b < 3; ++b) {
      const auto v = static_cast<std::size_t>(anchors[b]);
      for (const std::size_t source : graph.sources[v]) {
        for (std::size_t c = 0; c < width; ++c) {
          agg(b, c) += a(source, c) / static_cast<double>(graph.sources[v].size());
        }
      }
      std::ranges::copy(slow::patch_of(network, graph, v), expected.row(b).begin());
    }
    dense from_features(3, width);
    frozen.read_features<node_id>(gp::cpu{2}, gp::feature_table(gp::sparse_from_dense<node_id>(x.view())), anchors,
                                  from_features);
    dense h2(3, width);
    dense y1(3, width);
    dense y2(3, width);
    frozen.run<node_id>(gp::cpu{2}, from_features, agg, h2, y1, y2);

    const double rounding = 1e-14 * 70 * 10;  // sums of at most 70 numbers below 10, one after another
    const auto through = [&](gp::matrix_view<const double> w) { return slow::product(y2, gp::copy_of(w)); };
    CHECK(support::largest_difference(through(frozen.last()), expected) < rounding);
    CHECK(support::largest_difference(through(frozen.to_encoder()),
                                      slow::product(expected, network.encoder(0).weight.value)) < rounding);
    CHECK(support::largest_difference(through(frozen.to_backbone()), slow::product(expected, weight)) < rounding);
    CHECK(&frozen.generator() == &network);
  }
}
