// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/fast_path.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "graphpatcher/io/load_dataset.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"
#include "patcher/detail/backbones.hpp"
#include "patcher/detail/odd_graphs.hpp"
#include "support/compare.hpp"

namespace gp = graphpatcher;
using toy::node_id;

namespace {

template <class T, class Model>
gp::patched_predictions<T> patch(const gp::dataset<T, node_id>& data, const Model& model,
                                 const gp::patch_generator<T>& generator, const std::vector<node_id>& nodes,
                                 gp::patch_path path, gp::patching_options options = {}, int threads = 2) {
  options.path = path;
  return gp::patch_nodes<T, node_id>(gp::cpu{threads}, data.graph, data.features, model, generator, nodes, options);
}

/// Something the library doesn't know: a GCN by another name.
struct stranger : gp::gcn_backbone<float> {
  using gp::gcn_backbone<float>::gcn_backbone;
};

}  // namespace

TEST_CASE("patched answers are the generic path's, for every backbone and graph", "[patcher][fast]") {
  for (const auto& [name, graph] : odd::graphs()) {
    const auto data = odd::data_on<double>(graph);
    const auto nodes = toy::all_nodes(data.nodes());
    const auto generator = backbones::shaken(gp::patch_generator<double>({.features = 12, .hidden = 70, .seed = 3}), 1);
    backbones::for_each<double>(12, 3, [&](const char* kind, const auto& model) {
      for (const auto edge : {gp::patch_edge::to_anchor, gp::patch_edge::to_anchor_loop}) {
        INFO(name << ", " << kind);
        const gp::patching_options options{.patches = 3, .keep_features = true, .edge = edge};
        const auto slow = patch(data, model, generator, nodes, gp::patch_path::generic, options);
        const auto fast = patch(data, model, generator, nodes, gp::patch_path::fast, options);
        CHECK(support::same_bits(fast.logits[0], slow.logits[0]));
        for (std::size_t k = 0; k < 3; ++k) {
          CHECK(support::largest_difference(fast.logits[k + 1], slow.logits[k + 1]) < 1e-9);
          CHECK(support::largest_difference(fast.features[k], slow.features[k]) < 1e-9);
        }
      }
    });
  }
}

TEST_CASE("a fast answer doesn't depend on threads or on the other anchors", "[patcher][fast]") {
  const auto data = odd::data_on<float>(slow::random_graph<node_id>(700, 1500, 9));  // more than one block of rows
  const auto generator = gp::patch_generator<float>({.features = 12, .hidden = 24});
  const auto model = backbones::shaken(gp::gcn_backbone<float>({.hidden = 8}, 12, 3));
  const auto all = patch(data, model, generator, toy::all_nodes(700), gp::patch_path::fast, {.patches = 2}, 1);
  const auto threads = patch(data, model, generator, toy::all_nodes(700), gp::patch_path::fast, {.patches = 2}, 3);
  const std::vector<node_id> some{41, 0, 699};
  const auto few = patch(data, model, generator, some, gp::patch_path::fast, {.patches = 2});
  for (std::size_t k = 0; k <= 2; ++k) {
    CHECK(support::same_bits(all.logits[k], threads.logits[k]));
    for (std::size_t b = 0; b < some.size(); ++b) {
      const auto whole = all.logits[k].row(static_cast<std::size_t>(some[b]));
      CHECK(std::equal(whole.begin(), whole.end(), few.logits[k].row(b).begin()));
    }
  }
}

TEST_CASE("the path is chosen by what is there", "[patcher][fast]") {
  const auto data = toy::make<float>();
  const gp::gcn_backbone<float> gcn({.hidden = 8}, 12, 3);
  const gp::gcn_backbone<float> symmetric({.hidden = 8, .norm = gp::normalisation::symmetric}, 12, 3);
  const gp::gcn_backbone<float> deep({.layers = 3, .hidden = 8}, 12, 3);
  const gp::patcher_config config;
  const gp::cpu exec;
  CHECK(gp::why_not_fast(exec, gcn, data.graph, config).empty());
  CHECK(gp::why_not_fast(exec, symmetric, data.graph, config).empty());
  CHECK_THAT(gp::why_not_fast(exec, deep, data.graph, config),
             Catch::Contains("this one has 3: a patch changes more than its anchor"));
  CHECK_THAT(gp::why_not_fast(exec, stranger({.hidden = 8}, 12, 3), gp::degree_mode::graph, config.edge),
             Catch::Contains("no member rows()"));  // a subclass may do what it wants
  CHECK_THAT(gp::why_not_fast(exec, gcn, gp::degree_mode::graph, gp::patch_edge::undirected),
             Catch::Contains("undirected patch"));
  CHECK(gp::why_not_fast(exec, gcn, gp::degree_mode::ego, config.edge).empty());  // means need no degree
  CHECK_THAT(gp::why_not_fast(exec, symmetric, gp::degree_mode::ego, config.edge), Catch::Contains("symmetric"));
  auto through = config;
  through.backprop_through_steps = true;
  CHECK_THAT(gp::why_not_fast(exec, gcn, data.graph, through), Catch::Contains("constants"));
  const auto directed = odd::from(60, {{0, 1}, {1, 2}}, {.direction = gp::edge_direction::directed});
  CHECK_THAT(gp::why_not_fast(exec, gcn, directed, config), Catch::Contains("directed"));

  using path = gp::patch_path;
  CHECK(gp::choose_path(path::automatic, "") == path::fast);
  CHECK(gp::choose_path(path::automatic, "no") == path::generic);
  CHECK(gp::choose_path(path::generic, "") == path::generic);
  CHECK(gp::choose_path(path::fast, "") == path::fast);
  CHECK_THROWS_WITH(gp::choose_path(path::fast, "it is late"), Catch::Contains("it is late"));
}

