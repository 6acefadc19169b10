// SPDX-License-Identifier: MIT
// What holds for every graph, backbone and set of anchors: patches are added to the backbone's own answer, a batch is
// its ego-graphs one by one, corruption goes from nothing to everything, both paths compute the same.
#include <catch2/catch.hpp>

#include "graphpatcher/patcher/fixed_patches.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"
#include "properties/arbitrary.hpp"
#include "properties/rounding.hpp"
#include "support/compare.hpp"

namespace gp = graphpatcher;
using arbitrary::node_id;

namespace {

const gp::cpu exec{1};

std::vector<node_id> some_anchors(const gp::csr_graph<node_id>& graph) {
  auto nodes = arbitrary::shuffled(graph);
  nodes.resize(arbitrary::size(1, nodes.size()));
  return nodes;
}

gp::matrix<double> rows_of(const gp::matrix<double>& all, const std::vector<node_id>& nodes, std::size_t repeats = 1) {
  gp::matrix<double> rows(nodes.size() * repeats, all.cols());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    std::ranges::copy(all.row(static_cast<std::size_t>(nodes[r / repeats])), rows.row(r).begin());
  }
  return rows;
}

template <class Model, class Patches>
std::vector<gp::matrix<double>> patched(const arbitrary::attributed_graph& data, const Model& model,
                                        const Patches& patches, const std::vector<node_id>& anchors,
                                        gp::patch_path path, std::size_t batch = 64) {
  return gp::patch_nodes(exec, data.graph, data.features, model, patches, anchors,
                         {.patches = 2, .batch = batch, .path = path})
      .logits;
}

template <class Model>
gp::matrix<double> corrupted(const arbitrary::attributed_graph& data, const Model& model, gp::frozen_path path,
                             const std::vector<node_id>& anchors, const gp::corruption_options& options) {
  const gp::frozen_model<double, node_id> frozen(exec, model, data.graph, data.features, {.path = path});
  gp::matrix<double> logits(anchors.size() * options.samples, arbitrary::classes);
  frozen.answer(anchors, options, {.logits = logits.view()});
  return logits;
}

/// Two layers of the backbone: see ids_test.cpp; and of the generator, twice: its encoder and three products.
std::size_t roundings(const arbitrary::attributed_graph& data, std::size_t hidden, std::size_t of_generator) {
  const std::size_t backbone = 2 * (data.features.cols() + hidden) + 2 * (data.longest_row() + 3) + 16;
  const std::size_t patch = 2 * data.features.cols() + 4 * of_generator + 2 * (data.longest_row() + 3) + 20;
  return backbone + 2 * patch;
}

}  // namespace

TEST_CASE("no patches are the backbone's bits, and a batch is its anchors one by one", "[properties]") {
  rc::prop("on either path", [] {
    const auto data = arbitrary::data();
    const auto anchors = some_anchors(data.graph);
    const auto generator = arbitrary::generator(data);
    const std::size_t batch = arbitrary::size(1, 20);
    arbitrary::each_backbone(data, [&](const auto& model) {
      const auto own = rows_of(gp::predict(exec, model, data.graph, data.features), anchors);
      for (const auto path : {gp::patch_path::fast, gp::patch_path::generic}) {
        const auto all = patched(data, model, generator, anchors, path, batch);
        RC_ASSERT(support::same_bits(all[0], own));
        for (std::size_t b = 0; b < anchors.size(); ++b) {
          const auto alone = patched(data, model, generator, {anchors[b]}, path);
          for (std::size_t k = 0; k <= 2; ++k) {
            RC_ASSERT(std::ranges::equal(alone[k].row(0), all[k].row(b)));
          }
        }
      }
    });
  });
}

