// SPDX-License-Identifier: MIT
// Dense features in every type: both paths agree, and agree with sparse features of the same numbers.
#include <catch2/catch.hpp>
#include <numeric>

#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/detail/fast_trainer.hpp"
#include "graphpatcher/patcher/detail/generic_trainer.hpp"
#include "graphpatcher/patcher/fixed_patches.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"
#include "graphpatcher/patcher/patching.hpp"
#include "graphpatcher/patcher/spread_predictions.hpp"
#include "patcher/detail/backbones.hpp"
#include "patcher/detail/odd_graphs.hpp"
#include "support/compare.hpp"
#include "support/dense_features.hpp"
#include "support/quick_config.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

template <class T>
using data_set = gp::dataset<T, node_id>;

constexpr std::size_t width = 70;  // more than a strip of the encoder, not a multiple of a block

template <class T, class S>
data_set<T> dense_data() {
  auto data = odd::data_on<T>(slow::random_graph<node_id>(60, 110, 3));
  data.features = support::dense_features<T, S>(60, width, 4);
  return data;
}
template <class T>
data_set<T> made_sparse(data_set<T> data) {
  data.features = support::made_sparse(data.features);
  return data;
}

/// Everything that is asked of a backbone on a dataset, all on one path, one after the other.
template <class T, class Model>
std::vector<gp::matrix<T>> answers(const data_set<T>& data, const Model& model, bool fast, int threads = 2) {
  const gp::cpu exec{threads};
  const auto path = fast ? gp::patch_path::fast : gp::patch_path::generic;
  const auto generator = backbones::shaken(gp::patch_generator<T>({.features = width, .hidden = 70, .seed = 3}), 1);
  const auto nodes = toy::all_nodes(data.nodes());
  const gp::patching_options options{.patches = 2, .keep_features = true, .path = path};
  auto patched = gp::patch_nodes<T, node_id>(exec, data.graph, data.features, model, generator, nodes, options);
  std::vector<gp::matrix<T>> all = std::move(patched.logits);
  all.insert(all.end(), patched.features.begin(), patched.features.end());
  for (const auto kind : {gp::fixed_patch::mean, gp::fixed_patch::copy}) {
    all.push_back(gp::patch_nodes<T, node_id>(exec, data.graph, data.features, model, kind, nodes, options).logits[2]);
  }
  const gp::frozen_model frozen(exec, model, data, {.path = fast ? gp::frozen_path::rows : gp::frozen_path::generic});
  all.emplace_back(nodes.size() * 3, data.classes);
  frozen.answer(nodes, {.strength = 0.4, .samples = 3, .seed = 5}, {.logits = all.back().view()});
  return all;
}

template <class T>
double distance(const std::vector<gp::matrix<T>>& a, const std::vector<gp::matrix<T>>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, support::largest_difference(a[i], b[i]));
  }
  return largest;
}

/// Two training steps on the fast and on the generic path, or on two datasets.
template <class Trainer, class T, class Model>
std::vector<gp::matrix<T>> trained(const data_set<T>& data, const Model& model, const gp::patcher_config& config,
                                   int threads = 2) {
  auto generator =
      backbones::shaken(gp::patch_generator<T>({data.features.cols(), config.hidden, config.dropout, 3}), 1);
  Trainer trainer(gp::cpu{threads}, data, model, config, generator);
  const auto anchors = toy::all_nodes(data.nodes());
  std::vector<gp::matrix<T>> result;
  for (std::uint64_t iteration = 0; iteration < 2; ++iteration) {
    const auto loss = trainer.step(std::span<const node_id>(anchors).subspan(9 * iteration, 7 - iteration), iteration);
    result.push_back(gp::copy_of(loss));
  }
  for (const auto* p : generator.parameters()) {
    result.push_back(p->value);
  }
  return result;
}

gp::patcher_config config_of(double learning_rate) {
  auto config = toy::quick_config();
  config.hidden = 70;
  config.samples = 4;
  config.batch = 7;
  config.learning_rate = learning_rate;
  config.epsilon = 1e-9;
  return config;
}

}  // namespace

TEMPLATE_TEST_CASE("dense features in every type: both paths answer alike, and as sparse features do",
                   "[patcher][fast][dense]", double, float, gp::float16, gp::bfloat16) {
  const auto data = dense_data<double, TestType>();
  const auto sparse = made_sparse(data);
  backbones::for_each<double>(width, 3, [&](const char* kind, const auto& model) {
    INFO(kind);
    const auto fast = answers(data, model, true);
    CHECK(distance(fast, answers(data, model, false)) < 1e-9);
    CHECK(distance(fast, answers(sparse, model, true)) < 1e-9);
  });
}

