// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/cpu/simd.hpp"

/// What numbers that do not fill a vector need: rows of a few columns and the ends of long ones are computed by the
/// same vectors as everything else, so the bits of an element do not depend on where it stands.
namespace graphpatcher::backend::inline GP_LEVEL {

/// A vector of the compiler.
template <class Vector>
concept simd_vector = !std::is_arithmetic_v<Vector> && requires(Vector & v) {
  v[0] * v;
};

/// The numbers of a vector, and the unsigned integers of their size.
template <simd_vector Vector>
using lane_type = std::remove_cvref_t<decltype(std::declval<Vector&>()[0])>;
template <class Vector>
inline constexpr std::size_t lanes_of = sizeof(Vector) / sizeof(lane_type<Vector>);
template <class T>
using bits_of = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
template <class Vector>
using lane_bits = typename vector_of<bits_of<lane_type<Vector>>, lanes_of<Vector>>::type;

/// The same number in every lane.
template <class Vector>
inline Vector filled(lane_type<Vector> value) {
  return value - Vector{};  // a sum would make +0 of -0
}

/// Calls body(lanes, arguments...) with the fewest lanes, a constant, that `count` numbers fit into: vectors of at
/// least 16 bytes, and of the machine's width for rows that are longer.
template <class T, std::size_t Lanes = 16 / sizeof(T), class Body>
inline decltype(auto) with_lanes(std::size_t count, Body&& body) {
  if constexpr (Lanes < vector_lanes<T>) {
    if (count > Lanes) {
      return with_lanes<T, 2 * Lanes>(count, body);
    }
  }
  return body(std::integral_constant<std::size_t, Lanes>{});
}

namespace detail {

/// Lane i of the result is lane i ^ Step, i + Step, or i - Step of v (outside: any).
template <std::size_t Step, class Vector, std::size_t... Lane>
inline Vector crossed(const Vector& v, std::index_sequence<Lane...>) {
  return __builtin_shufflevector(v, v, (Lane ^ Step)...);
}
template <std::size_t Step, class Vector, std::size_t... Lane>
inline Vector moved_down(const Vector& v, std::index_sequence<Lane...>) {
  return __builtin_shufflevector(v, v, (Lane + Step)...);
}
template <std::size_t Step, class Vector, std::size_t... Lane>
inline Vector moved_up(const Vector& v, std::index_sequence<Lane...>) {
  return __builtin_shufflevector(v, v, (Lane + sizeof...(Lane) - Step)...);
}

/// Joins lanes in the order of a tree, those that are furthest apart first; every lane of the result holds it.
template <std::size_t Step, std::size_t Period, class Vector, class Join>
inline Vector join_lanes(const Vector& v, const Join& join) {
  if constexpr (Step < Period) {
    return v;
  } else {
    return join_lanes<Step / 2, Period>(join(v, crossed<Step>(v, std::make_index_sequence<lanes_of<Vector>>{})), join);
  }
}

/// The lanes in pieces of Step, Step / 2, ..., 1 numbers: those that the binary digits of `count` name.
template <std::size_t Step, class T, class Vector>
inline void store_pieces(T* to, const Vector& v, std::size_t count) {
  if constexpr (Step > 0) {
    if ((count & Step) != 0) {
      std::memcpy(to, &v, Step * sizeof(T));
      store_pieces<Step / 2>(to + Step, moved_down<Step>(v, std::make_index_sequence<lanes_of<Vector>>{}), count);
    } else {
      store_pieces<Step / 2>(to, v, count);
    }
  }
}
/// The same from the last piece to the first, each moving up those that follow it.
template <std::size_t Step, class T, class Vector>
inline void load_pieces(const T* end, Vector& v, std::size_t count) {
  if constexpr (Step < lanes_of<Vector>) {
    if ((count & Step) != 0) {
      v = moved_up<Step>(v, std::make_index_sequence<lanes_of<Vector>>{});
      end -= Step;
      std::memcpy(&v, end, Step * sizeof(T));
    }
    load_pieces<2 * Step>(end, v, count);
  }
}

}  // namespace detail

/// The first `count` numbers at `from`, at most as many as there are lanes; the other lanes are `rest`. Nothing else is
/// read.
template <std::size_t Lanes, class T>
inline auto load_first(const T* from, std::size_t count, std::type_identity_t<T> rest) {
  using Vector = typename vector_of<T, Lanes>::type;
  const Vector others = filled<Vector>(rest);
#if defined(__AVX512VL__)
  const auto mask = (1u << count) - 1;
  if constexpr (sizeof(Vector) == 64 && sizeof(T) == 4) {
    return Vector(_mm512_mask_loadu_ps(others, static_cast<__mmask16>(mask), from));
  } else if constexpr (sizeof(Vector) == 64) {
    return Vector(_mm512_mask_loadu_pd(others, static_cast<__mmask8>(mask), from));
  } else if constexpr (sizeof(Vector) == 32 && sizeof(T) == 4) {
    return Vector(_mm256_mask_loadu_ps(others, static_cast<__mmask8>(mask), from));
  } else if constexpr (sizeof(Vector) == 32) {
    return Vector(_mm256_mask_loadu_pd(others, static_cast<__mmask8>(mask), from));
  } else if constexpr (sizeof(T) == 4) {
    return Vector(_mm_mask_loadu_ps(others, static_cast<__mmask8>(mask), from));
  } else {
    return Vector(_mm_mask_loadu_pd(others, static_cast<__mmask8>(mask), from));
  }
#else
  if (count == Lanes) {
    return load<Lanes>(from);
  }
  using signed_lanes = typename vector_of<std::make_signed_t<bits_of<T>>, Lanes>::type;
  signed_lanes numbers;
  unrolled<Lanes>([&](auto lane) { numbers[lane.value] = static_cast<std::make_signed_t<bits_of<T>>>(lane); });
  const auto present = numbers < static_cast<std::make_signed_t<bits_of<T>>>(count);
  Vector result{};
#if defined(__AVX2__)
  if constexpr (sizeof(Vector) == 32 && sizeof(T) == 4) {
    result = _mm256_maskload_ps(from, (__m256i)present);
  } else if constexpr (sizeof(Vector) == 32) {
    result = _mm256_maskload_pd(from, (__m256i)present);
  } else if constexpr (sizeof(Vector) == 16 && sizeof(T) == 4) {
    result = _mm_maskload_ps(from, (__m128i)present);
  } else if constexpr (sizeof(Vector) == 16) {
    result = _mm_maskload_pd(from, (__m128i)present);
  } else
#endif
  {
    detail::load_pieces<1>(from + count, result, count);
  }
  return present ? result : others;
#endif
}

/// All of them.
template <std::size_t Lanes, class T>
inline auto load_first(const T* from, std::integral_constant<std::size_t, Lanes>, std::type_identity_t<T>) {
  return load<Lanes>(from);
}

/// Writes the first `count` lanes, at most all, and nothing else.
template <class T, class Vector>
inline void store_first(T* to, const Vector& values, std::size_t count) {
#if defined(__AVX512VL__)
  const auto mask = (1u << count) - 1;
  if constexpr (sizeof(Vector) == 64 && sizeof(T) == 4) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), values);
  } else if constexpr (sizeof(Vector) == 64) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), values);
  } else if constexpr (sizeof(Vector) == 32 && sizeof(T) == 4) {
    _mm256_mask_storeu_ps(to, static_cast<__mmask8>(mask), values);
  } else if constexpr (sizeof(Vector) == 32) {
    _mm256_mask_storeu_pd(to, static_cast<__mmask8>(mask), values);
  } else if constexpr (sizeof(T) == 4) {
    _mm_mask_storeu_ps(to, static_cast<__mmask8>(mask), values);
  } else {
    _mm_mask_storeu_pd(to, static_cast<__mmask8>(mask), values);
  }
