// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#ifdef __FMA__
#include <immintrin.h>
#endif

#include "graphpatcher/core/level.hpp"

/// Vectors of the compiler (GCC and Clang), as wide as the machine that is compiled for. Plain arithmetic works on them
/// and is what the loop over their lanes would compute, bit for bit.
namespace graphpatcher::backend::inline GP_LEVEL {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif

template <class T>
inline constexpr std::size_t vector_lanes = vector_bytes / sizeof(T);

/// `Lanes` numbers in a register; a power of two.
template <class T, std::size_t Lanes>
struct vector_of {
  typedef T type __attribute__((vector_size(Lanes * sizeof(T))));
};
/// One is a number: GCC 12 doesn't come to an end over vectors of one double on aarch64.
template <class T>
struct vector_of<T, 1> {
  using type = T;
};

/// From and to memory that need not be aligned.
template <std::size_t Lanes, class T>
inline auto load(const T* from) {
  typename vector_of<T, Lanes>::type result;
  std::memcpy(&result, from, sizeof(result));
  return result;
}
template <class T, class Vector>
inline void store(T* to, const Vector& values) {
  std::memcpy(to, &values, sizeof(values));
}

/// sum += a · x, rounded once where the level has fused multiply-adds. Said in so many words because a compiler that is
/// left to fuse `sum += a * x` by itself does so in some loops and not in others: GCC 12, tuning for an AMD processor,
/// only in those over vectors of 64 bytes. A column has the same bits in every block.
/// `a` is a number or a vector.
template <class Factor, class Vector>
[[gnu::always_inline]] inline void add_product(const Factor& a, const Vector& x, Vector& sum) {
#ifdef __FMA__
  constexpr std::size_t bytes = sizeof(Vector);
  if constexpr (std::is_arithmetic_v<Vector>) {
    sum = static_cast<Vector>(bytes == sizeof(float) ? __builtin_fmaf(a, x, sum) : __builtin_fma(a, x, sum));
  } else {
    constexpr bool single = sizeof(x[0]) == sizeof(float);
#ifdef __AVX512F__
    if constexpr (bytes == 64) {
      const Vector factor = a - Vector{};
      if constexpr (single) {
        sum = _mm512_fmadd_ps(factor, x, sum);
      } else {
        sum = _mm512_fmadd_pd(factor, x, sum);
      }
      return;
    }
#endif
    if constexpr (bytes == 32 || bytes == 16) {
      const Vector factor = a - Vector{};
      if constexpr (bytes == 32 && single) {
        sum = _mm256_fmadd_ps(factor, x, sum);
      } else if constexpr (bytes == 32) {
        sum = _mm256_fmadd_pd(factor, x, sum);
      } else if constexpr (single) {
        sum = _mm_fmadd_ps(factor, x, sum);
      } else {
        sum = _mm_fmadd_pd(factor, x, sum);
      }
    } else {
      using T = std::remove_cvref_t<decltype(x[0])>;
      const Vector factor = a - Vector{};
      for (std::size_t lane = 0; lane < bytes / sizeof(T); ++lane) {
        T one = sum[lane];
        add_product(T(factor[lane]), T(x[lane]), one);
        sum[lane] = one;
      }
    }
  }
#else
  sum += a * x;
#endif
}

/// body(0), ..., body(Count - 1), the numbers being constants: arrays that are read and written by them alone stay in
/// registers.
template <std::size_t Count, class Body>
inline void unrolled(Body&& body) {
  [&]<std::size_t... V>(std::index_sequence<V...>) {
    (body(std::integral_constant<std::size_t, V>{}), ...);
  }
  (std::make_index_sequence<Count>{});
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
