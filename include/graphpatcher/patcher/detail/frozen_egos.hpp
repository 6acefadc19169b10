// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"
#include "graphpatcher/cpu/softmax_row.hpp"
#include "graphpatcher/graph/degrees.hpp"
#include "graphpatcher/operands/frozen_gcn.hpp"
#include "graphpatcher/ops/answer_checks.hpp"
#include "graphpatcher/patcher/detail/ego_cut.hpp"
#include "graphpatcher/patcher/detail/mask_set.hpp"
#include "graphpatcher/patcher/detail/message_tables.hpp"
#include "graphpatcher/patcher/detail/target_slopes.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// What one thread needs to answer for one anchor.
template <class T, graph_index I>
struct ego_worker {
  ego_cut<I> cut;
  mask_set masks;
  row_scratch<T> scratch;
  std::vector<const T*> pointers;  // of the sources of a row in layer 1
  std::vector<T> scales;
  std::vector<I> sources;          // of the anchor in layer 2, itself first
  std::vector<const T*> messages;  // of these sources
  std::vector<T> message_scales;
  std::vector<T> made;    // messages that the mask has changed
  std::vector<T> logits;  // masks x padded classes

  ego_worker(const csr_graph<I>& graph, bool count_losses) : cut(graph, count_losses) {}
};

/// Corrupted ego-graphs from masks to answers, for a frozen two-layer backbone
/// over fixed features: x W1 once a graph; layer 1 at the anchor and its
/// neighbours only, and there only where a triangle is broken; layer 2 at the
/// anchor only; equal masks once. Every saving is exact: a row that is not
/// computed has, bit for bit, the value that is used.
///
/// Needs degree_mode::graph and a symmetric graph. Graph, features and the model
/// behind the rows must outlive it and must not change.
template <class T, graph_index I, class Rows>
class frozen_egos {
public:
  frozen_egos(const cpu& exec, Rows rows, const csr_graph<I>& graph, const feature_table<T, I>& features)
      : rows_(std::move(rows)), graph_(&graph), tables_(exec, rows_, graph, features) {
    expects(is_symmetric(graph), "frozen_egos: expected an undirected graph, every edge in both rows; ",
            "for others use the generic path");
  }
  // A temporary would be gone before the first answer.
  frozen_egos(const cpu&, Rows, const csr_graph<I>&&, const feature_table<T, I>&) = delete;
  frozen_egos(const cpu&, Rows, const csr_graph<I>&, const feature_table<T, I>&&) = delete;

  const Rows& rows() const noexcept { return rows_; }
  const csr_graph<I>& graph() const noexcept { return *graph_; }
  const message_tables<T, I>& tables() const noexcept { return tables_; }

  /// Answers for anchors x samples: see frozen_model::answer().
  void answer(const cpu& exec, std::type_identity_t<std::span<const I>> anchors, const corruption_options& options,
              const corrupted_answers<T>& answers) const {
    check_answers<T, I>(anchors, graph_->nodes(), rows_.classes(), options, answers, "frozen_egos");
    for_each_anchor(exec, anchors, options, [&](std::size_t b, const ego_worker<T, I>& worker) {
      const auto row_of = [&](std::size_t mask) { return worker.logits.data() + mask * padded(rows_.classes()); };
      for (std::size_t s = 0; s < worker.masks.samples() && !answers.logits.empty(); ++s) {
        std::copy_n(row_of(worker.masks.of_sample(s)), rows_.classes(),
                    answers.logits.row(b * options.samples + s).data());
      }
      for (std::size_t s = 0; s < worker.masks.samples() && !answers.probabilities.empty(); ++s) {
        softmax_of(row_of(worker.masks.of_sample(s)), answers.probabilities.row(b * options.samples + s).data());
      }
      if (!answers.mean_probabilities.empty()) {
        average(worker, answers.mean_probabilities.row(b), [](T, std::span<const T>) {});
      }
    });
  }

  /// The L targets of each anchor through their mean: Σ_l w_l y_l in `mean`, and
  /// Σ_l w_l Σ_c (y_lc + eps) log(y_lc + eps) in `negative_entropy`.
  void targets(const cpu& exec, std::span<const I> anchors, const corruption_options& options, T eps,
               matrix_view<T> mean, std::span<T> negative_entropy) const {
    for_each_anchor(exec, anchors, options, [&](std::size_t b, const ego_worker<T, I>& worker) {
      T sum = 0;
      average(worker, mean.row(b),
              [&](T weight, std::span<const T> y) { sum += weight * fast::negative_entropy(y, eps); });
      negative_entropy[b] = sum;
    });
  }

