// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/gathered_gemm.hpp"
#include "graphpatcher/cpu/pieces.hpp"
#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/graph/feature_table.hpp"
#include "graphpatcher/operands/feature_rows.hpp"
#include "graphpatcher/patcher/detail/padded_rows.hpp"

/// The first layer of the patch generator at anchors and their neighbours, and
/// what its second layer takes from it. Everything runs in strips of columns,
/// which don't depend on each other: a strip of every table fits into a cache,
/// and threads own strips.
namespace graphpatcher::fast::inline GP_LEVEL {

/// Lists of different length, one after the other.
template <class I>
struct list_of_lists {
  std::vector<std::size_t> offsets{0};
  std::vector<I> entries;

  std::size_t size() const noexcept { return offsets.size() - 1; }
  std::span<const I> operator[](std::size_t list) const noexcept {
    return std::span<const I>(entries).subspan(offsets[list], offsets[list + 1] - offsets[list]);
  }
  void close() { offsets.push_back(entries.size()); }
  void clear() {
    offsets.assign(1, 0);
    entries.clear();
  }
};

/// Sources of anchors and of their neighbours, for a batch of anchors.
template <graph_index I>
struct encoder_graph {
  std::vector<I> nodes;               ///< global ids of all sources; x W exists for these
  list_of_lists<I> anchors;           ///< positions in `nodes` of an anchor's sources, itself first
  list_of_lists<I> hidden;            ///< positions in `nodes` of a neighbour's sources: one list a hidden row
  list_of_lists<I> anchor_neighbors;  ///< hidden rows of an anchor's neighbours

  void clear() {
    nodes.clear();
    anchors.clear();
    hidden.clear();
    anchor_neighbors.clear();
  }
};

/// What is the same in every step: with t = x W1, a_j = relu(mean t + b1),
///
///   base_v = Σ t over v and its neighbours,   neighbors_v = Σ a_j over its neighbours
template <class T>
struct encoder_base {
  matrix<T> base;       ///< anchors x hidden
  matrix<T> neighbors;  ///< anchors x hidden
  matrix<T> hidden;     ///< a_j: hidden rows x hidden, if kept for the way back
};

inline constexpr std::size_t strip_width = 64;

/// Calls body(begin, width) for strips of `cols` columns. The width of a whole strip is a constant, so that loops over
/// it have no tail.
template <class Body>
void for_each_strip(const cpu& exec, std::size_t cols, Body&& body) {
  parallel_for(exec, (cols + strip_width - 1) / strip_width, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t strip = first; strip < last; ++strip) {
      const std::size_t begin = strip * strip_width;
      if (cols - begin >= strip_width) {
        body(begin, std::integral_constant<std::size_t, strip_width>{});
      } else {
        body(begin, cols - begin);
      }
    }
  });
}

namespace detail {

/// Room for one strip; one a thread, kept.
template <class T>
struct strip_scratch {
  std::vector<T> projected;  // nodes x strip_width
  std::vector<T> hidden;     // hidden rows x strip_width
  std::vector<const T*> pointers;

  static strip_scratch& of_this_thread() {
    thread_local strip_scratch scratch;
    return scratch;
  }

  /// out = Σ rows of `table`, padded to a whole strip.
  template <class I>
  void sum(std::span<const I> rows, const std::vector<T>& table, T* out) {
    pointers.clear();
    for (const I row : rows) {
      pointers.push_back(table.data() + static_cast<std::size_t>(row) * strip_width);
    }
    sum_sources<T>({nullptr, pointers, {}}, strip_width, out);
  }
};

/// Row r of x times a strip of w. The last strip may be narrow: its columns go one by one.
template <class T, class I>
void project_row(const sparse_rows<T, I>& x, std::size_t r, matrix_view<const T> w, std::size_t begin,
                 std::size_t width, std::vector<const T*>& pointers, T* out) {
  const auto node = static_cast<std::size_t>(x.ids[r]);
  const auto columns = x.table->row_columns(node);
  const auto values = x.table->row_values(node);
  if (width == strip_width) {
    pointers.clear();
    for (const I column : columns) {
      pointers.push_back(&w(static_cast<std::size_t>(column), begin));
    }
    sum_sources<T>({nullptr, pointers, values}, values.empty() ? 0 : strip_width, out);
    if (values.empty()) {
      std::fill_n(out, strip_width, T(0));
    }
    return;
  }
  std::fill_n(out, strip_width, T(0));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t c = 0; c < width; ++c) {
      out[c] += values[i] * w(static_cast<std::size_t>(columns[i]), begin + c);
    }
  }
}

/// x times a strip of w: a row of strip_width numbers for each row of x.
template <class T, class I>
void project_strip(const sparse_rows<T, I>& x, matrix_view<const T> w, std::size_t begin, std::size_t width,
                   strip_scratch<T>& scratch) {
  for (std::size_t r = 0; r < x.ids.size(); ++r) {
    project_row(x, r, w, begin, width, scratch.pointers, scratch.projected.data() + r * strip_width);
  }
}
template <class T, class S, class I>
void project_strip(const dense_table_rows<S, I>& x, matrix_view<const T> w, std::size_t begin, std::size_t width,
                   strip_scratch<T>& scratch) {
  if (width < strip_width) {
    std::fill(scratch.projected.begin(), scratch.projected.end(), T(0));
  }
  const matrix_view<T> out(scratch.projected.data(), x.ids.size(), width, strip_width);
  backend::gemm_here<T>(backend::gathered_factor<S, I>{x, false}, w.middle_cols(begin, begin + width), out, false);
}

