// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/patched_anchors.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/neighborhood.hpp"
#include "graphpatcher/patcher/detail/rows_of.hpp"
#include "patcher/detail/backbones.hpp"
#include "patcher/detail/row_layers.hpp"
#include "support/slow_graph.hpp"
#include "support/slow_patching.hpp"

namespace gp = graphpatcher;
namespace fast = gp::fast;
using gp::patch_edge;
using node_id = std::int32_t;
using slow::dense;

namespace {

constexpr std::size_t feature_count = 4;
constexpr std::size_t classes = 3;

/// Patches [k](anchor, feature) for every node of six_nodes().
std::vector<dense> some_patches(std::size_t count) {
  std::vector<dense> patches;
  for (std::size_t k = 0; k < count; ++k) {
    patches.push_back(support::random_matrix<double>(6, feature_count, static_cast<unsigned>(30 + k)));
  }
  return patches;
}

/// Logits of anchor v after its patches: slow and obvious.
template <class Model>
std::vector<double> slow_logits(const Model& model, slow::patched_graph graph, std::size_t v,
                                const std::vector<dense>& patches, bool loop) {
  for (const dense& patch : patches) {
    graph.patch(v, patch.row(v), loop);
  }
  const dense all = slow::logits(model, graph.features, graph.sources);
  return {all.row(v).begin(), all.row(v).end()};
}

/// What answer() gives for rows [begin, 6) of the anchors, and the gradient of Σ slopes · logits there.
template <class Anchors, class Rows>
void run(const Anchors& anchors, const Rows& rows, const std::vector<dense>& patches, std::size_t begin,
         const dense& slopes, dense& logits, dense& gradient) {
  std::vector<dense> messages;
  std::vector<gp::matrix_view<const double>> views;
  for (const dense& patch : patches) {
    messages.push_back(row_layers::messages_of(rows.first, patch));
  }
  for (const dense& message : messages) {
    views.push_back(message.view().middle_rows(begin, 6));
  }
  const auto wanted = patches.empty() ? gp::matrix_view<double>() : gradient.view().middle_rows(begin, 6);
  anchors.answer(gp::cpu{2}, begin, views, 6 - begin, wanted,
                 [&](std::size_t b, std::span<const double> found, std::span<double> g) {
                   std::ranges::copy(found, logits.row(begin + b).begin());
                   std::ranges::copy(slopes.row(begin + b), g.begin());
                 });
}

/// Logits and gradients of all anchors against the slow ones; `sources` are those of the graph, maybe corrupted, as
/// each anchor sees it.
template <class Anchors, class Rows, class Model>
void check(const Anchors& anchors, const Rows& rows, const Model& model, const std::vector<slow::source_lists>& sources,
           const dense& x, bool loop) {
  const dense slopes = support::random_matrix<double>(6, classes, 50);
  for (const std::size_t count : {0, 1, 3}) {
    auto patches = some_patches(count);
    dense logits(6, classes);
    dense gradient(6, rows.first.linear_width());
    run(anchors, rows, patches, 0, slopes, logits, gradient);
    dense upper(6, classes);
    dense upper_gradient(6, rows.first.linear_width());
    run(anchors, rows, patches, 4, slopes, upper, upper_gradient);  // the last two alone
    for (std::size_t v = 0; v < 6; ++v) {
      INFO(count << " patches, anchor " << v);
      const slow::patched_graph graph(sources[v], x);
      const auto expected = slow_logits(model, graph, v, patches, loop);
      for (std::size_t c = 0; c < classes; ++c) {
        CHECK(logits(v, c) == Approx(expected[c]).margin(1e-12));  // a hundred products of numbers below 10
        CHECK((v < 4 || upper(v, c) == logits(v, c)));
      }
      const auto value = [&] {
        const auto found = slow_logits(model, graph, v, patches, loop);
        return std::inner_product(found.begin(), found.end(), slopes.row(v).begin(), 0.0);
      };
      for (std::size_t f = 0; count > 0 && f < feature_count; ++f) {  // to the patch itself, through W
        double through = 0;
        for (std::size_t c = 0; c < gradient.cols(); ++c) {
          through += gradient(v, c) * rows.first.weight()(f, c);
          CHECK((v < 4 || upper_gradient(v, c) == gradient(v, c)));
        }
        CHECK(through == Approx(support::slope(patches.back()(v, f), value)).margin(support::slope_margin));
      }
    }
  }
}

const dense& features() {
  static const dense x = support::random_matrix<double>(6, feature_count, 2);
  return x;
}

}  // namespace

