// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/sparse_gemm.hpp"
#include "graphpatcher/patcher/detail/likenesses.hpp"

/// The search for similar nodes as products of matrices: cosines of a block of nodes with a panel of others at a time,
/// each pair of nodes once.
namespace graphpatcher::detail {

inline constexpr std::size_t alike_block = 64;   ///< nodes side by side, a column each
inline constexpr std::size_t alike_panel = 512;  ///< others, a row each; a multiple of a block
inline constexpr std::size_t alike_group = 16;   ///< columns that are looked at together; a divisor of a block

/// Cosines of sparse rows: rows of the table times a dense block, whose sums run over the non-zeros of the rows.
template <class T, graph_index I>
class sparse_cosines {
public:
  explicit sparse_cosines(const feature_table<T, I>& features)
      : features_(&features),
        values_(unit_values(features.sparse())),
        offsets_(features.sparse().offsets().begin(), features.sparse().offsets().end()),
        ids_(features.rows()) {
    std::iota(ids_.begin(), ids_.end(), I(0));
  }

  /// What a thread has for itself: the block, features x nodes.
  matrix<T> room() const { return matrix<T>(features_->cols(), alike_block); }

  void put_block(std::size_t begin, std::size_t end, matrix<T>& block) const {
    visit(begin, end, [&](std::size_t feature, std::size_t v, T value) { block(feature, v) = value; });
  }
  void clear_block(std::size_t begin, std::size_t end, matrix<T>& block) const {
    visit(begin, end, [&](std::size_t feature, std::size_t v, T) { block(feature, v) = T(0); });
  }

  void products(std::size_t begin, const matrix<T>& block, matrix_view<T> cosines) const {
    const feature_rows<T, I> others{features_, std::span<const I>(ids_).subspan(begin, cosines.rows()), values_,
                                    std::span<const std::size_t>(offsets_).subspan(begin, cosines.rows())};
    sparse_gemm<T, I>(cpu{1}, others, block.view(), cosines);
  }

private:
  template <class Body>
  void visit(std::size_t begin, std::size_t end, const Body& body) const {
    for (std::size_t v = begin; v < end; ++v) {
      const auto columns = features_->sparse().row_columns(v);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        body(static_cast<std::size_t>(columns[k]), v - begin, values_[offsets_[v] + k]);
      }
    }
  }

  const feature_table<T, I>* features_;
  std::vector<T> values_;  // rows of length 1
  std::vector<std::size_t> offsets_;
  std::vector<I> ids_;
};

/// Of dense rows, which are scaled when they are read.
template <class T, graph_index I>
class dense_cosines {
public:
  struct rows_of_thread {
    matrix<T> block, panel;
  };

  explicit dense_cosines(const feature_table<T, I>& features) : features_(&features) {}

  rows_of_thread room() const {
    return {matrix<T>(alike_block, features_->cols()), matrix<T>(alike_panel, features_->cols())};
  }
  void put_block(std::size_t begin, std::size_t end, rows_of_thread& rows) const {
    std::ranges::fill(rows.block.values(), T(0));
    read(begin, end, rows.block);
  }
  void clear_block(std::size_t, std::size_t, rows_of_thread&) const {}
  void products(std::size_t begin, rows_of_thread& rows, matrix_view<T> cosines) const {
    read(begin, begin + cosines.rows(), rows.panel);
    gemm_abt<T>(cpu{1}, rows.panel.view().middle_rows(0, cosines.rows()), rows.block.view(), cosines);
  }

private:
  void read(std::size_t begin, std::size_t end, matrix<T>& rows) const {
    for (std::size_t v = begin; v < end; ++v) {
      const auto row = rows.row(v - begin);
      features_->read_row(v, row);
      scale_to_unit<T>(row, row.data());
    }
  }

  const feature_table<T, I>* features_;
};

/// Lists that threads fill together, a lock for each panel of nodes.
template <class T, graph_index I>
class shared_likenesses {
public:
  shared_likenesses(std::size_t nodes, std::size_t count)
      : count_(count), lists_(nodes), locks_((nodes + alike_panel - 1) / alike_panel) {}

  /// The smallest cosines that nodes of one panel still take.
  void copy_least(std::size_t begin, std::size_t end, T* least) {
    const std::scoped_lock lock(locks_[begin / alike_panel]);
    std::transform(lists_.begin() + static_cast<std::ptrdiff_t>(begin),
                   lists_.begin() + static_cast<std::ptrdiff_t>(end), least,
                   [](const auto& list) { return list.least(); });
  }

