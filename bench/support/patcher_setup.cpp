// SPDX-License-Identifier: MIT
#include "patcher_setup.hpp"

#include <algorithm>
#include <optional>

#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/detail/anchor_order.hpp"
#include "graphpatcher/patcher/detail/fast_trainer.hpp"
#include "graphpatcher/patcher/detail/generic_trainer.hpp"
#include "graphpatcher/patcher/patching.hpp"
#include "stepped_training.hpp"

namespace bench {

namespace {

using backbone = gp::gcn_backbone<float>;
using generator = gp::patch_generator<float>;

constexpr std::uint64_t seed = 1;
constexpr gp::gcn_config backbone_config{.hidden = 64, .seed = seed};

backbone make_backbone(const gp::cpu& exec, const gp::dataset<float, index>& data, std::size_t epochs) {
  if (epochs == 0) {
    return backbone(backbone_config, data.features.cols(), data.classes);
  }
  return gp::train_backbone(exec, data, backbone_config, {.max_epochs = epochs, .patience = epochs});
}

using trainer = gp::fast::trainer<float, index, backbone>;
using reference_trainer = gp::generic_trainer<float, index, backbone>;

}  // namespace

struct patcher_setup::parts {
  parts(gp::dataset<float, index> from, const options& how)
      : exec{how.threads},
        data(std::move(from)),
        model(make_backbone(exec, data, how.epochs)),
        config{.hidden = how.hidden, .dropout = how.dropout, .seed = seed, .quiet = true},
        patcher(fresh_generator()) {
    config.loss = gp::patch_loss::paper;  // all steps train: the harder one to be fast in
    auto anchors = gp::training_anchors(data, config.anchors);
    const std::size_t size = std::min(config.batch, anchors.size());
    const std::size_t whole = std::min<std::size_t>(anchors.size() / size, 64);
    gp::anchor_order<index> order(std::move(anchors), size, seed);
    for (std::size_t b = 0; b < whole; ++b) {
      const auto next = order.next();
      batches.emplace_back(next.begin(), next.end());
    }
  }

  generator fresh_generator() const {
    return generator({data.features.cols(), config.hidden, config.dropout, config.seed});
  }

  std::vector<gp::matrix<float>> patch(std::span<const index> nodes, const gp::patching_options& how) const {
    return gp::patch_nodes(exec, data.graph, data.features, model, patcher, nodes, how).logits;
  }

  gp::cpu exec;
  gp::dataset<float, index> data;
  backbone model;
  gp::patcher_config config;
  generator patcher;
  std::vector<std::vector<index>> batches;
  std::optional<stepped_training> training;
  std::optional<trainer> training_of_chosen;
  std::uint64_t iteration_of_chosen = 0;
};

patcher_setup::patcher_setup(gp::dataset<float, index> data, const options& how)
    : parts_(std::make_unique<parts>(std::move(data), how)) {}
patcher_setup::~patcher_setup() = default;

const gp::dataset<float, index>& patcher_setup::data() const {
  return parts_->data;
}
std::size_t patcher_setup::backbone_hidden() const {
  return backbone_config.hidden;
}
std::size_t patcher_setup::steps() const {
  return parts_->config.strengths.size();
}

std::size_t patcher_setup::bytes_of_data() const {
  const auto& d = parts_->data;
  const std::size_t graph = d.graph.entries() + 2 * d.nodes();
  return 4 * (graph + 2 * d.nodes()) + d.features.bytes();
}

std::size_t patcher_setup::bytes_of_model() const {
  std::size_t numbers = 0;
  for (const auto& each : generator_parameters()) {
    numbers += 4 * each.values->size();
  }
  for (const auto& each : backbone_parameters()) {
    numbers += each.values->size();
  }
  return 4 * numbers;
}

std::span<const index> patcher_setup::batch(std::size_t number) const {
  return parts_->batches[number % parts_->batches.size()];
}

double patcher_setup::train_iteration() {
  auto& p = *parts_;
  if (!p.training) {
    p.training.emplace(p.exec, p.data, p.model, p.config);
  }
  return p.training->step();
}

double patcher_setup::train_iteration(std::span<const index> anchors) {
  auto& p = *parts_;
  if (!p.training_of_chosen) {
    p.training_of_chosen.emplace(p.exec, p.data, p.model, p.config, p.patcher);
  }
  return static_cast<double>(p.training_of_chosen->step(anchors, p.iteration_of_chosen++)(0, 0));
}

std::vector<double> patcher_setup::generic_losses(std::size_t iterations) const {
  generator patcher = parts_->fresh_generator();
  reference_trainer training(parts_->exec, parts_->data, parts_->model, parts_->config, patcher);
  std::vector<double> losses;
  for (std::size_t i = 0; i < iterations; ++i) {
    losses.push_back(static_cast<double>(training.step(batch(i), i)(0, 0)));
  }
  return losses;
}

void patcher_setup::end_training() {
  parts_->training.reset();
  parts_->training_of_chosen.reset();
}

std::vector<gp::matrix<float>> patcher_setup::patch(std::span<const index> nodes) const {
  return parts_->patch(nodes, {});
}
std::vector<gp::matrix<float>> patcher_setup::patch_generically(std::span<const index> nodes) const {
  return parts_->patch(nodes, {.path = gp::patch_path::generic});
}

std::vector<patcher_setup::named_matrix> patcher_setup::backbone_parameters() const {
  std::vector<named_matrix> list;
  for (const auto* each : parts_->model.parameters()) {
    list.push_back({each->name, &each->value});
  }
  return list;
}
std::vector<patcher_setup::named_matrix> patcher_setup::generator_parameters() const {
  std::vector<named_matrix> list;
  for (const auto* each : parts_->patcher.parameters()) {
    list.push_back({each->name, &each->value});
  }
  return list;
}

patcher_setup::masks patcher_setup::first_masks() const {
  const auto batch =
      gp::make_ego_batch(parts_->exec, parts_->data.graph, this->batch(0), {.hops = parts_->model.hops()});
  auto drawn = gp::draw_masks(parts_->exec, batch, parts_->config, 0);
  masks result{std::move(drawn.start.keep), {}, parts_->config.samples};
  for (auto& target : drawn.targets) {
    result.targets.push_back(std::move(target.keep));
  }
  return result;
}

}  // namespace bench
