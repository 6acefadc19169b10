// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/ego_messages.hpp"
#include "graphpatcher/patcher/detail/frozen_egos.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// Anchors with the messages to them in both layers of a frozen backbone, ready to
/// have patches joined. A patch with edge `to_anchor` or `to_anchor_loop`
/// changes no row but its anchor's, so all else is looked up.
///
/// Lists of all anchors stand one after the other, an anchor's own entry first.
template <class T, graph_index I, class Rows>
class patched_anchors {
public:
  patched_anchors(const Rows& rows, patch_edge edge) : rows_(&rows), loop_(edge == patch_edge::to_anchor_loop) {
    expects(edge != patch_edge::undirected, "fast path: expected one-way patch edges, got undirected");
  }

  std::size_t size() const noexcept { return offsets_.size() - 1; }

  void clear() {
    offsets_.assign(1, 0);
    first_.clear();
    second_.clear();
    scales_.clear();
    kept_.clear();
    moved_.clear();
  }

  /// Appends an anchor whose messages a worker has gathered (frozen_egos::gather_messages).
  void append(const message_tables<T, I>& tables, const ego_worker<T, I>& worker) {
    const std::size_t width = rows_->second.width();
    for (std::size_t k = 0; k < worker.messages.size(); ++k) {
      const T* const row = worker.messages[k];
      const bool made = !worker.made.empty() && row >= worker.made.data() && row < &worker.made.back();
      if (made) {  // the worker will overwrite it
        moved_.emplace_back(second_.size(), kept_.size());
        kept_.insert(kept_.end(), row, row + width);
      }
      first_.push_back(tables.first_row(worker.sources[k]));
      second_.push_back(row);
    }
    scales_.insert(scales_.end(), worker.message_scales.begin(), worker.message_scales.end());
    offsets_.push_back(first_.size());
  }
  /// To be called after the last append().
  void close() {
    for (const auto& [entry, position] : moved_) {
      second_[entry] = kept_.data() + position;
    }
  }

  /// Takes the targets of an uncorrupted message graph as anchors; the tables
  /// are named by its local ids and must live as long as this.
  void assign(const message_tables<T, I>& tables, const message_graph<I>& graph) {
    clear();
    for (std::size_t b = 0; b < graph.targets(); ++b) {
      for (I e = graph.offsets[b]; e < graph.offsets[b + 1]; ++e) {
        const I source = graph.sources[static_cast<std::size_t>(e)];
        first_.push_back(tables.first_row(source));
        second_.push_back(tables.second_row(source));
        if (rows_->scales_sources()) {
          scales_.push_back(tables.scale(source));
        }
      }
      offsets_.push_back(first_.size());
    }
  }

  /// Calls body(b, logits, slopes) with the logits of anchor `begin` + b under
  /// `patches` (each a matrix of messages, row b for anchor begin + b). If
  /// `gradient` isn't empty, the slopes that body fills in go back to what the
  /// last patch's x W1 was: row b of `gradient`.
  template <class Body>
  void answer(const cpu& exec, std::size_t begin, std::span<const matrix_view<const T>> patches, std::size_t count,
              matrix_view<T> gradient, Body&& body) const {
    parallel_for(exec, count, 8, [&](std::size_t first, std::size_t last) {
      scratch_rows s;
      for (std::size_t b = first; b < last; ++b) {
        gather(begin + b, b, patches, s);
        const row_sources<T> second{s.made.data(), s.second, s.scales};
        s.logits.resize(padded(rows_->classes()));
        rows_->second.combine(second, s.logits.data(), s.scratch.layer);
        s.slopes.assign(padded(rows_->classes()), T(0));
        body(b, std::span<const T>(s.logits).first(rows_->classes()), std::span<T>(s.slopes));
        if (!gradient.empty()) {
          go_back(second, s);
          std::copy_n(s.patch_gradient.data(), gradient.cols(), gradient.row(b).data());
        }
      }
    });
  }

private:
  struct scratch_rows {
    row_scratch<T> scratch;
    std::vector<const T*> first;
    std::vector<const T*> second;
    std::vector<const T*> loop;
    std::vector<T> scales;
    std::vector<T> loop_scales;
    std::vector<T> made;  // messages in layer 2: of the anchor, then of its patches
    std::vector<T> logits;
    std::vector<T> slopes;
    std::vector<T> message_gradient;
    std::vector<T> patch_gradient;
  };