TEST_CASE("anchors of a whole neighbourhood answer with their patches, and back to the last one", "[patcher][fast]") {
  const auto graph = slow::six_nodes<node_id>();
  const std::vector<node_id> targets{0, 1, 2, 3, 4, 5};
  const auto around = gp::neighborhood<node_id>(graph, targets, 2);
  const gp::feature_table sparse = gp::sparse_from_dense<node_id>(features().view());
  backbones::for_each<double>(feature_count, classes, [&](const char* kind, const auto& model) {
    for (const auto edge : {patch_edge::to_anchor, patch_edge::to_anchor_loop}) {
      INFO(kind << (edge == patch_edge::to_anchor ? "" : ", loops"));
      const auto rows = fast::rows_of(model);
      const fast::message_tables<double, node_id> tables(gp::cpu{}, rows, around, sparse, around.nodes_within(1));
      fast::patched_anchors<double, node_id, std::remove_const_t<decltype(rows)>> anchors(rows, edge);
      anchors.assign(tables, around);
      CHECK(anchors.size() == 6);
      const std::vector<slow::source_lists> same(6, slow::sources_of(graph));
      check(anchors, rows, model, same, features(), edge == patch_edge::to_anchor_loop);
    }
  });
}

TEST_CASE("anchors whose neighbours are dropped keep their rows when the worker moves on", "[patcher][fast]") {
  const auto graph = slow::six_nodes<node_id>();
  const gp::feature_table sparse = gp::sparse_from_dense<node_id>(features().view());
  // of each anchor, the first, the second, ... neighbour goes
  std::vector<slow::source_lists> sources;
  for (std::size_t v = 0; v < 6; ++v) {
    std::vector<std::size_t> gone;
    const auto row = graph.neighbors(v);
    for (const node_id u : row) {
      if (static_cast<std::size_t>(u) != v && gone.empty()) {
        gone.push_back(static_cast<std::size_t>(u));
      }
    }
    sources.push_back(slow::without_nodes(slow::sources_of(graph), gone));
  }
  backbones::for_each<double>(feature_count, classes, [&](const char* kind, const auto& model) {
    INFO(kind);
    using rows_type = fast::rows_type<std::remove_cvref_t<decltype(model)>>;
    const fast::frozen_egos<double, node_id, rows_type> egos(gp::cpu{}, fast::rows_of(model), graph, sparse);
    fast::patched_anchors<double, node_id, rows_type> anchors(egos.rows(), patch_edge::to_anchor);
    for (int round = 0; round < 2; ++round) {  // the same again after clear()
      anchors.clear();
      egos.with_worker([&](auto& worker) {
        for (node_id v = 0; v < 6; ++v) {
          worker.cut.start(v);
          worker.cut.drop([](std::size_t n) { return n != 0; });
          egos.gather_messages(worker);
          anchors.append(egos.tables(), worker);
        }
        worker.made.assign(worker.made.size(), 1e30);  // nothing may point there any longer
      });
      anchors.close();
      CHECK(anchors.size() == 6);
    }
    check(anchors, egos.rows(), model, sources, features(), false);
  });
}

TEST_CASE("undirected patches are refused: they change more than their anchor", "[patcher][fast]") {
  const gp::gcn_backbone<double> model({.hidden = 8}, feature_count, classes);
  const auto rows = fast::rows_of(model);
  using anchors = fast::patched_anchors<double, node_id, fast::rows_type<gp::gcn_backbone<double>>>;
  CHECK_THROWS_WITH(anchors(rows, patch_edge::undirected), "fast path: expected one-way patch edges, got undirected");
}