/// out += scale * g; the width of a whole strip is a constant.
template <class T, class Width>
void add_scaled(T scale, const T* __restrict g, T* __restrict out, Width width) {
  for (std::size_t c = 0; c < width; ++c) {
    out[c] += scale * g[c];
  }
}

/// g_w += x^T g in a strip, g as project_strip() has it.
template <class T, class I, class Width>
void project_strip_adjoint(const sparse_rows<T, I>& x, const strip_scratch<T>& scratch, std::size_t begin, Width width,
                           matrix_view<T> g_w) {
  for (std::size_t r = 0; r < x.ids.size(); ++r) {
    const auto row = x.row(r);
    const T* const g = scratch.projected.data() + r * strip_width;
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      add_scaled(row.values[i], g, &g_w(static_cast<std::size_t>(row.columns[i]), begin), width);
    }
  }
}
template <class T, class S, class I>
void project_strip_adjoint(const dense_table_rows<S, I>& x, const strip_scratch<T>& scratch, std::size_t begin,
                           std::size_t width, matrix_view<T> g_w) {
  const matrix_view<const T> g(scratch.projected.data(), x.ids.size(), width, strip_width);
  backend::gemm_here<T>(backend::gathered_factor<S, I>{x, true}, g, g_w.middle_cols(begin, begin + width), true);
}

}  // namespace detail

/// Fills `out`, whose matrices have the right sizes; out.hidden may be empty.
template <class T, graph_index I>
void encode_base(const cpu& exec, const feature_table<T, I>& x, const encoder_graph<I>& graph,
                 matrix_view<const T> weight, std::span<const T> bias, encoder_base<T>& out) {
  for_each_strip(exec, weight.cols(), [&](std::size_t begin, auto width) {
    auto& scratch = detail::strip_scratch<T>::of_this_thread();
    scratch.projected.resize(graph.nodes.size() * strip_width);
    scratch.hidden.resize(graph.hidden.size() * strip_width);
    visit_rows(exec, feature_rows<T, I>{&x, graph.nodes},
               [&](const auto& rows) { detail::project_strip<T>(rows, weight, begin, width, scratch); });
    for (std::size_t r = 0; r < graph.hidden.size(); ++r) {
      T* const row = scratch.hidden.data() + r * strip_width;
      scratch.sum(graph.hidden[r], scratch.projected, row);
      const T scale = T(1) / static_cast<T>(graph.hidden[r].size());
      for (std::size_t c = 0; c < width; ++c) {
        row[c] = std::max(row[c] * scale + bias[begin + c], T(0));
      }
      if (!out.hidden.empty()) {
        std::copy_n(row, width, &out.hidden(r, begin));
      }
    }
    T sum[strip_width];
    for (std::size_t b = 0; b < graph.anchors.size(); ++b) {
      scratch.sum(graph.anchors[b], scratch.projected, sum);
      std::copy_n(sum, width, &out.base(b, begin));
      scratch.sum(graph.anchor_neighbors[b], scratch.hidden, sum);
      std::copy_n(sum, width, &out.neighbors(b, begin));
    }
  });
}

/// The adjoint: adds to the gradients of weight and bias, given those of base
/// and neighbors. Every hidden row belongs to one anchor (training graphs).
template <class T, graph_index I>
void encode_base_adjoint(const cpu& exec, const feature_table<T, I>& x, const encoder_graph<I>& graph,
                         const matrix<T>& hidden, matrix_view<const T> g_base, matrix_view<const T> g_neighbors,
                         matrix_view<T> g_weight, std::span<T> g_bias) {
  for_each_strip(exec, g_weight.cols(), [&](std::size_t begin, auto width) {
    auto& scratch = detail::strip_scratch<T>::of_this_thread();
    scratch.projected.assign(graph.nodes.size() * strip_width, T(0));  // gradients of t
    T bias_sums[strip_width] = {};
    std::copy_n(&g_bias[begin], width, bias_sums);
    const auto add_to = [&](I node, const T* g, T scale) {
      detail::add_scaled(scale, g, scratch.projected.data() + static_cast<std::size_t>(node) * strip_width, width);
    };
    for (std::size_t b = 0; b < graph.anchors.size(); ++b) {
      for (const I node : graph.anchors[b]) {
        add_to(node, &g_base(b, begin), T(1));
      }
      for (const I r : graph.anchor_neighbors[b]) {
        const auto row = static_cast<std::size_t>(r);
        T through[strip_width];
        for (std::size_t c = 0; c < width; ++c) {
          through[c] = hidden(row, begin + c) > T(0) ? g_neighbors(b, begin + c) : T(0);
          bias_sums[c] += through[c];
        }
        const T scale = T(1) / static_cast<T>(graph.hidden[row].size());
        for (const I node : graph.hidden[row]) {
          add_to(node, through, scale);
        }
      }
    }
    visit_rows(exec, feature_rows<T, I>{&x, graph.nodes},
               [&](const auto& rows) { detail::project_strip_adjoint<T>(rows, scratch, begin, width, g_weight); });
    std::copy_n(bias_sums, width, &g_bias[begin]);
  });
}

}  // namespace graphpatcher::fast::inline GP_LEVEL
