// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/cpu/dropout.hpp"
#include "graphpatcher/patcher/detail/encoder.hpp"

/// The parts of the patch generator between its dense products. Row m n + b of
/// a matrix with all steps belongs to anchor b of n in step m.
namespace graphpatcher::fast::inline GP_LEVEL {

/// The patches joined so far, as the encoder sees them: e_k = p_k W1.
template <class T>
struct joined_patches {
  std::span<const matrix_view<const T>> encoded;  ///< e_1 .. e_m, anchors x hidden
  bool loop = false;                              ///< patch_edge::to_anchor_loop
};

/// What the encoder's second layer multiplies in the step after m patches; with
/// n = neighbours of the anchor + 1 + m:
///
///   a = relu((base + Σ e_k) / n + b1),   out = (a + neighbors + Σ a_k) / n
///
/// a_k = relu(b1) is the hidden row of a patch, relu(e_k + b1) if it has a loop.
/// Rows [begin, begin + out.rows()) of the base.
template <class T, graph_index I>
void join_patches(const cpu& exec, const encoder_graph<I>& graph, const encoder_base<T>& encoder, std::size_t begin,
                  std::span<const T> bias, const joined_patches<T>& patches, matrix_view<T> a, matrix_view<T> out) {
  const std::size_t steps = patches.encoded.size();
  backend::for_each_row(exec, out.rows(), (4 + 2 * steps) * out.cols(), [&](std::size_t b) {
    const T scale = T(1) / static_cast<T>(graph.anchors[begin + b].size() + steps);
    T* const sum = out.row(b).data();
    T* const activated = a.row(b).data();
    std::copy_n(encoder.base.row(begin + b).data(), out.cols(), activated);
    std::copy_n(encoder.neighbors.row(begin + b).data(), out.cols(), sum);
    for (const auto& encoded : patches.encoded) {
      const T* const e = encoded.row(b).data();
      for (std::size_t c = 0; c < out.cols(); ++c) {
        activated[c] += e[c];
        sum[c] += std::max(bias[c] + (patches.loop ? e[c] : T(0)), T(0));
      }
    }
    for (std::size_t c = 0; c < out.cols(); ++c) {
      activated[c] = std::max(activated[c] * scale + bias[c], T(0));
      sum[c] = (sum[c] + activated[c]) * scale;
    }
  });
}

/// Gradients that join_patches() hands on.
template <class T>
struct joined_gradients {
  matrix_view<T> base;       ///< anchors x hidden
  matrix_view<T> neighbors;  ///< anchors x hidden
  matrix_view<T> encoded;    ///< (steps - 1) anchors x hidden: of e_1, e_2, ...
  std::span<T> bias;         ///< added to
};

/// The adjoint of all steps from `first` on: `g` are the gradients of `out`, `a`
/// what join_patches() left there, all steps one below the other from step `first`.
template <class T, graph_index I>
void join_patches_adjoint(const cpu& exec, const encoder_graph<I>& graph, std::span<const T> bias,
                          const joined_patches<T>& patches, std::size_t first, matrix_view<const T> a,
                          matrix_view<const T> g, const joined_gradients<T>& out) {
  const std::size_t anchors = out.base.rows();
  const std::size_t steps = first + g.rows() / anchors;
  for_each_strip(exec, g.cols(), [&](std::size_t begin, auto width) {
    T g_bias[strip_width] = {};
    std::copy_n(&out.bias[begin], width, g_bias);
    for (std::size_t b = 0; b < anchors; ++b) {
      T base[strip_width] = {};
      T neighbors[strip_width] = {};
      T loops[strip_width] = {};  // Σ over the later steps of the gradient of a patch's hidden row
      for (std::size_t m = steps; m-- > 0;) {
        if (m >= first) {
          const T scale = T(1) / static_cast<T>(graph.anchors[b].size() + m);
          const T* const slope = &g((m - first) * anchors + b, begin);
          const T* const activated = &a((m - first) * anchors + b, begin);
          for (std::size_t c = 0; c < width; ++c) {
            const T share = slope[c] * scale;
            const T through = activated[c] > T(0) ? share : T(0);
            neighbors[c] += share;
            base[c] += through * scale;
            g_bias[c] += through;
            loops[c] += m > 0 ? share : T(0);
          }
        }
        if (m > 0) {  // the patch that step m - 1 made is a source in the steps from m on
          T* const encoded = &out.encoded((m - 1) * anchors + b, begin);
          for (std::size_t c = 0; c < width; ++c) {
            const T before = bias[begin + c] + (patches.loop ? patches.encoded[m - 1](b, begin + c) : T(0));
            const T through = before > T(0) ? loops[c] : T(0);
            g_bias[c] += through;
            encoded[c] = base[c] + (patches.loop ? through : T(0));
          }
        }
      }
      std::copy_n(base, width, &out.base(b, begin));
      std::copy_n(neighbors, width, &out.neighbors(b, begin));
    }
    std::copy_n(g_bias, width, &out.bias[begin]);
  });
}

/// Dropout of one layer in one step; rows are keyed by the anchors' ids.
template <class I>
struct drop_rule {
  random_stream stream;
  double probability = 0;  ///< 0: nothing is dropped
  std::span<const I> keys;
};

/// y = drop(relu(y + bias + extra)); bias is a row, extra a matrix, either may be empty.
template <class T, class I>
void activate_rows(const cpu& exec, std::span<const T> bias, matrix_view<const T> extra, const drop_rule<I>& drop,
                   matrix_view<T> y) {
  const T factor = static_cast<T>(1 / (1 - drop.probability));
  backend::for_each_row(exec, y.rows(), 4 * y.cols(), [&](std::size_t r) {
    T* const row = y.row(r).data();
    for (std::size_t c = 0; c < y.cols(); ++c) {
      const T sum = row[c] + (bias.empty() ? T(0) : bias[c]) + (extra.empty() ? T(0) : extra(r, c));
      row[c] = std::max(sum, T(0));
    }
    if (drop.probability > 0) {
      const auto key = static_cast<std::uint64_t>(drop.keys[r]);
      backend::dropout_row(drop.stream, drop.probability, key).for_each(y.cols(), [=](std::size_t c, bool kept) {
        const T scaled = factor * row[c];
        row[c] = kept ? scaled : T(0);
      });
    }
  });
}

/// g = g · slope of activate_rows() at y, and its sums by column are added to
/// g_bias: where y > 0 the element was kept and scaled by `factor`.
template <class T>
void activate_rows_adjoint(const cpu& exec, matrix_view<const T> y, T factor, matrix_view<T> g, std::span<T> g_bias) {
  backend::for_each_column_range(exec, g.cols(), g.rows(), [=](std::size_t begin, std::size_t end) {
    T* __restrict const sums = g_bias.data();
    for (std::size_t r = 0; r < g.rows(); ++r) {
      T* __restrict const slope = g.row(r).data();
      const T* __restrict const value = y.row(r).data();
      for (std::size_t c = begin; c < end; ++c) {
        const T scaled = factor * slope[c];  // always computed: no branch, so that the loop becomes vectors
        slope[c] = value[c] > T(0) ? scaled : T(0);
        sums[c] += slope[c];
      }
    }
  });
}

}  // namespace graphpatcher::fast::inline GP_LEVEL
