// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/graph/feature_table.hpp"

/// What the two searches for similar nodes (alike_by_features.hpp, alike_by_products.hpp) have in common.
namespace graphpatcher::detail {

/// Nodes that a node is like, with the cosines.
template <class T, graph_index I>
using likenesses = std::vector<std::pair<I, T>>;

/// Of equals the lower id.
struct more_alike {
  bool operator()(const auto& a, const auto& b) const {
    return a.second > b.second || (a.second == b.second && a.first < b.first);
  }
};

/// The `count` largest.
template <class T, graph_index I>
void keep_most_alike(likenesses<T, I>& found, std::size_t count) {
  const std::size_t kept = std::min(count, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(), more_alike());
  found.resize(kept);
}

/// The `count` largest of those that are offered one by one, the largest first. The order of the offers is no matter.
template <class T, graph_index I>
class most_alike {
public:
  /// Smaller cosines need not be offered.
  T least() const noexcept { return least_; }

  void offer(I node, T cosine, std::size_t count) {
    const std::pair<I, T> now{node, cosine};
    if (cosine < least_ || (found_.size() == count && !more_alike()(now, found_.back()))) {
      return;
    }
    if (found_.size() < count) {
      found_.push_back(now);
    }
    auto place = found_.end() - 1;  // lists are short: a walk is faster than halving
    for (; place != found_.begin() && more_alike()(now, place[-1]); --place) {
      *place = place[-1];
    }
    *place = now;
    if (found_.size() == count) {
      least_ = found_.back().second;
    }
  }

  const likenesses<T, I>& found() const noexcept { return found_; }
  likenesses<T, I> release() && { return std::move(found_); }

private:
  likenesses<T, I> found_;
  T least_ = std::numeric_limits<T>::denorm_min();  // above 0
};

/// A row divided by its length; a row of zeros stays one.
template <class T>
void scale_to_unit(std::span<const T> row, T* out) {
  T squares = 0;
  for (const T value : row) {
    squares += value * value;
  }
  const T length = std::sqrt(squares);
  std::ranges::transform(row, out, [&](T value) { return length > T(0) ? value / length : T(0); });
}

/// The non-zeros of all rows, each row scaled to length 1.
template <class T, graph_index I>
std::vector<T> unit_values(const sparse_matrix<T, I>& features) {
  std::vector<T> scaled(features.nonzeros());
  for (std::size_t v = 0; v < features.rows(); ++v) {
    scale_to_unit(features.row_values(v), scaled.data() + features.offsets()[v]);
  }
  return scaled;
}

}  // namespace graphpatcher::detail
