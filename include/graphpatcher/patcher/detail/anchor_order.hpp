// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/patcher/config.hpp"

namespace graphpatcher {

/// The nodes a patcher is trained on: those that have a neighbour to lose.
template <class T, graph_index I>
std::vector<I> training_anchors(const dataset<T, I>& data, anchor_choice choice) {
  std::vector<I> candidates = data.split.train;
  if (choice == anchor_choice::connected) {
    candidates.resize(data.nodes());
    for (std::size_t v = 0; v < data.nodes(); ++v) {
      candidates[v] = static_cast<I>(v);
    }
  }
  std::erase_if(candidates, [&](I v) { return data.graph.degree(static_cast<std::size_t>(v)) == 0; });
  return candidates;
}

/// Deals anchors out in batches, in a new random order each epoch: an anchor's
/// place in epoch e is the rank of its draw, keyed by (seed, e, anchor).
template <graph_index I>
class anchor_order {
public:
  anchor_order(std::vector<I> anchors, std::size_t batch, std::uint64_t seed)
      : anchors_(std::move(anchors)), batch_(batch), random_(seed, purpose::shuffle), next_(anchors_.size()) {
    expects(!anchors_.empty(), "patcher: no node has a neighbour, so there is nothing to train on");
    expects(batch_ >= 1, "patcher: expected a batch of at least 1 anchor, got 0");
    expects(batch_ <= anchors_.size(), "patcher: expected a batch of at most ", anchors_.size(),
            " anchors, as many as can be trained on, got ", batch_);
  }

  /// The next batch; the last one of an epoch may be smaller. Valid until the
  /// next call.
  std::span<const I> next() {
    if (next_ == anchors_.size()) {
      shuffle();
      next_ = 0;
    }
    const std::size_t count = std::min(batch_, anchors_.size() - next_);
    const auto chosen = std::span<const I>(anchors_).subspan(next_, count);
    next_ += count;
    return chosen;
  }

  /// As after this many calls of next(), when none was made yet: every epoch's order is its own.
  void skip(std::uint64_t batches) {
    const std::uint64_t an_epoch = (anchors_.size() + batch_ - 1) / batch_;
    if (batches > 0) {
      epoch_ = (batches - 1) / an_epoch;
      shuffle();
      next_ = std::min(anchors_.size(), static_cast<std::size_t>((batches - 1) % an_epoch + 1) * batch_);
    }
  }

private:
  void shuffle() {
    const auto stream = random_.fork(epoch_++);
    std::vector<std::pair<double, I>> order;
    order.reserve(anchors_.size());
    for (const I anchor : anchors_) {
      order.emplace_back(stream.uniform(static_cast<std::uint64_t>(anchor)), anchor);
    }
    std::sort(order.begin(), order.end());
    std::transform(order.begin(), order.end(), anchors_.begin(), [](const auto& entry) { return entry.second; });
  }

  std::vector<I> anchors_;
  std::size_t batch_;
  random_stream random_;
  std::size_t next_;
  std::uint64_t epoch_ = 0;
};

#if GP_HAS_INSTANCES
GP_EXTERN template std::vector<std::int32_t> training_anchors(const dataset<float, std::int32_t>&, anchor_choice);
GP_EXTERN template std::vector<std::int64_t> training_anchors(const dataset<float, std::int64_t>&, anchor_choice);
GP_EXTERN template std::vector<std::int32_t> training_anchors(const dataset<double, std::int32_t>&, anchor_choice);
GP_EXTERN template std::vector<std::int64_t> training_anchors(const dataset<double, std::int64_t>&, anchor_choice);
#endif

}  // namespace graphpatcher
