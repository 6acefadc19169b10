// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/graph/distinct_egos.hpp"
#include "graphpatcher/graph/materialise.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/nn/placement.hpp"
#include "graphpatcher/ops/answer_checks.hpp"
#include "graphpatcher/ops/elementwise.hpp"
#include "graphpatcher/ops/gather.hpp"
#include "graphpatcher/ops/loss.hpp"
#include "graphpatcher/patcher/detail/frozen_answers.hpp"

namespace graphpatcher::detail {

/// frozen_path::generic: the ego-graphs of some anchors at a time, their masks,
/// the message graph of some (ego-graph, mask) pairs at a time, and the whole
/// model on it. Model, graph and features must outlive it.
template <class T, graph_index I, class Backbone>
class generic_answers final : public frozen_answers<T, I> {
public:
  generic_answers(const executor& exec, const Backbone& model, const csr_graph<I>& graph,
                  const feature_table<T, I>& features, std::string why)
      : frozen_answers<T, I>(frozen_path::generic, std::move(why)),
        exec_(exec),
        placed_(exec, model),
        graph_(&graph),
        features_(&features) {}

  void answer(std::span<const I> anchors, const corruption_options& options,
              const corrupted_answers<T>& answers) const override {
    tape<T> t(exec_);
    matrix<T> mean(is_wanted(answers.mean_probabilities) ? anchors.size() : 0, (*placed_).classes());
    for (std::size_t begin = 0; begin < anchors.size(); begin += anchors_a_part) {
      const std::size_t count = std::min(anchors_a_part, anchors.size() - begin);
      answer_part(t, anchors.subspan(begin, count), begin, options, answers, mean);
    }
    if (!mean.empty()) {
      copy(exec_, mean.copy_on(exec_).view(), answers.mean_probabilities);
    }
  }

private:
  static constexpr std::size_t anchors_a_part = 64;
  /// Nodes and edges of the ego-graphs that are materialised at once, about: a
  /// bound on the memory that doesn't depend on hubs and samples.
  static constexpr std::size_t entries_at_once = std::size_t{1} << 20;

  /// An (anchor, mask) pair: where its answer goes, and its share in the mean.
  struct pair {
    std::size_t anchor;  // position among all anchors
    std::size_t row;     // anchor * samples + sample
    double weight;
  };

  void answer_part(tape<T>& t, std::span<const I> anchors, std::size_t begin, const corruption_options& options,
                   const corrupted_answers<T>& answers, matrix<T>& mean) const {
    std::vector<I> different(anchors.begin(), anchors.end());  // an ego batch has each anchor once
    std::sort(different.begin(), different.end());
    different.erase(std::unique(different.begin(), different.end()), different.end());
    const auto batch = make_ego_batch<I>(exec_.host(), *graph_, different, {.hops = (*placed_).hops()});
    const auto masks = corrupt(exec_.host(), batch, options);

    distinct_egos egos;
    std::vector<pair> pairs;
    std::size_t entries = 0;
    const auto answer_now = [&] {
      answer_pairs(t, batch, egos, pairs, answers, mean);
      egos.clear();
      pairs.clear();
      entries = 0;
    };
    for (std::size_t b = 0; b < anchors.size(); ++b) {
      const auto found = std::lower_bound(different.begin(), different.end(), anchors[b]);
      const auto ego = static_cast<std::size_t>(found - different.begin());
      for (std::size_t sample = 0; sample < masks.samples; ++sample) {
        if (masks.weight(ego, sample) > 0) {
          pairs.push_back({begin + b, (begin + b) * options.samples + sample, masks.weight(ego, sample)});
          if (egos.add({ego, masks.kept(ego, sample)})) {
            entries +=
                batch.end(ego) - batch.begin(ego) +
                static_cast<std::size_t>(batch.edge_offsets[batch.end(ego)] - batch.edge_offsets[batch.begin(ego)]);
          }
          if (entries >= entries_at_once) {
            answer_now();
          }
        }
      }
    }
    if (!pairs.empty()) {
      answer_now();
    }
  }

  /// Rows of `pairs` follow one another: estimator::exact, which leaves some out,
  /// has no answers by row.
  void answer_pairs(tape<T>& t, const ego_batch<I>& batch, const distinct_egos& egos, const std::vector<pair>& pairs,
                    const corrupted_answers<T>& answers, matrix<T>& mean) const {
    t.reset();
    const auto messages = materialise<I>(exec_.host(), batch, egos.egos());
    const auto different = frozen_forward(t, *placed_, messages, node_features<T, I>{features_, &messages, {}}).value();
    const auto logits = t.allocate(pairs.size(), different.cols());
    gather_rows<T, std::int32_t>(exec_, different, egos.which(), logits);
    if (exec_.on_host()) {
      expects_finite_logits<T>(different, "frozen_model: logits", *placed_);
    }
    const std::size_t first = pairs.front().row;
    if (is_wanted(answers.logits)) {
      copy(exec_, logits, answers.logits.middle_rows(first, first + pairs.size()));
    }
    if (is_wanted(answers.probabilities)) {
      softmax(exec_, logits, answers.probabilities.middle_rows(first, first + pairs.size()));
    }
    if (!mean.empty()) {
      const auto here = t.allocate(logits.rows(), logits.cols());
      softmax(exec_, logits, here);
      const auto probabilities = to_host(exec_, here);
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        for (std::size_t c = 0; c < mean.cols(); ++c) {
          mean(pairs[p].anchor, c) += static_cast<T>(pairs[p].weight) * probabilities(p, c);
        }
      }
    }
  }

  executor exec_;
  placed_model<Backbone> placed_;
  const csr_graph<I>* graph_;
  const feature_table<T, I>* features_;
};

}  // namespace graphpatcher::detail