TEST_CASE("training takes the path it is told and ends with the same weights to rounding", "[patcher][fast]") {
  const auto data = toy::make<double>();
  const auto model = backbones::shaken(gp::gcn_backbone<double>({.hidden = 8}, 12, 3));
  const auto rule = GENERATE(gp::stop_rule::accuracy, gp::stop_rule::loss);
  gp::patcher_config config;
  config.loss = gp::patch_loss::paper;
  config.hidden = 16;
  config.batch = 8;
  config.stop = rule;
  config.max_iterations = 20;
  config.warmup = 5;
  config.evaluate_every = 5;
  config.quiet = true;
  auto fast = gp::train_patcher(gp::cpu{2}, data, model, config);
  CHECK(fast.path == gp::patch_path::fast);
  config.path = gp::patch_path::generic;
  auto slow = gp::train_patcher(gp::cpu{2}, data, model, config);
  CHECK(slow.path == gp::patch_path::generic);
  REQUIRE(fast.best_iteration == slow.best_iteration);
  REQUIRE(fast.evaluations.size() == slow.evaluations.size());
  for (std::size_t e = 0; e < fast.evaluations.size(); ++e) {
    CHECK(fast.evaluations[e].training_loss == Approx(slow.evaluations[e].training_loss).epsilon(1e-6));
    CHECK(fast.evaluations[e].validation_accuracies == slow.evaluations[e].validation_accuracies);
  }
  for (std::size_t p = 0; p < fast.generator.parameters().size(); ++p) {
    const auto& a = fast.generator.parameters()[p]->value;
    CHECK(support::largest_difference(a, slow.generator.parameters()[p]->value) < 20 * 1e-3 * config.learning_rate);
  }
}

TEST_CASE("both paths agree on the real datasets", "[patcher][fast][data]") {
  const std::string root = std::string(GP_SHARED_DIR) + "/data";
  if (!std::filesystem::exists(root)) {
    WARN("skipped: no data");
    return;
  }
  struct real_dataset {
    const char* name;
    gp::normalisation norm;
    std::size_t anchors;  // few where ego-graphs are half of the graph
  };
  constexpr auto mean = gp::normalisation::mean;
  constexpr auto symmetric = gp::normalisation::symmetric;
  for (const auto& [name, norm, count] :
       {real_dataset{"cora", mean, 48}, real_dataset{"citeseer", mean, 48}, real_dataset{"pubmed", symmetric, 48},
        real_dataset{"amazon-photo", mean, 4}, real_dataset{"coauthor-cs", symmetric, 24},
        real_dataset{"chameleon", symmetric, 6}, real_dataset{"actor", mean, 24}}) {
    INFO(name);
    const auto data = gp::load_dataset<double>(name, {.root = root});
    const auto model = backbones::shaken(
        gp::gcn_backbone<double>({.hidden = 16, .norm = norm}, data.features.cols(), data.classes), 1);
    const gp::patch_generator<double> start({data.features.cols(), 32, 0.2, 1});
    std::vector<node_id> anchors;
    for (std::size_t v = 0; anchors.size() < count; v += 37) {
      anchors.push_back(static_cast<node_id>(v));
    }
    const auto slow = patch(data, model, start, anchors, gp::patch_path::generic, {.patches = 2});
    const auto fast = patch(data, model, start, anchors, gp::patch_path::fast, {.patches = 2});
    CHECK(support::same_bits(fast.logits[0], slow.logits[0]));
    CHECK(support::largest_difference(fast.logits[2], slow.logits[2]) < 1e-10);

    gp::patcher_config config;
    config.loss = gp::patch_loss::paper;
    config.hidden = 32;
    config.batch = count;
    auto slow_generator = start;
    auto fast_generator = start;
    using model_type = gp::gcn_backbone<double>;
    gp::generic_trainer<double, node_id, model_type> slow_trainer(gp::cpu{2}, data, model, config, slow_generator);
    gp::fast::trainer<double, node_id, model_type> fast_trainer(gp::cpu{2}, data, model, config, fast_generator);
    const double expected = slow_trainer.step(anchors, 0)(0, 0);
    CHECK(fast_trainer.step(anchors, 0)(0, 0) == Approx(expected).epsilon(1e-9));
  }
}
