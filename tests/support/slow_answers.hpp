// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/graph_view.hpp"
#include "graphpatcher/operands/frozen_gcn.hpp"

/// The answers of a frozen two-layer GCN, number by number and with nothing
/// shared between masks: what every path of frozen_model and the kernels are
/// compared with. Equations in ops/corrupted_logits.hpp.
namespace slow {

namespace gp = graphpatcher;

/// The graph as one anchor sees it after some of its neighbours are gone.
template <gp::graph_index I>
class corrupted_view {
public:
  corrupted_view(const gp::graph_view<I>& graph, I anchor) : graph_(graph), anchor_(anchor) {}

  /// Draws which neighbours of the anchor are dropped: the bits of corrupt().
  void draw(const gp::random_stream& stream, std::uint64_t threshold, std::uint64_t sample) {
    dropped_.clear();
    for (const I neighbor : row(anchor_)) {
      const auto draws = gp::neighbor_draws(stream, static_cast<std::uint64_t>(anchor_),
                                            static_cast<std::uint64_t>(neighbor), sample / 4);
      if (neighbor != anchor_ && draws[sample % 4] < threshold) {
        dropped_.push_back(neighbor);
      }
    }
  }

  /// Calls body(source) for everything a row sums over: itself, then what is left of its neighbours.
  template <class Body>
  void for_each_source(I node, Body&& body) const {
    body(node);
    for (const I neighbor : row(node)) {
      if (neighbor != node && !is_dropped(neighbor)) {
        body(neighbor);
      }
    }
  }

  /// In the whole graph less the dropped neighbours, with the self-loop of message graphs. In and out are the same.
  I degree(I node) const {
    const auto neighbors = row(node);
    const auto lost = std::count_if(neighbors.begin(), neighbors.end(), [this](I n) { return is_dropped(n); });
    return 1 + graph_.in_degrees[static_cast<std::size_t>(node)] - static_cast<I>(lost);
  }

private:
  std::span<const I> row(I node) const {
    const auto first = static_cast<std::size_t>(graph_.offsets[static_cast<std::size_t>(node)]);
    return graph_.neighbors.subspan(
        first, static_cast<std::size_t>(graph_.offsets[static_cast<std::size_t>(node) + 1]) - first);
  }
  bool is_dropped(I node) const { return std::binary_search(dropped_.begin(), dropped_.end(), node); }

  const gp::graph_view<I>& graph_;
  I anchor_;
  std::vector<I> dropped_;  // ascending, as the anchor's row is
};

/// The forward pass of a frozen GCN for one anchor of a corrupted view.
template <class T, class S, gp::graph_index I>
class anchor_forward {
public:
  explicit anchor_forward(const gp::frozen_gcn<T, S>& model)
      : model_(model), hidden_(model.hidden()), sum_(model.hidden()) {}

  /// logits = (left_a · Σ_i right_i · h_i) W2 + bias
  void logits(const corrupted_view<I>& view, I anchor, std::span<T> out) {
    std::fill(sum_.begin(), sum_.end(), T(0));
    view.for_each_source(anchor, [&](I source) {
      hidden_row(view, source);
      const T scale = right(view, source);
      for (std::size_t h = 0; h < sum_.size(); ++h) {
        sum_[h] += scale * hidden_[h];
      }
    });
    const T scale = left(view, anchor);
    std::fill(out.begin(), out.end(), T(0));
    for (std::size_t h = 0; h < sum_.size(); ++h) {
      const T value = sum_[h] * scale;
      for (std::size_t c = 0; c < out.size(); ++c) {
        out[c] += value * model_.weight(h, c);
      }
    }
    for (std::size_t c = 0; c < out.size(); ++c) {
      out[c] += model_.bias[c];
    }
  }

private:
  /// h_i = relu(left_i · Σ_j right_j · P_j + hidden_bias), in hidden_
  void hidden_row(const corrupted_view<I>& view, I node) {
    std::fill(hidden_.begin(), hidden_.end(), T(0));
    view.for_each_source(node, [&](I source) {
      const T scale = right(view, source);
      const auto row = model_.projected.row(static_cast<std::size_t>(source));
      for (std::size_t h = 0; h < hidden_.size(); ++h) {
        hidden_[h] += scale * gp::widened<T>(row[h]);
      }
    });
    const T scale = left(view, node);
    for (std::size_t h = 0; h < hidden_.size(); ++h) {
      hidden_[h] = std::max(hidden_[h] * scale + model_.hidden_bias[h], T(0));
    }
  }

  T left(const corrupted_view<I>& view, I node) const { return gp::degree_scale<T>(model_.norm, view.degree(node)); }
  T right(const corrupted_view<I>& view, I node) const {
    return model_.norm == gp::normalisation::symmetric ? left(view, node) : T(1);
  }

  const gp::frozen_gcn<T, S>& model_;
  std::vector<T> hidden_;
  std::vector<T> sum_;
};

/// softmax of `logits`, which may be `out` itself.
template <class T>
void softmax_row(std::span<const T> logits, std::span<T> out) {
  const T largest = *std::max_element(logits.begin(), logits.end());
  T sum = 0;
  for (const T logit : logits) {
    sum += std::exp(logit - largest);
  }
  std::transform(logits.begin(), logits.end(), out.begin(), [=](T x) { return std::exp(x - largest) / sum; });
}

/// The graph must be undirected, everything on the host and of the right shape.
template <class T, class S, gp::graph_index I>
void corrupted_logits(const gp::graph_view<I>& graph, const gp::frozen_gcn<T, S>& model,
                      std::type_identity_t<std::span<const I>> anchors, const gp::corruption_options& options,
                      const std::type_identity_t<gp::corrupted_answers<T>>& answers) {
  const auto stream =
      gp::random_stream(options.seed, gp::purpose::corruption).fork(options.iteration).fork(options.step);
  const std::uint64_t threshold = gp::probability_threshold(options.strength);
  const auto copy_row = [](std::span<const T> row, gp::matrix_view<T> to, std::size_t index) {
    if (to.data() != nullptr) {
      std::copy(row.begin(), row.end(), to.row(index).begin());
    }
  };
  anchor_forward<T, S, I> forward(model);
  std::vector<T> row(model.classes());
  std::vector<T> mean(model.classes());
  for (std::size_t b = 0; b < anchors.size(); ++b) {
    corrupted_view<I> view(graph, anchors[b]);
    std::fill(mean.begin(), mean.end(), T(0));
    for (std::size_t sample = 0; sample < options.samples; ++sample) {
      const std::size_t pair = b * options.samples + sample;
      view.draw(stream, threshold, sample);
      forward.logits(view, anchors[b], row);
      copy_row(row, answers.logits, pair);
      softmax_row<T>(row, row);
      copy_row(row, answers.probabilities, pair);
      std::transform(mean.begin(), mean.end(), row.begin(), mean.begin(), std::plus<>());
    }
    for (T& value : mean) {
      value /= static_cast<T>(options.samples);
    }
    copy_row(mean, answers.mean_probabilities, b);
  }
}

}  // namespace slow
