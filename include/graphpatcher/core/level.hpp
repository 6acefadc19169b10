// SPDX-License-Identifier: MIT
#pragma once

/// The instruction level that a file is compiled for, as the name of an inline
/// namespace. Kernels and whatever depends on the width of their vectors stand in
/// it: two files of one program that are compiled with different flags have
/// different functions then, each right for its own vectors, and link together.
///
///   baseline  what every processor of the architecture has
///   avx       32-byte vectors without AVX2 or without FMA
///   v3, v4    x86-64-v3 (AVX2, FMA) and x86-64-v4 (AVX-512)
///   avx512f   64-byte vectors without the rest of x86-64-v4
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#define GP_LEVEL v4
#elif defined(__AVX512F__)
#define GP_LEVEL avx512f
#elif defined(__AVX2__) && defined(__FMA__)
#define GP_LEVEL v3
#elif defined(__AVX__)
#define GP_LEVEL avx
#else
#define GP_LEVEL baseline
#endif
