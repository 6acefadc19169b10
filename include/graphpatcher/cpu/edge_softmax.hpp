// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"
#include "graphpatcher/graph/edge_view.hpp"

namespace graphpatcher::backend {

template <class T>
void head_dot(const cpu& exec, matrix_view<const T> z, matrix_view<const T> l, matrix_view<T> out) {
  const std::size_t width = z.cols() / out.cols();
  for_each_row(exec, z.rows(), z.cols(), [&](std::size_t i) {
    for (std::size_t h = 0; h < out.cols(); ++h) {
      out(i, h) = dot(z.row(i).data() + h * width, l.data() + h * width, width);
    }
  });
}

template <class T>
void head_dot_adjoint_z(const cpu& exec, matrix_view<const T> l, matrix_view<const T> gradient,
                        matrix_view<T> z_gradient) {
  const std::size_t width = z_gradient.cols() / gradient.cols();
  for_each_row(exec, z_gradient.rows(), z_gradient.cols(), [&](std::size_t i) {
    for (std::size_t h = 0; h < gradient.cols(); ++h) {
      accumulate(z_gradient.row(i).data() + h * width, l.data() + h * width, gradient(i, h), width);
    }
  });
}

template <class T>
void head_dot_adjoint_l(const cpu& exec, matrix_view<const T> z, matrix_view<const T> gradient,
                        matrix_view<T> l_gradient) {
  const std::size_t width = z.cols() / gradient.cols();
  for_column_blocks(exec, z.rows(), z.cols(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < z.rows(); ++i) {
      for (std::size_t c = begin; c < end; ++c) {
        l_gradient(0, c) += gradient(i, c / width) * z(i, c);
      }
    }
  });
}

/// Calls body(row, first edge, one past its last edge) for every row of a block.
template <class I, class Body>
void for_edge_rows(const cpu& exec, std::span<const I> offsets, std::size_t heads, Body&& body) {
  const std::size_t rows = offsets.size() - 1;
  // an exponential costs about eight multiply-adds
  const std::size_t cost = row_cost(rows, static_cast<std::size_t>(offsets.back()), 8 * heads);
  for_each_row(exec, rows, cost, [&](std::size_t i) {
    body(i, static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1]));
  });
}

template <class T, graph_index I>
void edge_scores(const cpu& exec, const edge_view<I>& edges, matrix_view<const T> el, matrix_view<const T> er, T slope,
                 matrix_view<T> out) {
  const auto sources = edges.sources;
  for_edge_rows(exec, edges.offsets, out.cols(), [&](std::size_t i, std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const auto j = static_cast<std::size_t>(sources[e]);
      for (std::size_t h = 0; h < out.cols(); ++h) {
        const T score = el(j, h) + er(i, h);
        out(e, h) = score > T(0) ? score : slope * score;
      }
    }
  });
}

template <class T, graph_index I>
void edge_scores_adjoint_rows(const cpu& exec, const edge_view<I>& edges, matrix_view<const T> scores, T slope,
                              matrix_view<const T> gradient, matrix_view<T> er_gradient) {
  for_edge_rows(exec, edges.offsets, scores.cols(), [&](std::size_t i, std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      for (std::size_t h = 0; h < scores.cols(); ++h) {
        er_gradient(i, h) += gradient(e, h) * (scores(e, h) > T(0) ? T(1) : slope);
      }
    }
  });
}

template <class T, graph_index I>
void edge_scores_adjoint_sources(const cpu& exec, const edge_view<I>& edges, matrix_view<const T> scores, T slope,
                                 matrix_view<const T> gradient, matrix_view<T> el_gradient) {
  const std::size_t count = edges.source_rows;
  for_each_row(exec, count, row_cost(count, edges.edges(), 2 * scores.cols()), [&](std::size_t j) {
    const auto end = static_cast<std::size_t>(edges.reverse_offsets[j + 1]);
    for (auto k = static_cast<std::size_t>(edges.reverse_offsets[j]); k < end; ++k) {
      const auto e = static_cast<std::size_t>(edges.reverse_edges[k]);
      if (e >= edges.edges()) {
        break;  // edges ascend with their receivers; this one belongs to a row outside these
      }
      for (std::size_t h = 0; h < scores.cols(); ++h) {
        el_gradient(j, h) += gradient(e, h) * (scores(e, h) > T(0) ? T(1) : slope);
      }
    }
  });
}

template <class T, graph_index I>
void edge_softmax(const cpu& exec, std::span<const I> offsets, matrix_view<const T> scores, matrix_view<T> out) {
  for_edge_rows(exec, offsets, scores.cols(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t h = 0; begin < end && h < scores.cols(); ++h) {
      T largest = scores(begin, h);
      for (std::size_t e = begin + 1; e < end; ++e) {
        largest = std::max(largest, scores(e, h));
      }
      T sum = 0;
      for (std::size_t e = begin; e < end; ++e) {
        sum += out(e, h) = std::exp(scores(e, h) - largest);
      }
      for (std::size_t e = begin; e < end; ++e) {
        out(e, h) /= sum;
      }
    }
  });
}

template <class T, graph_index I>
void edge_softmax_adjoint(const cpu& exec, std::span<const I> offsets, matrix_view<const T> alpha,
                          matrix_view<const T> gradient, matrix_view<T> scores_gradient) {
  for_edge_rows(exec, offsets, alpha.cols(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t h = 0; h < alpha.cols(); ++h) {
      T mean = 0;
      for (std::size_t e = begin; e < end; ++e) {
        mean += alpha(e, h) * gradient(e, h);
      }
      for (std::size_t e = begin; e < end; ++e) {
        scores_gradient(e, h) += alpha(e, h) * (gradient(e, h) - mean);
      }
    }
  });
}

}  // namespace graphpatcher::backend
