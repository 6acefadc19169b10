// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/sparse_matrix.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/feature_table.hpp"

/// What must be true of anything a reader accepts, asked again from outside:
/// none of it is left to the checks of the classes themselves.
namespace gp_fuzz {

/// A reader accepted something that it must not, or changed it.
inline void require(bool condition, const char* what) {
  if (!condition) {
    throw std::logic_error(std::string("expected ") + what);
  }
}

/// Several readers of the same bytes. If none takes them, the first one's error is thrown.
class attempts {
public:
  template <class Read>
  void add(Read&& read) {
    try {
      read();
      accepted_ = true;
    } catch (const graphpatcher::error&) {
      first_ = first_ ? first_ : std::current_exception();
    }
  }
  void finish() const {
    if (!accepted_ && first_) {
      std::rethrow_exception(first_);
    }
  }

private:
  bool accepted_ = false;
  std::exception_ptr first_;
};

/// offsets: one more than rows, from 0 to the number of entries, never falling.
template <class Offsets>
void require_offsets(const Offsets& offsets, std::size_t rows, std::size_t entries) {
  require(offsets.size() == rows + 1, "an offset more than rows");
  require(offsets.front() == 0 && static_cast<std::size_t>(offsets.back()) == entries, "offsets from 0 to the end");
  require(std::is_sorted(offsets.begin(), offsets.end()), "offsets that don't fall");
}

/// Strictly ascending ids in [0, below).
template <class Ids>
void require_ids(const Ids& ids, std::size_t below) {
  require(std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end(), "ascending ids");
  require(ids.empty() || (ids.front() >= 0 && static_cast<std::size_t>(ids.back()) < below), "ids in range");
}

template <class T, class I>
void require_sound(const graphpatcher::sparse_matrix<T, I>& matrix) {
  require_offsets(matrix.offsets(), matrix.rows(), matrix.columns().size());
  require(matrix.columns().size() == matrix.values().size(), "a column for each value");
  require(std::in_range<I>(matrix.cols()), "columns that the index type can count");
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    require_ids(matrix.row_columns(r), matrix.cols());
  }
  require(std::all_of(matrix.values().begin(), matrix.values().end(), [](T v) { return std::isfinite(v); }),
          "finite numbers");
}

template <class T, class I>
void require_sound(const graphpatcher::feature_table<T, I>& table) {
  if (!table.is_dense()) {
    return require_sound(table.sparse());
  }
  for (std::size_t v = 0; v < table.rows(); ++v) {
    table.for_each_nonzero(v, [](std::size_t, T value) { require(std::isfinite(value), "finite numbers"); });
  }
}

/// Undirected and simple.
template <class I>
void require_sound(const graphpatcher::csr_graph<I>& graph) {
  require_offsets(graph.offsets(), graph.nodes(), graph.entries());
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    require_ids(graph.neighbors(v), graph.nodes());
    for (const I u : graph.neighbors(v)) {
      const auto back = graph.neighbors(static_cast<std::size_t>(u));
      require(static_cast<std::size_t>(u) != v, "no loop");
      require(std::binary_search(back.begin(), back.end(), static_cast<I>(v)), "every edge in both rows");
    }
  }
}

template <class T, class I>
void require_sound(const graphpatcher::dataset<T, I>& data) {
  require_sound(data.graph);
  require_sound(data.features);
  require(data.nodes() > 0 && data.features.rows() == data.nodes() && data.labels.size() == data.nodes(),
          "features and a label for every node");
  for (const I label : data.labels) {
    require(label >= -1 && label < static_cast<I>(data.classes), "labels in range");
  }
  std::vector<I> all;
  for (const auto* part : {&data.split.train, &data.split.validation, &data.split.test}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  std::sort(all.begin(), all.end());
  require_ids(all, data.nodes());  // ascending without a repetition: no node is in two parts
  for (const I node : all) {
    require(data.labels[static_cast<std::size_t>(node)] >= 0, "a label for every node of the split");
  }
}

template <class T, class I>
bool same(const graphpatcher::sparse_matrix<T, I>& a, const graphpatcher::sparse_matrix<T, I>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && std::ranges::equal(a.offsets(), b.offsets()) &&
         std::ranges::equal(a.columns(), b.columns()) && std::ranges::equal(a.values(), b.values());
}
template <class T, class I>
bool same(const graphpatcher::feature_table<T, I>& a, const graphpatcher::feature_table<T, I>& b) {
  return a.is_dense() == b.is_dense() && a == b;
}
template <class I>
bool same(const graphpatcher::csr_graph<I>& a, const graphpatcher::csr_graph<I>& b) {
  return std::ranges::equal(a.offsets(), b.offsets()) && std::ranges::equal(a.neighbors(), b.neighbors());
}

/// The text with \r\n for \n: it means the same.
inline std::string with_crlf(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '\n' ? "\r\n" : std::string(1, c);
  }
  return result;
}

}  // namespace gp_fuzz
