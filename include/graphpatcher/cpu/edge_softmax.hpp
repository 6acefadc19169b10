// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"
#include "graphpatcher/graph/edge_view.hpp"

namespace graphpatcher::backend::inline GP_LEVEL {

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

/// Heads that are computed together: their sums fit on the stack.
inline constexpr std::size_t head_block = 16;

/// Numbers an edge costs: an exponential is about eight multiply-adds.
inline std::size_t edge_cost(std::size_t heads) {
  return 8 * heads;
}

template <class T, graph_index I>
void edge_scores(const cpu& exec, const edge_view<I>& edges, matrix_view<const T> el, matrix_view<const T> er, T slope,
                 matrix_view<T> out) {
  const auto sources = edges.sources;
  for_each_edge_row(exec, edges.offsets, edge_cost(out.cols()), [&](std::size_t i, std::size_t begin, std::size_t end) {
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
  for_each_edge_row(exec, edges.offsets, edge_cost(scores.cols()),
                    [&](std::size_t i, std::size_t begin, std::size_t end) {
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
  const auto offsets = edges.reverse_offsets.first(edges.source_rows + 1);
  for_each_edge_row(exec, offsets, edge_cost(scores.cols()), [&](std::size_t j, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
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

/// The softmax of the heads [first, first + count) in the edges [begin, end), which are one row. Heads stand together,
/// so edges are the outer loop throughout.
template <class T>
void softmax_heads(std::size_t begin, std::size_t end, std::size_t first, std::size_t count,
                   matrix_view<const T> scores, matrix_view<T> out) {
  T largest[head_block];
  T sums[head_block] = {};
  std::copy_n(scores.row(begin).data() + first, count, largest);
  for (std::size_t e = begin + 1; e < end; ++e) {
    for (std::size_t h = 0; h < count; ++h) {
      largest[h] = std::max(largest[h], scores(e, first + h));
    }
  }
  for (std::size_t e = begin; e < end; ++e) {
    for (std::size_t h = 0; h < count; ++h) {
      out(e, first + h) = exponential(scores(e, first + h) - largest[h]);
    }
  }
  for (std::size_t e = begin; e < end; ++e) {
    for (std::size_t h = 0; h < count; ++h) {
      sums[h] += out(e, first + h);
    }
  }
  for (std::size_t e = begin; e < end; ++e) {
    for (std::size_t h = 0; h < count; ++h) {
      out(e, first + h) /= sums[h];
    }
  }
}

template <class T, graph_index I>
void edge_softmax(const cpu& exec, std::span<const I> offsets, matrix_view<const T> scores, matrix_view<T> out) {
  for_each_edge_row(exec, offsets, edge_cost(out.cols()), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t first = 0; begin < end && first < out.cols(); first += head_block) {
      softmax_heads<T>(begin, end, first, std::min(head_block, out.cols() - first), scores, out);
    }
  });
}

template <class T, graph_index I>
void edge_softmax_adjoint(const cpu& exec, std::span<const I> offsets, matrix_view<const T> alpha,
                          matrix_view<const T> gradient, matrix_view<T> scores_gradient) {
  for_each_edge_row(exec, offsets, edge_cost(alpha.cols()), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t first = 0; first < alpha.cols(); first += head_block) {
      const std::size_t last = std::min(first + head_block, alpha.cols());
      T means[head_block] = {};
      for (std::size_t e = begin; e < end; ++e) {
        for (std::size_t h = first; h < last; ++h) {
          means[h - first] += alpha(e, h) * gradient(e, h);
        }
      }
      for (std::size_t e = begin; e < end; ++e) {
        for (std::size_t h = first; h < last; ++h) {
          scores_gradient(e, h) += alpha(e, h) * (gradient(e, h) - means[h - first]);
        }
      }
    }
  });
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