  /// The lists of nodes of one panel as they are.
  std::vector<most_alike<T, I>> copy(std::size_t begin, std::size_t end) {
    const std::scoped_lock lock(locks_[begin / alike_panel]);
    return {lists_.begin() + static_cast<std::ptrdiff_t>(begin), lists_.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  struct likeness {
    std::size_t node;
    I other;
    T cosine;
  };
  /// All are about nodes of the panel of the first.
  void offer(std::span<const likeness> found) {
    if (!found.empty()) {
      const std::scoped_lock lock(locks_[found.front().node / alike_panel]);
      for (const auto& [node, other, cosine] : found) {
        lists_[node].offer(other, cosine, count_);
      }
    }
  }

  std::vector<likenesses<T, I>> release() && {
    std::vector<likenesses<T, I>> result;
    for (auto& list : lists_) {
      result.push_back(std::move(list).release());
    }
    return result;
  }

private:
  std::size_t count_;
  std::vector<most_alike<T, I>> lists_;
  std::vector<std::mutex> locks_;
};

/// Whether a group of numbers has one that is as large as either bound: few have, and this compiles to vectors.
template <class T>
bool reaches(const T* numbers, const T* bounds, T bound) {
  int found = 0;
  for (std::size_t k = 0; k < alike_group; ++k) {
    found += static_cast<int>(numbers[k] >= std::min(bounds[k], bound));
  }
  return found > 0;
}

/// A cosine is offered to both of its nodes, in whatever order the threads come to it: the largest are the same.
template <class T, graph_index I, class Cosines>
std::vector<likenesses<T, I>> alike_by_products(const cpu& exec, std::size_t nodes, const Cosines& cosines_of,
                                                std::size_t count) {
  using likeness = typename shared_likenesses<T, I>::likeness;
  shared_likenesses<T, I> nearest(nodes, count);
  parallel_for(exec, (nodes + alike_block - 1) / alike_block, 4, [&](std::size_t first, std::size_t last) {
    auto room = cosines_of.room();
    matrix<T> cosines(alike_panel, alike_block);
    std::array<T, alike_panel> least;
    std::array<T, alike_block> own_least;
    std::vector<likeness> for_others, for_own;
    for (std::size_t block = first; block < last; ++block) {
      const std::size_t begin = block * alike_block, end = std::min(nodes, begin + alike_block);
      cosines_of.put_block(begin, end, room);
      auto own = nearest.copy(begin, end);
      own_least.fill(std::numeric_limits<T>::max());  // of columns without a node
      std::ranges::transform(own, own_least.begin(), [](const auto& list) { return list.least(); });
      const auto look_at = [&](std::size_t u, std::size_t v, T cosine, T least_of_u) {
        if (cosine >= own_least[v - begin]) {
          own[v - begin].offer(static_cast<I>(u), cosine, count);
          own_least[v - begin] = own[v - begin].least();
        }
        if (cosine >= least_of_u) {
          for_others.push_back({u, static_cast<I>(v), cosine});
        }
      };
      for (std::size_t other = begin; other < nodes;) {
        throw_if_interrupted("looking for similar nodes");
        const std::size_t other_end = std::min(nodes, (other / alike_panel + 1) * alike_panel);
        const auto some = cosines.view().middle_rows(0, other_end - other);
        cosines_of.products(other, room, some);
        nearest.copy_least(other, other_end, least.data());
        for_others.clear();
        for (std::size_t u = other; u < other_end; ++u) {
          const T* const row = some.row(u - other).data();
          const T least_of_u = least[u - other];
          for (std::size_t v = begin; v < std::min(u, end); v += alike_group) {
            if (reaches(row + (v - begin), own_least.data() + (v - begin), least_of_u)) {
              for (std::size_t k = v; k < std::min({u, end, v + alike_group}); ++k) {
                look_at(u, k, row[k - begin], least_of_u);
              }
            }
          }
        }
        nearest.offer(for_others);
        other = other_end;
      }
      for_own.clear();
      for (std::size_t v = begin; v < end; ++v) {
        for (const auto& [u, cosine] : own[v - begin].found()) {
          if (static_cast<std::size_t>(u) > v) {  // the others were there before
            for_own.push_back({v, u, cosine});
          }
        }
      }
      nearest.offer(for_own);
      cosines_of.clear_block(begin, end, room);
    }
  });
  return std::move(nearest).release();
}

}  // namespace graphpatcher::detail
