// SPDX-License-Identifier: MIT
// Parity with the released implementation on Cora: every number on the way
// from the backbone's logits to the gradients of the patcher.
#include <map>

#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/patcher/patching.hpp"
#include "support/reference.hpp"

namespace gp = graphpatcher;
using reference::matrix_of;
using reference::node_id;
using reference::relative_difference;
using reference::suffix;
using reference::tolerance;

namespace {

template <class T>
gp::gcn_backbone<T> reference_backbone() {
  const gp::npz_archive file(reference::folder() + "backbone.npz");
  gp::gcn_backbone<T> model(gp::gcn_config{}, 1433, 7);
  model.layers[0].weight.value = matrix_of<T>(file, "W1");
  model.layers[0].bias.value = matrix_of<T>(file, "b1");
  model.layers[1].weight.value = matrix_of<T>(file, "W2");
  model.layers[1].bias.value = matrix_of<T>(file, "b2");
  return model;
}

/// Our parameter of each of the reference's; those of the MLP stand transposed there.
const std::map<std::string, std::string> names{
    {"encoder.0.weight", "G1"},        {"encoder.0.bias", "g1"},          {"encoder.1.weight", "G2"},
    {"encoder.1.bias", "g2"},          {"decoder.layers.0.weight", "M1"}, {"decoder.layers.0.bias", "m1"},
    {"decoder.layers.1.weight", "M2"}, {"decoder.layers.1.bias", "m2"},   {"decoder.layers.2.weight", "M3"}};

template <class T>
gp::matrix<T> in_our_layout(const gp::npz_archive& file, const std::string& prefix, const std::string& name) {
  const auto theirs = matrix_of<T>(file, prefix + names.at(name));
  return names.at(name)[0] == 'M' ? reference::transposed(theirs) : theirs;
}

template <class T>
gp::patch_generator<T> reference_generator() {
  const gp::npz_archive file(reference::folder() + "gen64.npz");
  gp::patch_generator<T> generator({.features = 1433, .hidden = 64, .dropout = 0.0});
  for (auto* p : generator.parameters()) {
    auto value = in_our_layout<T>(file, "", p->name);
    REQUIRE(value.rows() == p->value.rows());
    REQUIRE(value.cols() == p->value.cols());
    p->value = std::move(value);
  }
  return generator;
}

/// The 64 anchors, their ego-graphs and the fixed masks.
struct fixture {
  std::vector<node_id> anchors;
  gp::ego_batch<node_id> batch;
  gp::training_masks masks;

  explicit fixture(const gp::csr_graph<node_id>& graph) {
    const gp::npz_archive file(reference::folder() + "anchors.npz");
    anchors = reference::indices_of(file, "anchors");
    batch = gp::make_ego_batch({}, graph, anchors);
    masks.start = read_masks(file, "keep_start");
    masks.targets.push_back(read_masks(file, "keep_t1"));
    masks.targets.push_back(read_masks(file, "keep_t2"));
  }

  gp::corruption_masks read_masks(const gp::npz_archive& file, const std::string& name) const {
    auto masks_read = gp::corrupt({}, batch, {.samples = name == "keep_start" ? 1u : 10u});
    masks_read.keep = file.read<std::uint8_t>(name).values;
    return masks_read;
  }
};

}  // namespace

TEST_CASE("ego-graphs have the reference's nodes and edges", "[reference]") {
  if (!reference::present()) {
    return;
  }
  const reference::cora<double> data;
  const fixture f(data.graph);
  const gp::npz_archive file(reference::folder() + "anchors.npz");
  const auto check_nodes = [&](std::span<const gp::masked_ego> egos, const std::string& name) {
    const auto starts = reference::indices_of(file, name + "_ptr");
    const auto nodes = reference::indices_of(file, name + "_nodes");
    for (std::size_t e = 0; e < egos.size(); ++e) {
      const auto single = gp::materialise<node_id>({}, f.batch, egos.subspan(e, 1));
      auto ids = single.global_ids;
      std::sort(ids.begin(), ids.end());
      REQUIRE(ids == std::vector<node_id>(nodes.begin() + starts[e], nodes.begin() + starts[e + 1]));
    }
  };
  const auto whole = gp::whole_egos(f.batch);
  const auto start = gp::corrupted_egos(f.batch, f.masks.start, 0);
  check_nodes(whole, "ego_full");
  check_nodes(start, "ego_start");
  check_nodes(gp::corrupted_egos(f.batch, f.masks.targets[0]), "ego_t1");
  check_nodes(gp::corrupted_egos(f.batch, f.masks.targets[1]), "ego_t2");
  const auto full_edges = reference::indices_of(file, "ego_full_edges");
  const auto start_edges = reference::indices_of(file, "ego_start_edges");
  for (std::size_t b = 0; b < f.batch.size(); ++b) {
    const auto one = std::span(whole).subspan(b, 1);
    CHECK(gp::materialise<node_id>({}, f.batch, one).sources.size() == static_cast<std::size_t>(full_edges[b]));
    const auto cut = std::span(start).subspan(b, 1);
    CHECK(gp::materialise<node_id>({}, f.batch, cut).sources.size() == static_cast<std::size_t>(start_edges[b]));
  }
}

