// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/loss_functions.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/graph/neighborhood.hpp"
#include "graphpatcher/models/check_backbone.hpp"
#include "graphpatcher/nn/initialise.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/patcher/detail/patched_anchors.hpp"
#include "graphpatcher/patcher/detail/rows_of.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"

namespace graphpatcher {

/// How far a backbone's rows are from the backbone: see check_rows().
struct rows_difference {
  double answers = 0;
  double gradients = 0;
};

namespace detail {

/// Logits of anchors with patches, and the gradient of Σ slopes * logits with
/// respect to the last patch, on either path.
template <class T, graph_index I, class Model>
class patched_both_ways {
public:
  matrix<T> logits[2];  ///< generic, fast
  matrix<T> gradients[2];

  patched_both_ways(const Model& model, const dataset<T, I>& data, std::span<const I> anchors,
                    const std::vector<parameter<T>>& patches, const matrix<T>& slopes, patch_edge edge) {
    run_generic(model, data, anchors, patches, slopes, edge);
    run_fast(model, data, anchors, patches, slopes, edge);
  }

private:
  void run_generic(const Model& model, const dataset<T, I>& data, std::span<const I> anchors,
                   const std::vector<parameter<T>>& patches, const matrix<T>& slopes, patch_edge edge) {
    const cpu exec;
    const auto batch = make_ego_batch(exec, data.graph, anchors, {.hops = model.hops()});
    const auto messages = materialise(exec, batch, message_options{degree_mode::graph, edge, patches.size()});
    tape<T> t(exec);
    node_features<T, I> x{&data.features, &messages, {}};
    for (const auto& patch : patches) {
      patch.has_gradient = false;
      x.patches.push_back(t.use(patch));
    }
    const auto answers = frozen_forward(t, model, messages, x);
    logits[0] = copy_of(answers.value());
    t.backward(sum_all(multiply(answers, t.constant(slopes.view()))));
    gradients[0] = patches.back().gradient;
  }

  void run_fast(const Model& model, const dataset<T, I>& data, std::span<const I> anchors,
                const std::vector<parameter<T>>& patches, const matrix<T>& slopes, patch_edge edge) {
    const cpu exec;
    const auto rows = fast::rows_of(model);
    const auto around = neighborhood(data.graph, anchors, 2);
    const fast::message_tables<T, I> tables(exec, rows, around, data.features, around.nodes_within(1));
    fast::patched_anchors<T, I, fast::rows_type<Model>> patched(rows, edge);
    patched.assign(tables, around);
    std::vector<matrix<T>> messages;
    std::vector<matrix_view<const T>> views;
    for (const auto& patch : patches) {
      messages.emplace_back(anchors.size(), rows.first.width());
      auto& made = messages.back();
      gemm<T>(exec, patch.value.view(), rows.first.weight().view(),
              made.view().middle_cols(0, rows.first.linear_width()));
      for (std::size_t b = 0; b < anchors.size(); ++b) {
        rows.first.finish(made.row(b).data());
      }
    }
    for (const auto& each : messages) {
      views.push_back(each.view());
    }
    logits[1] = matrix<T>(anchors.size(), rows.classes());
    matrix<T> through(anchors.size(), rows.first.linear_width());
    patched.answer(exec, 0, views, anchors.size(), through.view(),
                   [&](std::size_t b, std::span<const T> answer, std::span<T> slope) {
                     std::ranges::copy(answer, logits[1].row(b).begin());
                     std::ranges::copy(slopes.row(b), slope.begin());
                   });
    gradients[1] = matrix<T>(anchors.size(), data.features.cols());
    gemm_abt<T>(exec, through.view(), rows.first.weight().view(), gradients[1].view());
  }
};

/// Logits of anchors, each under some masks, on one path.
template <class T, graph_index I, class Model>
matrix<T> corrupted_answers_of(const Model& model, const dataset<T, I>& data, std::span<const I> anchors,
                               const corruption_options& masks, frozen_path path) {
  matrix<T> logits(anchors.size() * masks.samples, model.classes());
  const frozen_model<T, I> frozen(cpu{}, model, data.graph, data.features, {.path = path});
  try {
    frozen.answer(anchors, masks, {.logits = logits.view()});
  } catch (const numeric_error&) {  // of wrong rows
    logits.fill(std::numeric_limits<T>::quiet_NaN());
  }
  return logits;
}

}  // namespace detail

/// Compares a backbone's rows() with its forward(), as gradient_check() compares
/// adjoints with differences: the logits of some anchors in corrupted ego-graphs
/// and with patches of random features, and the gradients of the patches. Each is
/// the largest difference over the largest number; infinity if one is NaN.
///
///   const auto difference = gp::check_rows(model, data);   // small data, double
///
/// In double right rows give less than 1e-9; one wrong factor gives something
/// near 1. Throws argument_error with the reason where the fast path can't be
/// taken. Biases other than zero and nodes that share neighbours make it sharp.
template <class T, graph_index I, backbone_for<T, I> Model>
rows_difference check_rows(const Model& model, const dataset<T, I>& data, std::uint64_t seed = 1) {
  constexpr std::size_t most = 48;
  std::vector<I> anchors;
  for (std::size_t v = 0; v < data.nodes(); v += (data.nodes() + most - 1) / most) {
    anchors.push_back(static_cast<I>(v));
  }
  rows_difference largest;
  const auto take = [](double& so_far, const matrix<T>& generic, const matrix<T>& fast) {
    so_far = std::max(so_far, relative_difference<T>(generic.view(), fast.view()));
  };
  const corruption_options masks{.strength = 0.5, .samples = 4, .seed = seed};
  const auto fast = detail::corrupted_answers_of<T, I>(model, data, anchors, masks, frozen_path::rows);
  take(largest.answers, detail::corrupted_answers_of<T, I>(model, data, anchors, masks, frozen_path::generic), fast);
  if constexpr (has_rows<Model>) {
    const random_stream random(seed, purpose::initialisation);
    std::vector<parameter<T>> patches;
    for (std::size_t k = 0; k < 2; ++k) {
      patches.emplace_back("patch", anchors.size(), data.features.cols());
      uniform(patches.back(), random.fork(k), 1);
    }
    parameter<T> slopes("slopes", anchors.size(), model.classes());
    uniform(slopes, random.fork(2), 1);
    for (const auto edge : {patch_edge::to_anchor, patch_edge::to_anchor_loop}) {
      const detail::patched_both_ways<T, I, Model> both(model, data, anchors, patches, slopes.value, edge);
      take(largest.answers, both.logits[0], both.logits[1]);
      take(largest.gradients, both.gradients[0], both.gradients[1]);
    }
  }
  return largest;
}

}  // namespace graphpatcher
