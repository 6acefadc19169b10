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

/// 1 in the files of programs that link graphpatcher::compiled, which hands them
/// this definition: its kernels, compiled for every level, are called instead of
/// compiled once more.
#ifndef GRAPHPATCHER_COMPILED
#define GRAPHPATCHER_COMPILED 0
#endif

/// 1 in the files of graphpatcher::compiled that are compiled for a level.
#ifndef GP_BUILDS_LEVEL
#define GP_BUILDS_LEVEL 0
#endif

/// Whether whole algorithms are called in graphpatcher::compiled.
#define GP_CALLS_COMPILED (GRAPHPATCHER_COMPILED && !GP_BUILDS_LEVEL)

/// Whether operations are called through a table: everywhere with graphpatcher::compiled
/// but in the file of a level that compiles them, which says so.
#ifndef GP_CALLS_OPERATIONS
#define GP_CALLS_OPERATIONS GRAPHPATCHER_COMPILED
#endif

/// `GP_EXTERN template ...` behind a template says for which types a library has it, so that files of programs needn't
/// compile it once more. It says so where GP_HAS_INSTANCES is 1: in programs that link graphpatcher::compiled, and
/// in the files of graphpatcher::io. The file of a library that does compile them defines GP_EXTERN as nothing.
#ifndef GP_HAS_INSTANCES
#define GP_HAS_INSTANCES GP_CALLS_COMPILED
#endif
#ifndef GP_EXTERN
#define GP_EXTERN extern
#endif
