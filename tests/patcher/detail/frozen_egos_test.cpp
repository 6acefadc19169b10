// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/frozen_egos.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/patcher/detail/rows_of.hpp"
#include "patcher/detail/backbones.hpp"
#include "patcher/detail/odd_graphs.hpp"
#include "support/compare.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

template <class Model>
auto egos_of(const gp::dataset<double, node_id>& data, const Model& model) {
  using rows = gp::fast::rows_type<Model>;
  return gp::fast::frozen_egos<double, node_id, rows>(gp::cpu{}, gp::fast::rows_of(model), data.graph, data.features);
}

/// Slow and obvious: every corrupted ego-graph materialised, the model run on it.
template <class Model>
gp::matrix<double> slow_answers(const gp::dataset<double, node_id>& data, const Model& model,
                                const std::vector<node_id>& anchors, const gp::corruption_options& options) {
  const auto batch = gp::make_ego_batch({}, data.graph, anchors, {.hops = 2});
  const auto masks = gp::corrupt({}, batch, options);
  const auto egos = gp::corrupted_egos(batch, masks);
  const auto messages = gp::materialise<node_id>(gp::cpu{}, batch, egos);
  return gp::predict(gp::cpu{}, model, messages, data.features);
}

}  // namespace

TEST_CASE("corrupted ego-graphs have the answers of the generic path", "[patcher][fast]") {
  for (const auto& [name, graph] : odd::graphs()) {
    const auto data = odd::data_on<double>(graph);
    const auto anchors = toy::all_nodes(data.nodes());
    backbones::for_each<double>(12, 3, [&](const char* kind, const auto& model) {
      const auto egos = egos_of(data, model);
      for (const double strength : {0.0, 0.3, 0.6, 0.9, 1.0}) {
        INFO(name << ", " << kind << ", strength " << strength);
        const gp::corruption_options options{.strength = strength, .samples = 5, .seed = 11, .iteration = 2, .step = 1};
        const auto slow = slow_answers(data, model, anchors, options);
        gp::matrix<double> logits(anchors.size() * 5, 3);
        egos.answer(gp::cpu{2}, anchors, options, {.logits = logits.view()});
        // sums of at most 150 terms of size below 100, in another order
        CHECK(support::largest_difference(logits, slow) < 150 * 100 * 1e-15);
      }
    });
  }
}

TEST_CASE("a row that is looked up has the bits of the row that would be computed", "[patcher][fast]") {
  std::size_t looked_up = 0;  // none in a clique, where every dropped node breaks triangles
  for (const auto& [name, graph] : odd::graphs()) {
    const auto data = odd::data_on<double>(graph);
    backbones::for_each<double>(12, 3, [&](const char* kind, const auto& model) {
      INFO(name << ", " << kind);
      const auto egos = egos_of(data, model);
      const gp::corruption_options options{.strength = 0.4, .samples = 3, .seed = 5};
      const auto stream = gp::fast::corruption_stream(options);
      const std::size_t width = egos.rows().second.width();
      bool same = true;
      egos.with_worker([&](auto& worker) {
        for (const node_id anchor : toy::all_nodes(data.nodes())) {
          worker.cut.start(anchor);
          worker.masks.draw(stream, options, anchor, worker.cut.neighbors());
          worker.cut.drop([&](std::size_t n) { return worker.masks.keeps(0, n); });
          egos.gather_messages(worker);
          std::vector<double> row(width);
          for (std::size_t k = 0; k < worker.messages.size(); ++k) {
            const node_id node = worker.sources[k];
            looked_up += worker.messages[k] == egos.tables().second_row(node) ? 1 : 0;
            egos.gather_first(worker, node);
            egos.rows().make_message({egos.tables().first_row(node), worker.pointers, worker.scales}, row.data(),
                                     worker.scratch);
            same = same && std::equal(row.begin(), row.end(), worker.messages[k]);
          }
        }
      });
      CHECK(same);
    });
  }
  CHECK(looked_up > 1000);
}

