// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// Expands MAKE(T, I) for the types that datasets are read with.
#define GP_FOR_DATASET_TYPES(MAKE) \
  MAKE(float, std::int32_t) MAKE(float, std::int64_t) MAKE(double, std::int32_t) MAKE(double, std::int64_t)

/// Expands MAKE(T) for the types that arrays of files are read as (npy_scalar).
#define GP_FOR_NPY_TYPES(MAKE) MAKE(float) MAKE(double) MAKE(std::int32_t) MAKE(std::int64_t) MAKE(std::uint8_t)
