// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/fast_patching.hpp"

#include <catch2/catch.hpp>

#include "patcher/detail/backbones.hpp"
#include "support/compare.hpp"
#include "support/slow_graph.hpp"
#include "support/slow_patching.hpp"
#include "support/some_generator.hpp"

namespace gp = graphpatcher;
namespace fast = gp::fast;
using gp::patch_edge;
using node_id = std::int32_t;
using slow::dense;

namespace {

/// Room for the answers of some anchors, and features of patches if wanted.
gp::patched_predictions<double> room(std::size_t anchors, std::size_t patches, std::size_t features) {
  gp::patched_predictions<double> result;
  result.logits.assign(patches + 1, dense(anchors, 3));
  result.features.assign(features > 0 ? patches : 0, dense(anchors, features));
  return result;
}

/// Every row against the slow ones.
void check_row(std::span<const double> found, std::span<const double> expected) {
  for (std::size_t c = 0; c < found.size(); ++c) {
    CHECK(found[c] == Approx(expected[c]).margin(1e-11));  // a thousand products of numbers below 10, in other orders
  }
}

gp::csr_graph<node_id> ring(std::size_t nodes) {
  std::vector<node_id> offsets{0};
  std::vector<node_id> neighbors;
  for (std::size_t v = 0; v < nodes; ++v) {
    const auto before = static_cast<node_id>((v + nodes - 1) % nodes);
    const auto after = static_cast<node_id>((v + 1) % nodes);
    neighbors.insert(neighbors.end(), {std::min(before, after), std::max(before, after)});
    offsets.push_back(static_cast<node_id>(neighbors.size()));
  }
  return {offsets, neighbors};
}

}  // namespace

TEST_CASE("patches and answers after each are the slow ones", "[patcher][fast]") {
  const auto graph = slow::six_nodes<node_id>();
  dense x = support::random_matrix<double>(6, 4, 2);
  std::ranges::fill(x.row(5), 0.0);
  const gp::feature_table features = gp::sparse_from_dense<node_id>(x.view());
  const auto network = support::some_generator(4, 7);
  const std::vector<node_id> anchors{2, 5, 0, 3};
  backbones::for_each<double>(4, 3, [&](const char* kind, const auto& model) {
    using model_type = std::remove_cvref_t<decltype(model)>;
    for (const auto edge : {patch_edge::to_anchor, patch_edge::to_anchor_loop}) {
      const bool loop = edge == patch_edge::to_anchor_loop;
      const fast::patching<double, node_id, model_type> patching(gp::cpu{2}, graph, features, model, anchors, edge);
      CHECK(patching.size() == 4);
      const fast::frozen_generator<double> frozen(gp::cpu{}, network, patching.rows().first.weight());
      auto found = room(6, 3, 4);
      std::size_t done = 0;
      patching.run(frozen, {.patches = 3, .keep_features = true, .edge = edge}, 2, found,
                   [&](std::size_t count) { done += count; });
      CHECK(done == 4);
      CHECK(support::same_bits(found.logits[3].view().middle_rows(0, 2), dense(2, 3)));  // not its rows
      for (std::size_t b = 0; b < 4; ++b) {
        INFO(kind << (loop ? ", loops" : "") << ", anchor " << anchors[b]);
        const auto v = static_cast<std::size_t>(anchors[b]);
        slow::patched_graph patched(graph, x);
        for (std::size_t k = 0; k <= 3; ++k) {
          check_row(found.logits[k].row(2 + b), slow::logits(model, patched.features, patched.sources).row(v));
          if (k < 3) {
            const auto patch = slow::patch_of(network, patched, v);
            check_row(found.features[k].row(2 + b), patch);
            patched.patch(v, patch, loop);
          }
        }
      }
    }
  });
}

TEST_CASE("one patch again and again", "[patcher][fast]") {
  const auto graph = slow::six_nodes<node_id>();
  const dense x = support::random_matrix<double>(6, 4, 2);
  const gp::feature_table features = gp::sparse_from_dense<node_id>(x.view());
  const dense fixed = support::random_matrix<double>(2, 4, 9);
  const std::vector<node_id> anchors{0, 4};
  backbones::for_each<double>(4, 3, [&](const char* kind, const auto& model) {
    using model_type = std::remove_cvref_t<decltype(model)>;
    const fast::patching<double, node_id, model_type> patching(gp::cpu{}, graph, features, model, anchors,
                                                               patch_edge::to_anchor);
    auto found = room(2, 2, 0);
    patching.repeat(slow::product(fixed, patching.rows().first.weight()), {.patches = 2}, 0, found);
    for (std::size_t b = 0; b < 2; ++b) {
      INFO(kind << ", anchor " << anchors[b]);
      const auto v = static_cast<std::size_t>(anchors[b]);
      slow::patched_graph patched(graph, x);
      for (std::size_t k = 0; k <= 2; ++k) {
        check_row(found.logits[k].row(b), slow::logits(model, patched.features, patched.sources).row(v));
        patched.patch(v, fixed.row(b), false);
      }
    }
  });
}

TEST_CASE("answers have the same bits however many anchors and threads there are", "[patcher][fast]") {
  const std::size_t nodes = 600;  // more than are multiplied at once
  const auto graph = ring(nodes);
  const gp::feature_table features = gp::sparse_from_dense<node_id>(support::random_matrix<double>(nodes, 4, 2).view());
  const auto network = support::some_generator(4, 7);
  const auto model = backbones::shaken(gp::gcn_backbone<double>({.hidden = 8}, 4, 3));
  const auto answers = [&](int threads, std::size_t first, std::size_t count) {
    std::vector<node_id> anchors;
    for (std::size_t v = first; v < first + count; ++v) {
      anchors.push_back(static_cast<node_id>(v));
    }
    const fast::patching<double, node_id, gp::gcn_backbone<double>> patching(gp::cpu{threads}, graph, features, model,
                                                                             anchors, patch_edge::to_anchor);
    const fast::frozen_generator<double> frozen(gp::cpu{}, network, patching.rows().first.weight());
    auto found = room(count, 2, 0);
    patching.run(frozen, {.patches = 2}, 0, found, [](std::size_t) {});
    return found;
  };
  const auto one = answers(1, 0, nodes);
  const auto three = answers(3, 0, nodes);
  const auto part = answers(1, 500, 30);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(support::same_bits(one.logits[k], three.logits[k]));
    CHECK(support::same_bits(part.logits[k], one.logits[k].view().middle_rows(500, 530)));
  }
}
