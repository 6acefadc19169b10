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

namespace detail {

/// Vectors of row_unit columns, spelt out: told only -O2, GCC 12 leaves a loop over them as it is.
template <class T>
struct unit_sums {
  static constexpr std::size_t lanes = std::min(backend::vector_lanes<T>, row_unit);
  static constexpr std::size_t vectors = row_unit / lanes;
  typename backend::vector_of<T, lanes>::type part[vectors] = {};

  void add(T x, const T* row) {
    backend::unrolled<vectors>([&](auto v) { part[v] += x * backend::load<lanes>(row + v * lanes); });
  }
};

}  // namespace detail

/// out = x w for one row x; w has a padded width. Four partial sums a column
/// keep the multiply-adds from waiting for each other; their order is fixed.
template <class T>
inline void row_times(const T* x, input_view<T> w, T* __restrict out) {
  using sums_type = detail::unit_sums<T>;
  for (std::size_t column = 0; column < w.cols(); column += row_unit) {
    sums_type sums[4];
    std::size_t k = 0;
    for (; k + 4 <= w.rows(); k += 4) {
      backend::unrolled<4>([&](auto part) { sums[part].add(x[k + part], &w(k + part, column)); });
    }
    for (; k < w.rows(); ++k) {
      sums[0].add(x[k], &w(k, column));
    }
    backend::unrolled<sums_type::vectors>([&](auto v) {
      backend::store(out + column + v * sums_type::lanes,
                     (sums[0].part[v] + sums[1].part[v]) + (sums[2].part[v] + sums[3].part[v]));
    });
  }
}

/// out += x w for one row x; w and out have a padded width. One sum a column,
/// row after row of w.
template <class T>
inline void add_row_times(const T* x, input_view<T> w, T* __restrict out) {
  using sums_type = detail::unit_sums<T>;
  for (std::size_t column = 0; column < w.cols(); column += row_unit) {
    sums_type sums;
    for (std::size_t k = 0; k < w.rows(); ++k) {
      sums.add(x[k], &w(k, column));
    }
    backend::unrolled<sums_type::vectors>([&](auto v) {
      T* const here = out + column + v * sums_type::lanes;
      backend::store(here, backend::load<sums_type::lanes>(here) + sums.part[v]);
    });
  }
}

/// out += g w^T for one row g. What add_row_times() would do with the transpose,
/// in the bits that trainings of before have.
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

/// The transpose, with zeros up to a padded width.
template <class T>
matrix<T> pad_transposed(const matrix<T>& weight) {
  matrix<T> result(weight.cols(), padded(weight.rows()));
  for (std::size_t k = 0; k < weight.rows(); ++k) {
    for (std::size_t c = 0; c < weight.cols(); ++c) {
      result(c, k) = weight(k, c);
    }
  }
  return result;
}

/// The columns, with zeros up to a padded width.
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
