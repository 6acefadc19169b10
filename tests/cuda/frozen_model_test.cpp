// SPDX-License-Identifier: MIT
// Answers on corrupted ego-graphs by frozen_model: a GPU's paths against the processor's.
#include "graphpatcher/patcher/frozen_model.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "cuda/support/gpu.hpp"
#include "graphpatcher/models/sage.hpp"
#include "support/errors.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;
using gp::test::gpu;
using toy::node_id;

namespace {

/// Everything that can be asked for, copied to the host.
template <class T>
struct answers_on {
  gp::matrix<T> logits;
  gp::matrix<T> probabilities;
  gp::matrix<T> mean;

  answers_on(const gp::executor& exec, const gp::frozen_model<T, node_id>& frozen, const std::vector<node_id>& anchors,
             const gp::corruption_options& options) {
    const std::size_t pairs = anchors.size() * options.samples;
    gp::matrix<T> all(exec, pairs, frozen.classes());
    gp::matrix<T> shares(exec, pairs, frozen.classes());
    gp::matrix<T> means(exec, anchors.size(), frozen.classes());
    frozen.answer(anchors, options, {all.view(), shares.view(), means.view()});
    logits = gp::to_host(exec, all.view());
    probabilities = gp::to_host(exec, shares.view());
    mean = gp::to_host(exec, means.view());
  }
};

template <class T, class Model>
void check_on_gpu(const gp::dataset<T, node_id>& data, const Model& model, gp::frozen_path wanted,
                  gp::frozen_path expected) {
  const gp::frozen_model there(gpu(), model, data, {.path = wanted});
  const gp::frozen_model here(gp::cpu{1}, model, data);
  CHECK(there.path() == expected);
  const std::vector<node_id> anchors{7, 0, 39, 7};
  const gp::corruption_options options{.strength = 0.4, .samples = 3, .seed = 5};
  const answers_on<T> got(gpu(), there, anchors, options);
  const answers_on<T> same(gp::cpu{1}, here, anchors, options);
  const double tolerance = gp::test::rounding<T>(200);  // terms of a hub's row, of the features and of the hidden row
  CHECK(gp::test::relative_difference(got.logits, same.logits) <= tolerance);
  CHECK(gp::test::relative_difference(got.probabilities, same.probabilities) <= tolerance);
  CHECK(gp::test::relative_difference(got.mean, same.mean) <= tolerance);
}

}  // namespace

TEMPLATE_TEST_CASE("a frozen model answers on a GPU as on the processor", "[cuda]", float, double) {
  using T = TestType;
  using path = gp::frozen_path;
  const auto data = toy::make<T>(40, 90, 12, 3);
  for (const auto norm : {gp::normalisation::mean, gp::normalisation::symmetric}) {
    const gp::gcn_backbone<T> model({.hidden = 20, .norm = norm, .seed = 1}, 12, 3);
    check_on_gpu(data, model, path::automatic, path::fused);
    check_on_gpu(data, model, path::fused, path::fused);
    check_on_gpu(data, model, path::generic, path::generic);
  }
  check_on_gpu(data, gp::gcn_backbone<T>({.layers = 3, .hidden = 8, .seed = 1}, 12, 3), path::automatic, path::generic);
  check_on_gpu(data, gp::sage_backbone<T>({.hidden = 8, .seed = 1}, 12, 3), path::automatic, path::generic);
}

TEST_CASE("a frozen model on a GPU says which path can't be taken", "[cuda]") {
  const auto data = toy::make<float>(20, 30, 12, 3);
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  const auto refused = [&](const auto& which, gp::frozen_path path) {
    return support::message_of<gp::argument_error>([&] { gp::frozen_model(gpu(), which, data, {.path = path}); });
  };
  CHECK_THAT(refused(model, gp::frozen_path::rows), Catch::Contains("for the processor"));
  const gp::gcn_backbone<float> deeper({.layers = 3, .hidden = 8}, 12, 3);
  CHECK_THAT(refused(deeper, gp::frozen_path::fused), Catch::Contains("2 layers, this one has 3"));
  const gp::gcn_backbone<float> sums({.hidden = 8, .norm = gp::normalisation::sum}, 12, 3);
  CHECK_THAT(refused(sums, gp::frozen_path::fused), Catch::Contains("this is sum"));
  const gp::sage_backbone<float> sage({.hidden = 8}, 12, 3);
  CHECK_THAT(refused(sage, gp::frozen_path::fused), Catch::Contains("it knows GCN"));

  const gp::frozen_model fused(gpu(), model, data);
  gp::matrix<float> mean(gpu(), 1, 3);
  const std::vector<node_id> anchors{4};
  CHECK_THROWS_AS(fused.answer(anchors, {.estimator = gp::estimator::exact}, {.mean_probabilities = mean.view()}),
                  gp::argument_error);
  const gp::frozen_model generic(gpu(), model, data, {.path = gp::frozen_path::generic});
  CHECK_NOTHROW(generic.answer(anchors, {.estimator = gp::estimator::exact}, {.mean_probabilities = mean.view()}));
}
