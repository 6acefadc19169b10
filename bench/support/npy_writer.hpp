// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "graphpatcher/core/error.hpp"

namespace bench {

template <class T>
constexpr const char* npy_type();
template <>
constexpr const char* npy_type<float>() {
  return "<f4";
}
template <>
constexpr const char* npy_type<std::int32_t>() {
  return "<i4";
}
template <>
constexpr const char* npy_type<std::uint8_t>() {
  return "|u1";
}

/// Writes an .npy file (version 1.0, C order), which NumPy and read_npy() read. For a machine that stores the lowest
/// byte first.
template <class T>
void write_npy(const std::filesystem::path& file, std::span<const T> values, const std::vector<std::size_t>& shape) {
  std::string header = std::string("{'descr': '") + npy_type<T>() + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t extent : shape) {
    header += std::to_string(extent) + ",";
  }
  header += "), }";
  const std::size_t start = 10;  // magic string, version and length; the values begin at a multiple of 64
  header.append(64 - (start + header.size() + 1) % 64, ' ').push_back('\n');
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size() % 256)
      << static_cast<char>(header.size() / 256) << header;
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
  if (!out.flush()) {
    throw graphpatcher::file_error(file.string(), "could not be written; is the disk full?");
  }
}

}  // namespace bench
