// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/eval/temperature.hpp"
#include "graphpatcher/methods/weighted_fit.hpp"
#include "graphpatcher/patcher/spread_predictions.hpp"

namespace graphpatcher {

/// Probabilities of all nodes of a graph: the backbone's, and for each source with 1, 2, ... patches. Sources that
/// nobody will ask for may be left empty.
template <class T>
struct base_answers {
  matrix<T> own;
  std::vector<std::vector<matrix<T>>> patched;

  /// Of a base. A mean is made in `room`, which the result then refers to.
  const matrix<T>& of(const answer_base& base, matrix<T>& room) const {
    if (base.source == 0) {
      return own;
    }
    if (base.source == answer_base::every_source) {
      std::ranges::for_each(patched, [](const auto& source) { expects_patches(source.size(), 1); });
      put_mean(patched.front(), room);
      matrix<T> more;
      for (std::size_t s = 1; s < patched.size(); ++s) {
        put_mean(patched[s], more);
        add(more, room);
      }
      divide(room, patched.size());
      return room;
    }
    const auto& source = patched[base.source - 1];
    expects_patches(source.size(), std::max<std::size_t>(1, base.patches));
    if (base.patches > 0) {
      return source[base.patches - 1];
    }
    put_mean(source, room);
    return room;
  }

private:
  static void expects_patches(std::size_t there, std::size_t wanted) {
    expects(wanted <= there, "weighted: a candidate needs answers with ", wanted, " patches, its source has ", there,
            "; was the rule fitted with others?");
  }
  static void add(const matrix<T>& more, matrix<T>& sum) {
    std::ranges::transform(sum.values(), more.values(), sum.values().begin(), std::plus<>());
  }
  static void divide(matrix<T>& sum, std::size_t count) {
    for (T& value : sum.values()) {
      value /= static_cast<T>(count);
    }
  }
  static void put_mean(const std::vector<matrix<T>>& all, matrix<T>& sum) {
    sum = all.front();
    for (std::size_t k = 1; k < all.size(); ++k) {
      add(all[k], sum);
    }
    divide(sum, all.size());
  }
};

namespace detail {

/// Some nodes with their neighbours and those that are like them, ascending: what a second step of spreading reads.
template <class T, graph_index I>
std::vector<std::size_t> with_their_surroundings(const csr_graph<I>& graph, const sparse_matrix<T, I>& alike,
                                                 std::span<const std::size_t> nodes) {
  std::vector<bool> is_in(graph.nodes());
  const auto take = [&](auto u) { is_in[static_cast<std::size_t>(u)] = true; };
  for (const std::size_t v : nodes) {
    take(v);
    std::ranges::for_each(graph.neighbors(v), take);
    std::ranges::for_each(alike.row_columns(v), take);
  }
  std::vector<std::size_t> all;
  for (std::size_t v = 0; v < is_in.size(); ++v) {
    if (is_in[v]) {
      all.push_back(v);
    }
  }
  return all;
}

/// Probabilities of the rule's candidates at some nodes, one candidate after the other. What a candidate shares with
/// the one before is not computed again: those of one base share the sums of the first step of spreading, and the
/// second step goes on from the first.
template <class T, graph_index I>
class candidate_answers {
public:
  candidate_answers(const cpu& exec, const base_answers<T>& answers, const csr_graph<I>& graph,
                    const sparse_matrix<T, I>& alike, std::vector<std::size_t> nodes)
      : exec_(exec), answers_(&answers), graph_(&graph), alike_(&alike), nodes_(std::move(nodes)) {}

  const matrix<T>& base(const answer_base& of) { return answers_->of(of, mean_); }

  /// Rows of the nodes that are asked for; others mean nothing. Stays until the next call.
  const matrix<T>& of(const weighted_candidate& candidate) {
    if (candidate.steps == 0) {
      return base(candidate.base);
    }
    const bool same_base =
        before_.steps > 0 && before_.base == candidate.base && before_.beta_before == candidate.beta_before;
    if (!same_base) {
      make_room();
      sharp_ = sharpen(exec_, base(candidate.base), candidate.beta_before);
      add_up_around();
    }
    const spread_step<T, I> step(*graph_, *alike_, sharp_.cols());
    const T kappa = static_cast<T>(candidate.kappa);
    if (!same_base || before_.over != candidate.over || before_.kappa != candidate.kappa) {
      parallel_for(exec_, around_.size(), 256, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          step.weigh(sharp_, around_[i], sums_.row(i), candidate.over, kappa, once_.row(around_[i]));
        }
      });
    }
    before_ = candidate;
    if (candidate.steps == 1) {
      return once_;
    }
    parallel_for(exec_, nodes_.size(), 64, [&](std::size_t first, std::size_t last) {
      std::vector<T> sums(step.sums());
      for (std::size_t i = first; i < last; ++i) {
        step.add_up(once_, nodes_[i], sums);
        step.weigh(once_, nodes_[i], sums, candidate.over, kappa, twice_.row(nodes_[i]));
      }
    });
    return twice_;
  }

private:
  /// At the first candidate that spreads: until then there need be no similar nodes.
  void make_room() {
    if (around_.empty()) {
      const std::size_t classes = answers_->own.cols();
      around_ = with_their_surroundings(*graph_, *alike_, std::span<const std::size_t>(nodes_));
      sums_ = matrix<T>(around_.size(), spread_step<T, I>(*graph_, *alike_, classes).sums());
      once_ = matrix<T>(graph_->nodes(), classes);
      twice_ = matrix<T>(graph_->nodes(), classes);
    }
  }

  void add_up_around() {
    const spread_step<T, I> step(*graph_, *alike_, sharp_.cols());
    parallel_for(exec_, around_.size(), 64, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        step.add_up(sharp_, around_[i], sums_.row(i));
      }
    });
  }

  cpu exec_;
  const base_answers<T>* answers_;
  const csr_graph<I>* graph_;
  const sparse_matrix<T, I>* alike_;
  std::vector<std::size_t> nodes_;
  std::vector<std::size_t> around_;  ///< nodes that the second step reads
  weighted_candidate before_;        ///< the last that was spread
  matrix<T> mean_, sharp_, sums_, once_, twice_;
};

}  // namespace detail
}  // namespace graphpatcher
