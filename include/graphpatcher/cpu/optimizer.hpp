// SPDX-License-Identifier: MIT
#pragma once

#include "graphpatcher/core/level.hpp"

#if GP_CALLS_OPERATIONS
#include "graphpatcher/cpu/operations.hpp"
#else

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <span>

#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/cpu/gemm.hpp"
#include "graphpatcher/operands/optimizer_steps.hpp"

/// Steps of the optimisers. Each goes over memory once, every element by one
/// thread, and does the same to an element wherever it stands in a vector.
namespace graphpatcher::backend::inline GP_LEVEL {

/// Rounded as IEEE 754 says. Eigen's own takes the processor's estimate of 1 / sqrt(x) for floats and a step of
/// Newton's method, and that estimate differs between makers of processors.
template <class Vector>
EIGEN_ALWAYS_INLINE Vector square_root(Vector x) {
  return Eigen::internal::psqrt(x);
}
#if defined(__SSE2__)
EIGEN_ALWAYS_INLINE __m128 square_root(__m128 x) {
  return _mm_sqrt_ps(x);
}
#endif
#if defined(__AVX__)
EIGEN_ALWAYS_INLINE __m256 square_root(__m256 x) {
  return _mm256_sqrt_ps(x);
}
#endif
#if defined(__AVX512F__)
EIGEN_ALWAYS_INLINE __m512 square_root(__m512 x) {
  return _mm512_sqrt_ps(x);
}
EIGEN_ALWAYS_INLINE __m512d square_root(__m512d x) {
  return _mm512_sqrt_pd(x);
}
#endif

/// One step of Adam for a vector of elements of one parameter.
template <class T>
struct adam_vector {
  using vector = typename Eigen::internal::packet_traits<T>::type;
  static constexpr std::size_t lanes = Eigen::internal::unpacket_traits<vector>::size;

  const vector gradient_scale, l2, keep, mean_rate, beta2, square_rate, step_size, inverse_root_bias, eps;

  explicit adam_vector(const adam_item<T>& k)
      : gradient_scale(all(k.gradient_scale)),
        l2(all(k.l2)),
        keep(all(k.keep)),
        mean_rate(all(k.mean_rate)),
        beta2(all(k.beta2)),
        square_rate(all(k.square_rate)),
        step_size(all(k.step_size)),
        inverse_root_bias(all(k.inverse_root_bias)),
        eps(all(k.eps)) {}

  EIGEN_ALWAYS_INLINE void update(const T* gradient, T* value, T* mean, T* square) const {
    using namespace Eigen::internal;
    const vector p = ploadu<vector>(value);
    const vector g = pmadd(l2, p, pmul(gradient_scale, ploadu<vector>(gradient)));
    const vector m_old = ploadu<vector>(mean);
    const vector m = pmadd(mean_rate, psub(g, m_old), m_old);
    const vector v = pmadd(beta2, ploadu<vector>(square), pmul(square_rate, pmul(g, g)));
    const vector root = pmadd(square_root(v), inverse_root_bias, eps);
    pstoreu(mean, m);
    pstoreu(square, v);
    pstoreu(value, psub(pmul(keep, p), pdiv(pmul(step_size, m), root)));
  }

private:
  static vector all(T value) { return Eigen::internal::pset1<vector>(value); }
};

/// Elements [begin, begin + count) of a parameter; `gradient` is that of the
/// first of them. What fills no vector goes through one that is padded.
template <class T>
void adam_update(const adam_vector<T>& step, const adam_item<T>& k, std::size_t begin, std::size_t count,
                 const T* gradient) {
  constexpr std::size_t lanes = adam_vector<T>::lanes;
  T* const value = k.value + begin;
  T* const mean = k.mean + begin;
  T* const square = k.square + begin;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    step.update(gradient + i, value + i, mean + i, square + i);
  }
  if (const std::size_t rest = count - i; rest > 0) {
    T padded[4][lanes] = {};
    std::copy_n(gradient + i, rest, padded[0]);
    std::copy_n(value + i, rest, padded[1]);
    std::copy_n(mean + i, rest, padded[2]);
    std::copy_n(square + i, rest, padded[3]);
    step.update(padded[0], padded[1], padded[2], padded[3]);
    std::copy_n(padded[1], rest, value + i);
    std::copy_n(padded[2], rest, mean + i);
    std::copy_n(padded[3], rest, square + i);
  }
}

/// Numbers a thread takes at a time.
inline constexpr std::size_t optimizer_piece = std::size_t{1} << 14;

template <class T>
void adam_step(const cpu& exec, std::span<const adam_item<T>> items) {
  for (const auto& k : items) {
    const adam_vector<T> step(k);
    parallel_for(exec, k.size, optimizer_piece, [&](std::size_t begin, std::size_t end) {
      adam_update(step, k, begin, end - begin, k.gradient + begin);
    });
  }
}

/// A step of Adam with the gradient extra + a b (a b if `extra` is empty), which
/// is computed tile by tile and never written to memory. `item` is that of the
/// whole parameter, a.rows() x b.cols() numbers that stand together; its gradient
/// is not used. The same bits as gemm() onto extra, then adam_step(). Parameter
/// and moments are on their way to the cache while the product is computed.
template <class T>
void gemm_adam_step(const cpu& exec, gemm_operand<T> a, gemm_operand<T> b, matrix_view<const T> extra,
                    const adam_item<T>& item) {
  constexpr std::size_t line = 64 / sizeof(T);
  const adam_vector<T> step(item);
  const auto fetch = [&](std::size_t row, std::size_t col, std::size_t rows, std::size_t cols) {
    for (std::size_t r = row; r < row + rows; ++r) {
      for (std::size_t i = r * b.cols() + col; i < r * b.cols() + col + cols; i += line) {
        for (const T* const what : {item.value, item.mean, item.square}) {
          __builtin_prefetch(what + i, 1, 2);
        }
      }
    }
  };
  gemm_tiles(exec, a, b, extra, fetch, [&](matrix_view<T> tile, std::size_t row, std::size_t col) {
    for (std::size_t r = 0; r < tile.rows(); ++r) {
      adam_update(step, item, (row + r) * b.cols() + col, tile.cols(), tile.row(r).data());
    }
  });
}

/// Velocity starts at zero, which makes the first step's velocity the gradient
/// itself, as in PyTorch.
template <class T>
void sgd_step(const cpu& exec, std::span<const sgd_item<T>> items) {
  for (const auto& k : items) {
    parallel_for(exec, k.size, optimizer_piece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        T g = k.gradient_scale * k.gradient[i] + k.l2 * k.value[i];
        if (k.velocity != nullptr) {
          g = k.velocity[i] = k.momentum * k.velocity[i] + g;
        }
        k.value[i] -= k.lr * g;
      }
    });
  }
}

}  // namespace graphpatcher::backend::inline GP_LEVEL

#endif
