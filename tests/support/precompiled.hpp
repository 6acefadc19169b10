// SPDX-License-Identifier: MIT
#pragma once

// Read once for all tests: Catch2, and in tests of kernels the products, which take
// seconds to compile. They are made in kernels.cpp and only declared elsewhere.
#include <catch2/catch.hpp>
#include <cstdint>
#include <span>

#include "graphpatcher/core/level.hpp"

#if !GRAPHPATCHER_COMPILED
#include "graphpatcher/cpu/gemm.hpp"
#include "graphpatcher/cpu/segment_reduce.hpp"
#include "graphpatcher/cpu/sparse_gemm.hpp"
#include "graphpatcher/cpu/spmm.hpp"

// clang-format off
#define GP_TEST_KERNELS(LINKAGE, T, I)                                                                                \
  LINKAGE template void gemm<T>(const cpu&, gemm_operand<T>, gemm_operand<T>, matrix_view<T>, bool);                  \
  LINKAGE template void spmm<T, I>(const cpu&, const edge_view<I>&, const spmm_scales<T>&, std::span<const I>,        \
                                   matrix_view<const T>, matrix_view<T>);                                             \
  LINKAGE template void spmm_adjoint<T, I>(const cpu&, const edge_view<I>&, const spmm_scales<T>&,                    \
                                           matrix_view<const T>, matrix_view<T>);                                     \
  LINKAGE template void segment_sum<T, I>(const cpu&, std::span<const I>, bool, matrix_view<const T>,                 \
                                          matrix_view<T>);                                                            \
  LINKAGE template void segment_max<T, I>(const cpu&, std::span<const I>, std::span<const I>, matrix_view<const T>,   \
                                          std::span<I>, matrix_view<T>);                                              \
  LINKAGE template void sparse_gemm<T, I>(const cpu&, const feature_rows<T, I>&, input_view<T>, matrix_view<T>);       \
  LINKAGE template void sparse_gemm_adjoint<T, I>(const cpu&, const feature_rows<T, I>&, input_view<T>, matrix_view<T>);
// clang-format on

namespace graphpatcher::backend {
GP_TEST_KERNELS(extern, float, std::int32_t)
GP_TEST_KERNELS(extern, double, std::int32_t)
}  // namespace graphpatcher::backend

#endif