#else
  // also with AVX2: its masked stores are slow on processors of AMD
  count == lanes_of<Vector> ? store(to, values) : detail::store_pieces<lanes_of<Vector> / 2>(to, values, count);
#endif
}

template <class T, class Vector>
inline void store_first(T* to, const Vector& values, std::integral_constant<std::size_t, lanes_of<Vector>>) {
  store(to, values);
}

/// The sum and the largest of all lanes, in every lane. With a period, of the lanes that are a multiple of it apart;
/// with a width, of as many neighbouring ones.
template <std::size_t Period = 1, std::size_t Width = 0, class Vector>
inline Vector lanes_sum(const Vector& v) {
  return detail::join_lanes<(Width == 0 ? lanes_of<Vector> : Width) / 2, Period>(
      v, [](const Vector& a, const Vector& b) { return a + b; });
}
template <std::size_t Period = 1, std::size_t Width = 0, class Vector>
inline Vector lanes_max(const Vector& v) {
  return detail::join_lanes<(Width == 0 ? lanes_of<Vector> : Width) / 2, Period>(
      v, [](const Vector& a, const Vector& b) { return a < b ? b : a; });
}

/// Two short rows in one vector, and back.
template <class Vector>
inline auto both_of(const Vector& first, const Vector& second) {
  return [&]<std::size_t... Lane>(std::index_sequence<Lane...>) {
    return __builtin_shufflevector(first, second, Lane...);
  }
  (std::make_index_sequence<2 * lanes_of<Vector>>{});
}
template <std::size_t Half, class Vector>
inline auto half_of(const Vector& v) {
  return [&]<std::size_t... Lane>(std::index_sequence<Lane...>) {
    return __builtin_shufflevector(v, v, (Lane + Half * sizeof...(Lane))...);
  }
  (std::make_index_sequence<lanes_of<Vector> / 2>{});
}

/// Calls body(first, count) on the vectors of `Lanes` columns that make up a row: all are full but the last.
template <std::size_t Lanes, class Body>
inline void for_each_vector(std::size_t cols, Body&& body) {
  std::size_t c = 0;
  for (; c + Lanes <= cols; c += Lanes) {
    body(c, std::integral_constant<std::size_t, Lanes>{});
  }
  if (c < cols) {
    body(c, cols - c);
  }
}

}  // namespace graphpatcher::backend::inline GP_LEVEL