TEMPLATE_TEST_CASE("dense features in every type: a training step is the generic path's, and that of sparse features",
                   "[patcher][fast][dense]", double, float, gp::float16, gp::bfloat16) {
  const auto data = dense_data<double, TestType>();
  const auto sparse = made_sparse(data);
  auto config = config_of(1e-3);
  config.accumulate = std::is_same_v<TestType, float> ? 2 : 1;
  backbones::for_each<double>(width, 3, [&](const char* kind, const auto& model) {
    INFO(kind);
    using model_type = std::remove_cvref_t<decltype(model)>;
    using fast_trainer = gp::fast::trainer<double, node_id, model_type>;
    using slow_trainer = gp::generic_trainer<double, node_id, model_type>;
    const auto fast = trained<fast_trainer>(data, model, config);
    // AdamW divides a gradient by its own size: where it is next to nothing, rounding decides the step of lr.
    CHECK(distance(fast, trained<slow_trainer>(data, model, config)) < 1e-8);
    CHECK(distance(fast, trained<fast_trainer>(sparse, model, config)) < 1e-8);
  });
}

TEST_CASE("dense features: the same bits for any number of threads", "[patcher][fast][dense]") {
  const auto data = dense_data<float, gp::float16>();
  const auto model = backbones::shaken(gp::gcn_backbone<float>({.hidden = 13}, width, 3));
  using trainer = gp::fast::trainer<float, node_id, gp::gcn_backbone<float>>;
  const auto answered = answers(data, model, true, 1);
  const auto learnt = trained<trainer>(data, model, config_of(1e-3), 1);
  for (const int threads : {2, 5}) {
    CHECK(distance(answers(data, model, true, threads), answered) == 0);
    CHECK(distance(trained<trainer>(data, model, config_of(1e-3), threads), learnt) == 0);
  }
}

TEST_CASE("dense features: a backbone learns from them as from sparse ones", "[patcher][dense]") {
  // input dropout too, which GAT has: masks are keyed by (node, column), so both lose the same numbers
  const auto data = dense_data<double, gp::bfloat16>();
  const auto sparse = made_sparse(data);
  const auto compare = [&](auto model) {
    auto other = model;
    const gp::fit_options options{.max_epochs = 3, .seed = 4};
    gp::fit<double, node_id>(gp::cpu{2}, data, model, options);
    gp::fit<double, node_id>(gp::cpu{2}, sparse, other, options);
    CHECK(support::largest_difference(gp::predict(gp::cpu{2}, model, data.graph, data.features),
                                      gp::predict(gp::cpu{2}, other, sparse.graph, sparse.features)) < 1e-6);
  };
  compare(gp::gcn_backbone<double>({.hidden = 8, .dropout = 0.5}, width, 3));
  compare(gp::sage_backbone<double>({.hidden = 8, .dropout = 0.3}, width, 3));
  compare(gp::gat_backbone<double>({.hidden = 4, .heads = 2, .dropout = 0.4}, width, 3));
}

TEST_CASE("dense features: similar nodes are those of sparse features", "[patcher][dense]") {
  auto dense = support::dense_features<double, float>(500, 33, 2);  // more than a block of either side
  const auto sparse = support::made_sparse(dense);
  for (const std::size_t count : {1, 7, 600}) {
    const auto found = gp::similar_nodes(gp::cpu{2}, dense, count);
    const auto expected = gp::similar_nodes(gp::cpu{1}, sparse, count);
    CHECK(std::ranges::equal(found.offsets(), expected.offsets()));
    CHECK(std::ranges::equal(found.columns(), expected.columns()));
    for (std::size_t k = 0; k < found.nonzeros(); ++k) {
      REQUIRE(found.values()[k] == Approx(expected.values()[k]).epsilon(1e-12).margin(1e-15));
    }
    const auto again = gp::similar_nodes(gp::cpu{3}, dense, count);
    CHECK(std::ranges::equal(found.values(), again.values()));
  }
}

TEST_CASE("dense features: predictions spread over similar nodes alike", "[patcher][dense]") {
  const auto data = dense_data<double, double>();
  const auto model = backbones::shaken(gp::gcn_backbone<double>({.hidden = 8}, width, 3));
  CHECK(support::largest_difference(gp::spread_predictions(gp::cpu{2}, data, model, {}),
                                    gp::spread_predictions(gp::cpu{2}, made_sparse(data), model, {})) < 1e-12);
}