  /// Calls body(worker) with one for the calling thread alone.
  template <class Body>
  void with_worker(Body&& body) const {
    auto worker = take();
    body(*worker);
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(worker));
  }

  /// Fills worker.messages and .sources of the anchor in layer 2 under the
  /// worker's cut: cached rows where nothing has changed.
  void gather_messages(ego_worker<T, I>& worker) const {
    const auto& cut = worker.cut;
    const std::size_t width = rows_.second.width();
    const bool scaled = rows_.scales_sources();
    worker.made.resize((cut.neighbors().size() + 1) * width);
    worker.messages.clear();
    worker.sources.clear();
    worker.message_scales.clear();
    T* next = worker.made.data();
    cut.for_each_source(cut.anchor(), [&](I source) {
      const T* row = tables_.second_row(source);
      if (!worker.sources.empty() && worker.sources.back() == source) {
        row = worker.messages.back();  // an edge that stands twice
      } else if (!cut.dropped().empty() && (source == cut.anchor() || scaled || cut.touches(source))) {
        gather_first(worker, source);
        rows_.make_message({tables_.first_row(source), worker.pointers, worker.scales}, next, worker.scratch);
        row = std::exchange(next, next + width);
      }
      worker.messages.push_back(row);
      worker.sources.push_back(source);
      if (scaled) {
        worker.message_scales.push_back(scale_of(cut, source));
      }
    });
  }

  /// Fills worker.pointers with the messages to a node in layer 1.
  void gather_first(ego_worker<T, I>& worker, I node) const {
    worker.pointers.clear();
    worker.scales.clear();
    const bool scaled = rows_.scales_sources();
    worker.cut.for_each_source(node, [&](I source) {
      worker.pointers.push_back(tables_.first_row(source));
      if (scaled) {
        worker.scales.push_back(scale_of(worker.cut, source));
      }
    });
  }

private:
  T scale_of(const ego_cut<I>& cut, I source) const {
    const I lost = cut.lost(source);
    return lost == 0 ? tables_.scale(source)
                     : degree_scale<T>(normalisation::symmetric, tables_.out_degree(source) - lost);
  }

  /// Computes the logits of every mask of every anchor and hands them to body(b, worker).
  template <class Body>
  void for_each_anchor(const cpu& exec, std::span<const I> anchors, const corruption_options& options,
                       Body&& body) const {
    checked_product<std::uint64_t>("corruption masks", options.samples, graph_->entries() / 64 + 1);
    const auto stream = corruption_stream(options);
    const std::size_t width = padded(rows_.classes());
    parallel_for(exec, anchors.size(), 8, [&](std::size_t first, std::size_t last) {
      with_worker([&](ego_worker<T, I>& worker) {
        for (std::size_t b = first; b < last; ++b) {
          worker.cut.start(anchors[b]);
          worker.masks.draw(stream, options, anchors[b], worker.cut.neighbors());
          worker.logits.resize(worker.masks.size() * width);
          for (std::size_t mask = 0; mask < worker.masks.size(); ++mask) {
            worker.cut.drop([&](std::size_t n) { return worker.masks.keeps(mask, n); });
            gather_messages(worker);
            rows_.second.combine({worker.messages.front(), worker.messages, worker.message_scales},
                                 worker.logits.data() + mask * width, worker.scratch.layer);
          }
          expects_finite_answers(worker, anchors[b]);
          body(b, worker);
        }
      });
    });
  }

  /// Throws unless the logits of all masks are finite: x - x is 0 then, and NaN otherwise. A vector at a time; what is
  /// in the padding is not looked at.
  void expects_finite_answers(const ego_worker<T, I>& worker, I anchor) const {
    constexpr std::size_t lanes = std::min(backend::vector_lanes<T>, row_unit);
    for (std::size_t first = 0; first < rows_.classes(); first += lanes) {
      typename backend::vector_of<T, lanes>::type zeros{};
      for (std::size_t mask = 0; mask < worker.masks.size(); ++mask) {
        const auto x = backend::load<lanes>(worker.logits.data() + mask * padded(rows_.classes()) + first);
        zeros += x - x;
      }
      for (std::size_t c = 0; c < std::min(lanes, rows_.classes() - first); ++c) {
        expects<numeric_error>(zeros[c] == T(0), "frozen model: expected finite logits, got others for node ", anchor,
                               ", class ", first + c, "; is a weight NaN or huge? predict() says which");
      }
    }
  }

  void softmax_of(const T* logits, T* out) const { backend::softmax_row(logits, rows_.classes(), out); }

  /// mean = Σ w y over the masks. Calls each(w, y) for each of them.
  template <class Each>
  void average(const ego_worker<T, I>& worker, std::span<T> mean, const Each& each) const {
    thread_local std::vector<T> y;
    y.resize(rows_.classes());
    std::fill(mean.begin(), mean.end(), T(0));
    for (std::size_t mask = 0; mask < worker.masks.size(); ++mask) {
      softmax_of(worker.logits.data() + mask * padded(rows_.classes()), y.data());
      const T weight = static_cast<T>(worker.masks.weight(mask));
      backend::accumulate(mean.data(), y.data(), weight, y.size());
      each(weight, std::span<const T>(y));
    }
  }

  std::unique_ptr<ego_worker<T, I>> take() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.empty()) {
      return std::make_unique<ego_worker<T, I>>(*graph_, rows_.scales_sources());
    }
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }

  Rows rows_;
  const csr_graph<I>* graph_;
  message_tables<T, I> tables_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<ego_worker<T, I>>> idle_;
};

}  // namespace graphpatcher::fast::inline GP_LEVEL
