// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

/// An array of any number of axes, row-major; no axes means a single number.
template <class T>
struct npy_array {
  std::vector<std::size_t> shape;
  std::vector<T> values;
};

/// What values of an .npy file can be read as.
template <class T>
concept npy_scalar = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint8_t>;

/// What becomes of a number that the type it is read as has not got.
enum class npy_rounding {
  none,      ///< a format_error
  to_float,  ///< a double becomes the nearest float; anything else is a format_error
};

/// Reads an .npy file: rows or columns first (C or Fortran order), either order
/// of bytes, floating point of 2, 4 or 8 bytes, integers, booleans. Numbers are
/// converted to `T` only if they stay the same: integers to wider types or floats
/// that hold them, floats to wider ones, and back where nothing is lost (or
/// `rounding` allows it); never floating point to integers. Otherwise a
/// format_error.
template <npy_scalar T>
npy_array<T> read_npy(const std::filesystem::path& path, npy_rounding rounding = npy_rounding::none);

}  // namespace graphpatcher