TEMPLATE_TEST_CASE("the backbone's logits agree with the reference", "[reference]", float, double) {
  using T = TestType;
  if (!reference::present()) {
    return;
  }
  const reference::cora<T> data;
  const auto model = reference_backbone<T>();
  const fixture f(data.graph);
  const gp::npz_archive targets(reference::folder() + "targets" + suffix<T>);
  const auto whole = gp::predict(gp::cpu{}, model, data.graph, data.features);
  CHECK(relative_difference<T>(whole, matrix_of<double>(targets, "full_logits")) < tolerance<T>);

  const auto logits_of = [&](std::span<const gp::masked_ego> egos) {
    return gp::predict(gp::cpu{}, model, gp::materialise<node_id>({}, f.batch, egos), data.features);
  };
  CHECK(relative_difference<T>(logits_of(gp::whole_egos(f.batch)), matrix_of<double>(targets, "anchor_logits_full")) <
        tolerance<T>);
  CHECK(relative_difference<T>(logits_of(gp::corrupted_egos(f.batch, f.masks.start, 0)),
                               matrix_of<double>(targets, "anchor_logits_start")) < tolerance<T>);
  CHECK(relative_difference<T>(logits_of(gp::corrupted_egos(f.batch, f.masks.targets[0])),
                               matrix_of<double>(targets, "target_t1")) < tolerance<T>);
  CHECK(relative_difference<T>(logits_of(gp::corrupted_egos(f.batch, f.masks.targets[1])),
                               matrix_of<double>(targets, "target_t2")) < tolerance<T>);
}

TEMPLATE_TEST_CASE("training steps agree with the reference: patches, logits, losses, gradients", "[reference]", float,
                   double) {
  using T = TestType;
  if (!reference::present()) {
    return;
  }
  const reference::cora<T> data;
  const auto model = reference_backbone<T>();
  auto generator = reference_generator<T>();
  const fixture f(data.graph);
  const gp::npz_archive steps(reference::folder() + "steps_gen64" + suffix<T>);
  const auto patches = matrix_of<double>(steps, "patch");
  const auto logits = matrix_of<double>(steps, "logits");
  const auto scalar = [&](const std::string& name) { return steps.read<double>(name).values.at(0); };

  struct variant {
    gp::patch_loss loss;
    gp::sample_reduction reduction;
    std::string name;
  };
  const auto v = GENERATE(variant{gp::patch_loss::paper, gp::sample_reduction::sum, "sumL"},
                          variant{gp::patch_loss::paper, gp::sample_reduction::mean, "meanL"},
                          variant{gp::patch_loss::released, gp::sample_reduction::sum, "term3"});
  gp::patcher_config config;
  config.loss = v.loss;
  config.reduction = v.reduction;
  config.epsilon = 0;
  gp::tape<T> t;
  gp::tape<T> scratch;
  const auto pass = gp::run_training_pass(t, scratch, model, generator, data.features, f.batch, f.masks, config);

  REQUIRE(pass.patches.size() == 3);
  for (std::size_t m = 0; m < 3; ++m) {
    const auto expected = gp::copy_of(patches.view().middle_rows(64 * m, 64 * (m + 1)));
    CHECK(relative_difference<T>(pass.patches[m].value(), expected) < tolerance<T>);
  }
  const std::size_t first = 3 - pass.logits.size();
  for (std::size_t m = first; m < 3; ++m) {
    const auto expected = gp::copy_of(logits.view().middle_rows(64 * m, 64 * (m + 1)));
    CHECK(relative_difference<T>(pass.logits[m - first].value(), expected) < tolerance<T>);
  }
  CHECK(static_cast<double>(pass.loss.value()(0, 0)) ==
        Approx(scalar("loss_total_" + v.name)).epsilon(tolerance<T>).margin(0));
  CHECK(static_cast<double>(pass.terms.back().value()(0, 0)) ==
        Approx(scalar("loss_term3")).epsilon(tolerance<T>).margin(0));
  if (v.loss == gp::patch_loss::paper) {
    CHECK(static_cast<double>(pass.terms[0].value()(0, 0)) ==
          Approx(scalar("loss_term1_" + v.name)).epsilon(tolerance<T>).margin(0));
    CHECK(static_cast<double>(pass.terms[1].value()(0, 0)) ==
          Approx(scalar("loss_term2_" + v.name)).epsilon(tolerance<T>).margin(0));
  }

  t.backward(pass.loss);
  double squares = 0;
  for (const auto* p : generator.parameters()) {
    INFO(p->name);
    REQUIRE(p->has_gradient);
    const auto expected = in_our_layout<double>(steps, "grad_" + v.name + "_", p->name);
    CHECK(relative_difference<T>(p->gradient.view(), expected) < tolerance<T>);
    for (const T g : p->gradient.values()) {
      squares += static_cast<double>(g) * static_cast<double>(g);
    }
  }
  CHECK(std::sqrt(squares) == Approx(scalar("loss_gradnorm_" + v.name)).epsilon(tolerance<T>).margin(0));
}