TEST_CASE("equal masks are computed once and have equal bits; nothing depends on threads or other anchors",
          "[patcher][fast]") {
  const auto data = odd::data_on<float>(slow::random_graph<node_id>(80, 150, 9));
  const auto anchors = toy::all_nodes(data.nodes());
  backbones::for_each<float>(12, 3, [&](const char* kind, const auto& model) {
    INFO(kind);
    using rows = gp::fast::rows_type<std::remove_cvref_t<decltype(model)>>;
    const gp::fast::frozen_egos<float, node_id, rows> egos(gp::cpu{}, gp::fast::rows_of(model), data.graph,
                                                           data.features);
    const gp::corruption_options options{.strength = 0.5, .samples = 16, .seed = 4};
    gp::matrix<float> one(anchors.size() * 16, 3);
    gp::matrix<float> three(anchors.size() * 16, 3);
    egos.answer(gp::cpu{1}, anchors, options, {.logits = one.view()});
    egos.answer(gp::cpu{3}, anchors, options, {.logits = three.view()});
    CHECK(support::same_bits(one, three));
    gp::matrix<float> alone(16, 3);
    egos.answer(gp::cpu{1}, std::vector<node_id>{anchors[7]}, options, {.logits = alone.view()});
    CHECK(support::same_bits(alone, one.view().middle_rows(7 * 16, 8 * 16)));
    gp::matrix<float> first(anchors.size(), 3);  // sample 0 alone: no mask to share with
    auto single = options;
    single.samples = 1;
    egos.answer(gp::cpu{1}, anchors, single, {.logits = first.view()});
    bool same = true;
    for (std::size_t b = 0; b < anchors.size(); ++b) {
      same = same && std::equal(first.row(b).begin(), first.row(b).end(), one.row(b * 16).begin());
    }
    CHECK(same);
  });
}

TEST_CASE("the mean target is the mean over samples, or the exact expectation", "[patcher][fast]") {
  const auto data = odd::data_on<double>(slow::random_graph<node_id>(40, 50, 2));
  const auto anchors = toy::all_nodes(data.nodes());
  const auto model = backbones::shaken(gp::gcn_backbone<double>({.hidden = 8}, 12, 3));
  const auto egos = egos_of(data, model);
  for (const auto estimator : {gp::estimator::sampled, gp::estimator::exact}) {
    const gp::corruption_options options{.strength = 0.3, .samples = 6, .seed = 1, .estimator = estimator};
    const auto batch = gp::make_ego_batch({}, data.graph, anchors, {.hops = 2});
    const auto masks = gp::corrupt({}, batch, options);
    const auto slow = slow_answers(data, model, anchors, options);
    gp::matrix<double> expected(anchors.size(), 3);
    std::vector<double> entropy(anchors.size(), 0.0);
    std::size_t row = 0;
    for (std::size_t b = 0; b < anchors.size(); ++b) {
      for (std::size_t s = 0; s < masks.samples; ++s) {
        if (masks.weight(b, s) == 0) {
          continue;
        }
        double sum = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          sum += std::exp(slow(row, c));
        }
        for (std::size_t c = 0; c < 3; ++c) {
          const double y = std::exp(slow(row, c)) / sum;
          expected(b, c) += masks.weight(b, s) * y;
          entropy[b] += masks.weight(b, s) * (y + 1e-9) * std::log(y + 1e-9);
        }
        ++row;
      }
    }
    gp::matrix<double> mean(anchors.size(), 3);
    std::vector<double> found(anchors.size());
    egos.targets(gp::cpu{2}, anchors, options, 1e-9, mean.view(), found);
    CHECK(support::largest_difference(mean, expected) < 1e-13);
    for (std::size_t b = 0; b < anchors.size(); ++b) {
      CHECK(found[b] == Approx(entropy[b]).margin(1e-12));
    }
  }
}

TEST_CASE("frozen_egos refuses what it can't answer", "[patcher][fast]") {
  auto data = odd::data_on<double>(slow::random_graph<node_id>(20, 30, 2));
  const gp::gcn_backbone<double> model({.hidden = 8}, 12, 3);
  const auto egos = egos_of(data, model);
  gp::matrix<double> logits(1, 3);
  CHECK_THROWS_AS(egos.answer(gp::cpu{}, std::vector<node_id>{20}, {}, {.logits = logits.view()}), gp::index_error);
  CHECK_THROWS_AS(
      egos.answer(gp::cpu{}, std::vector<node_id>{1}, {.estimator = gp::estimator::exact}, {.logits = logits.view()}),
      gp::argument_error);
  data.graph = odd::from(20, {{0, 1}}, {.direction = gp::edge_direction::directed});
  CHECK_THROWS_WITH(egos_of(data, model), Catch::Contains("undirected"));
  const gp::gcn_backbone<double> wider({.hidden = 8}, 13, 3);
  data.graph = odd::from(20, {{0, 1}});
  CHECK_THROWS_AS(egos_of(data, wider), gp::shape_error);
}
