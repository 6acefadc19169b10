// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/exponential.hpp"
#include "graphpatcher/cpu/lanes.hpp"
#include "graphpatcher/cpu/row_kernels.hpp"
#include "graphpatcher/cpu/softmax_of_numbers.hpp"
#include "graphpatcher/cpu/softmax_row.hpp"
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

/// The softmax of `count` heads, lanes of a vector, in the edges [begin, end), which are one row. Heads stand together,
/// so edges are the outer loop throughout.
template <std::size_t Lanes, class T, class Count>
void softmax_heads(std::size_t begin, std::size_t end, std::size_t first, Count count, matrix_view<const T> scores,
                   matrix_view<T> out) {
  using Vector = typename vector_of<T, Lanes>::type;
  const auto score = [&](std::size_t e) -> Vector { return load_first<Lanes>(&scores(e, first), count, T(0)); };
  Vector largest = score(begin);
  for (std::size_t e = begin + 1; e < end; ++e) {
    const Vector x = score(e);
    largest = largest < x ? x : largest;
  }
  Vector sum{};
  for (std::size_t e = begin; e < end; ++e) {
    const Vector power = exponential(score(e) - largest);
    store_first(&out(e, first), power, count);
    sum += power;
  }
  for (std::size_t e = begin; e < end; ++e) {
    store_first(&out(e, first), load_first<Lanes>(&out(e, first), count, T(0)) / sum, count);
  }
}

/// Calls body(heads) with the number of heads as a constant if a vector has room for a multiple of it.
template <class T, std::size_t Heads = 1, class Body>
bool with_heads_in_a_vector(std::size_t heads, Body&& body) {
  if (heads == Heads) {
    body(std::integral_constant<std::size_t, Heads>{});
    return true;
  }
  if constexpr (Heads < vector_lanes<T>) {
    return with_heads_in_a_vector<T, 2 * Heads>(heads, body);
  }
  return false;
}

/// 1, 2, 4, ... heads: the numbers of a row stand together, and those of many rows are computed at once.
template <std::size_t Heads, class T, graph_index I>
void softmax_of_rows(std::span<const I> offsets, std::size_t row, std::size_t last, const T* scores, T* out) {
  const auto offset = [&](std::size_t i) { return static_cast<std::size_t>(offsets[i]) * Heads; };
  softmax_of_numbers<Heads, T> some;
  while (row < last) {
    const std::size_t begin = offset(row);
    std::size_t stop = row;
    while (stop < last && offset(stop + 1) - begin <= some.room) {
      ++stop;
    }
    if (stop > row) {
      some.compute(
          scores + begin, offset(stop) - begin, stop - row, [&](std::size_t i) { return offset(row + i + 1) - begin; },
          out + begin);
      row = stop;
    } else {
      softmax_row<some.lanes, Heads>(scores + begin, offset(row + 1) - begin, out + begin);
      ++row;
    }
  }
}

template <class T, graph_index I>
void edge_softmax(const cpu& exec, std::span<const I> offsets, matrix_view<const T> scores, matrix_view<T> out) {
  const std::size_t heads = out.cols();
  const bool together = out.stride() == heads && scores.stride() == heads;
  const bool done = together && with_heads_in_a_vector<T>(heads, [&](auto count) {
                      for_each_row_piece(exec, offsets, edge_cost(heads), 1,
                                         [&](std::size_t row, std::size_t last, std::size_t, std::size_t) {
                                           softmax_of_rows<count, T, I>(offsets, row, last, scores.data(), out.data());
                                         });
                    });
  if (!done) {
    with_lanes<T>(heads, [&](auto lanes) {
      for_each_edge_row(exec, offsets, edge_cost(heads), [&](std::size_t, std::size_t begin, std::size_t end) {
        for_each_vector<lanes>(begin < end ? heads : 0, [&](std::size_t first, auto count) {
          softmax_heads<lanes, T>(begin, end, first, count, scores, out);
        });
      });
    });
  }
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

#endif
