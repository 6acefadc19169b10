// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/cpu/simd.hpp"
#include "graphpatcher/patcher/row_sources.hpp"

/// Inner loops over rows of a padded width (patcher/row_sources.hpp); row_layer.hpp
/// hands them to row layers of others.
namespace graphpatcher::fast::inline GP_LEVEL {

namespace detail {

/// `Count` vectors of the sum, in registers. The vectors are spelt out: GCC 12 makes gathers of the plain loop, with
/// which a training on Amazon-Photo takes twice as long.
template <std::size_t Lanes, std::size_t Count, bool Scaled, class T>
inline void sum_source_block(const row_sources<T>& in, std::size_t column, T* out) {
  typename backend::vector_of<T, Lanes>::type sums[Count] = {};
  for (std::size_t k = 0; k < in.rows.size(); ++k) {
    const T* const row = in.rows[k] + column;
    backend::unrolled<Count>([&](auto v) {
      const auto part = backend::load<Lanes>(row + v * Lanes);
      if constexpr (Scaled) {
        sums[v] += in.scales[k] * part;
      } else {
        sums[v] += part;
      }
    });
  }
  backend::unrolled<Count>([&](auto v) { backend::store(out + column + v * Lanes, sums[v]); });
}

template <bool Scaled, class T>
inline void sum_source_blocks(const row_sources<T>& in, std::size_t width, T* out) {
  constexpr std::size_t lanes = backend::vector_lanes<T>;
  constexpr std::size_t vectors = std::min<std::size_t>(8, 64 / lanes);
  constexpr std::size_t short_lanes = std::min(lanes, row_unit);
  std::size_t column = 0;
  for (; column + vectors * lanes <= width; column += vectors * lanes) {
    sum_source_block<lanes, vectors, Scaled>(in, column, out);
  }
  for (; column + row_unit <= width; column += row_unit) {
    sum_source_block<short_lanes, row_unit / short_lanes, Scaled>(in, column, out);
  }
}

}  // namespace detail

/// out = Σ_k scale_k row_k over the first `width` columns, source by source.
template <class T>
inline void sum_sources(const row_sources<T>& in, std::size_t width, T* out) {
  in.scales.empty() ? detail::sum_source_blocks<false>(in, width, out)
                    : detail::sum_source_blocks<true>(in, width, out);
}

/// out = x w for one row x; w has a padded width. Four partial sums a column
/// keep the multiply-adds from waiting for each other; their order is fixed.
template <class T>
inline void row_times(const T* x, input_view<T> w, T* __restrict out) {
  for (std::size_t column = 0; column < w.cols(); column += row_unit) {
    T sums[4][row_unit] = {};
    std::size_t k = 0;
    for (; k + 4 <= w.rows(); k += 4) {
      for (std::size_t part = 0; part < 4; ++part) {
        const T* const row = &w(k + part, column);
        for (std::size_t c = 0; c < row_unit; ++c) {
          sums[part][c] += x[k + part] * row[c];
        }
      }
    }
    for (; k < w.rows(); ++k) {
      for (std::size_t c = 0; c < row_unit; ++c) {
        sums[0][c] += x[k] * w(k, column + c);
      }
    }
    for (std::size_t c = 0; c < row_unit; ++c) {
      out[column + c] = (sums[0][c] + sums[1][c]) + (sums[2][c] + sums[3][c]);
    }
  }
}

/// out += g w^T for one row g.
template <class T>
inline void add_row_times_transposed(const T* g, input_view<T> w, T* out) {
  for (std::size_t k = 0; k < w.rows(); ++k) {
    T sum = 0;
    for (std::size_t c = 0; c < w.cols(); ++c) {
      sum += g[c] * w(k, c);
    }
    out[k] += sum;
  }
}

/// The columns of `weight` at column `begin` of `packed`.
template <class T>
void pack_columns(const matrix<T>& weight, std::size_t begin, matrix<T>& packed) {
  for (std::size_t k = 0; k < weight.rows(); ++k) {
    std::copy_n(weight.row(k).data(), weight.cols(), packed.row(k).data() + begin);
  }
}

/// The same with zeros up to a padded width.
template <class T>
matrix<T> pad_columns(matrix<T> weight) {
  if (weight.cols() == padded(weight.cols())) {
    return weight;
  }
  matrix<T> result(weight.rows(), padded(weight.cols()));
  pack_columns(weight, 0, result);
  return result;
}

}  // namespace graphpatcher::fast::inline GP_LEVEL