TEST_CASE("the released loss of the L targets has the reference's value and no gradient", "[reference]") {
  if (!reference::present()) {
    return;
  }
  const reference::cora<double> data;
  const auto model = reference_backbone<double>();
  auto generator = reference_generator<double>();
  const fixture f(data.graph);
  const gp::npz_archive steps(reference::folder() + "steps_gen64_f64.npz");
  const std::size_t step = GENERATE(0, 1);

  gp::tape<double> t;
  gp::tape<double> scratch;
  gp::patcher_config config;
  config.loss = gp::patch_loss::paper;
  const auto pass = gp::run_training_pass(t, scratch, model, generator, data.features, f.batch, f.masks, config);
  const auto graph = gp::materialise<node_id>({}, f.batch, gp::corrupted_egos(f.batch, f.masks.targets[step]));
  const auto target_logits = gp::predict(gp::cpu{}, model, graph, data.features);
  const auto loss = gp::released_sample_loss(target_logits.view(), pass.logits[step], 1.0 / 64, 10);
  CHECK(loss.value()(0, 0) ==
        Approx(steps.read<double>("loss_term" + std::to_string(step + 1) + "_authors").values.at(0)).epsilon(1e-9));

  const auto norm = [&] {
    double squares = 0;
    for (const auto* p : generator.parameters()) {
      for (const double g : p->gradient.values()) {
        squares += g * g;
      }
    }
    return std::sqrt(squares);
  };
  t.backward(loss);
  CHECK(norm() < 1e-12);
  for (auto* p : generator.parameters()) {
    p->has_gradient = false;
  }
  gp::tape<double> again;
  const auto trained = gp::run_training_pass(again, scratch, model, generator, data.features, f.batch, f.masks, config);
  again.backward(trained.terms[step]);
  CHECK(norm() > 1e-2);  // the same term over classes has one
}

TEMPLATE_TEST_CASE("test-time patching agrees with the reference, patch by patch", "[reference]", float, double) {
  using T = TestType;
  if (!reference::present()) {
    return;
  }
  const reference::cora<T> data;
  const auto model = reference_backbone<T>();
  const auto generator = reference_generator<T>();
  const fixture f(data.graph);
  const gp::npz_archive steps(reference::folder() + "steps_gen64" + suffix<T>);
  const auto patches = matrix_of<double>(steps, "infer_patch");
  const auto logits = matrix_of<double>(steps, "infer_logits");
  const auto patched = gp::patch_nodes(gp::cpu{}, data.graph, data.features, model, generator, f.anchors,
                                       {.patches = 5, .keep_features = true});
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(relative_difference<T>(patched.features[k], gp::copy_of(patches.view().middle_rows(64 * k, 64 * (k + 1)))) <
          tolerance<T>);
    CHECK(relative_difference<T>(patched.logits[k + 1], gp::copy_of(logits.view().middle_rows(64 * k, 64 * (k + 1)))) <
          tolerance<T>);
  }
}