TEST_CASE("strength 0 leaves the ego-graph whole, strength 1 leaves the anchor alone", "[properties]") {
  rc::prop("the same bits on the generic path, to rounding by rows", [] {
    const auto data = arbitrary::data();
    const auto anchors = some_anchors(data.graph);
    const arbitrary::attributed_graph alone{
        gp::build_graph<node_id>(data.graph.nodes(), std::vector<gp::edge<node_id>>{}), data.features};
    const arbitrary::attributed_graph sizes{data.graph, rounding::absolute_features(data.features)};
    arbitrary::each_relu_backbone(data, [&](const auto& model) {
      const auto large = rounding::absolute_network(model);
      for (const double strength : {0.0, 1.0}) {
        const gp::corruption_options options{.strength = strength, .samples = 2, .seed = arbitrary::seed()};
        const auto& left = strength == 0 ? data : alone;
        const auto expected = rows_of(gp::predict(exec, model, left.graph, left.features), anchors, 2);
        const auto bound = rows_of(gp::predict(exec, large, left.graph, sizes.features), anchors, 2);
        RC_ASSERT(support::same_bits(corrupted(data, model, gp::frozen_path::generic, anchors, options), expected));
        RC_ASSERT(rounding::close(corrupted(data, model, gp::frozen_path::rows, anchors, options), expected,
                                  roundings(data, model.layers.front().outputs(), 0), bound));
      }
    });
  });
}

TEST_CASE("answers on corrupted ego-graphs are the same bits in one call and anchor by anchor", "[properties]") {
  rc::prop("on either path", [] {
    const auto data = arbitrary::data();
    const auto anchors = some_anchors(data.graph);
    const gp::corruption_options options{.strength = 0.5, .samples = 3, .seed = arbitrary::seed()};
    arbitrary::each_backbone(data, [&](const auto& model) {
      for (const auto path : {gp::frozen_path::rows, gp::frozen_path::generic}) {
        const auto all = corrupted(data, model, path, anchors, options);
        for (std::size_t b = 0; b < anchors.size(); ++b) {
          const auto one = corrupted(data, model, path, {anchors[b]}, options);
          for (std::size_t s = 0; s < 3; ++s) {
            RC_ASSERT(std::ranges::equal(one.row(s), all.row(3 * b + s)));
          }
        }
      }
    });
  });
}

TEST_CASE("the fast path and the generic one are as far apart as rounding allows", "[properties]") {
  rc::prop("patches of a network and fixed ones, corrupted ego-graphs", [] {
    const auto data = arbitrary::data();
    const auto anchors = some_anchors(data.graph);
    const auto generator = arbitrary::generator(data);
    const auto large_generator = rounding::absolute_network(generator);
    const arbitrary::attributed_graph sizes{data.graph, rounding::absolute_features(data.features)};
    const gp::corruption_options options{.strength = 0.4, .samples = 2, .seed = arbitrary::seed()};
    constexpr auto fast = gp::patch_path::fast;
    constexpr auto generic = gp::patch_path::generic;
    arbitrary::each_relu_backbone(data, [&](const auto& model) {
      const auto large = rounding::absolute_network(model);
      const std::size_t most = roundings(data, model.layers.front().outputs(), generator.hidden());
      const auto compare = [&](const auto& patches, const auto& large_patches) {
        const auto a = patched(data, model, patches, anchors, fast);
        const auto b = patched(data, model, patches, anchors, generic);
        const auto bound = patched(sizes, large, large_patches, anchors, generic);
        for (std::size_t k = 0; k <= 2; ++k) {
          RC_ASSERT(rounding::close(a[k], b[k], most + data.graph.nodes(), bound[k]));
        }
      };
      compare(generator, large_generator);
      for (const auto kind : {gp::fixed_patch::zero, gp::fixed_patch::mean, gp::fixed_patch::copy}) {
        compare(kind, kind);
      }
      RC_ASSERT(rounding::close(corrupted(data, model, gp::frozen_path::rows, anchors, options),
                                corrupted(data, model, gp::frozen_path::generic, anchors, options), most,
                                corrupted(sizes, large, gp::frozen_path::generic, anchors, options)));
    });
  });
}