  /// Lists the messages to an anchor with its patches, and computes what changed.
  void gather(std::size_t anchor, std::size_t row, std::span<const matrix_view<const T>> patches,
              scratch_rows& s) const {
    const auto from = static_cast<std::ptrdiff_t>(offsets_[anchor]);
    const auto to = static_cast<std::ptrdiff_t>(offsets_[anchor + 1]);
    s.first.assign(first_.begin() + from, first_.begin() + to);
    s.second.assign(second_.begin() + from, second_.begin() + to);
    if (!scales_.empty()) {
      const T patch_scale = degree_scale<T>(normalisation::symmetric, loop_ ? 2 : 1);
      s.scales.assign(scales_.begin() + from, scales_.begin() + to);
      s.scales.insert(s.scales.end(), patches.size(), patch_scale);
      s.loop_scales.assign(loop_ ? 1 : 0, patch_scale);
    }
    for (const auto& patch : patches) {
      s.first.push_back(patch.row(row).data());
    }
    const std::size_t width = rows_->second.width();
    s.made.resize((1 + patches.size()) * width);
    rows_->make_message({s.first.front(), s.first, s.scales}, s.made.data(), s.scratch);
    s.second.front() = s.made.data();
    for (std::size_t k = 0; k < patches.size(); ++k) {
      T* const message = s.made.data() + (1 + k) * width;
      rows_->make_message(alone(patches[k].row(row).data(), s), message, s.scratch);
      s.second.push_back(message);
    }
  }

  /// A patch as a receiver: itself a source if it has a loop, no other.
  row_sources<T> alone(const T* patch, scratch_rows& s) const {
    s.loop.assign(loop_ ? 1 : 0, patch);
    return {patch, s.loop, s.loop_scales};
  }

  /// From the slopes of the logits to the last patch, through the anchor's row and the patch's own.
  void go_back(const row_sources<T>& second, scratch_rows& s) const {
    const std::size_t width = rows_->second.width();
    const T* const patch = s.first.back();
    s.patch_gradient.assign(rows_->first.width(), T(0));
    s.message_gradient.assign(width, T(0));
    T* const g = s.message_gradient.data();
    rows_->second.combine_adjoint(second, s.slopes.data(), 0, g, g, s.scratch.layer);
    rows_->make_message_adjoint({s.first.front(), s.first, s.scales}, s.made.data(), g, s.first.size() - 1,
                                s.patch_gradient.data(), nullptr, s.scratch);
    s.message_gradient.assign(width, T(0));
    rows_->second.combine_adjoint(second, s.slopes.data(), s.second.size() - 1, g, nullptr, s.scratch.layer);
    rows_->make_message_adjoint(alone(patch, s), s.second.back(), g, 0, loop_ ? s.patch_gradient.data() : nullptr,
                                s.patch_gradient.data(), s.scratch);
    rows_->first.finish_adjoint(patch, s.patch_gradient.data());
  }

  const Rows* rows_;
  bool loop_;
  std::vector<std::size_t> offsets_{0};
  std::vector<const T*> first_;                             // messages in layer 1
  std::vector<const T*> second_;                            // messages in layer 2, without patches
  std::vector<T> scales_;                                   // symmetric normalisation only
  std::vector<T> kept_;                                     // rows that are in no table
  std::vector<std::pair<std::size_t, std::size_t>> moved_;  // entry of second_, position in kept_
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
