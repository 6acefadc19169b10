// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <type_traits>

#include "graphpatcher/core/narrow_float.hpp"
#include "graphpatcher/io/npy.hpp"

namespace graphpatcher {

/// What an .npy file can be written of; bool for masks.
template <class T>
concept npy_element = npy_scalar<T> || std::same_as<T, bool> || std::same_as<T, float16>;

/// The content of an .npy file (version 1.0, C order).
template <npy_element T>
std::string npy_bytes(std::span<const std::size_t> shape, std::type_identity_t<std::span<const T>> values);

/// How the arrays of an .npz file are kept.
enum class npz_packing {
  stored,    ///< as they are, like numpy.savez
  deflated,  ///< packed by zlib, like numpy.savez_compressed
};

/// Makes an .npz file: a zip archive with one .npy file an array. The same
/// arrays give the same bytes. Up to 4 GB.
class npz_writer {
public:
  explicit npz_writer(npz_packing packing = npz_packing::stored) : packing_(packing) {}

  template <npy_element T>
  npz_writer& add(const std::string& name, std::span<const std::size_t> shape,
                  std::type_identity_t<std::span<const T>> values) {
    expect_new(name);
    append(name, npy_bytes<T>(shape, values));
    return *this;
  }
  /// One axis.
  template <npy_element T>
  npz_writer& add(const std::string& name, std::type_identity_t<std::span<const T>> values) {
    const std::size_t shape[] = {values.size()};
    return add<T>(name, shape, values);
  }

  /// The whole archive.
  std::string bytes() const;

  /// Writes the file as a whole or not at all; throws file_error.
  void write(const std::filesystem::path& path) const;

private:
  void expect_new(const std::string& name) const;
  void append(const std::string& name, const std::string& content);

  npz_packing packing_;
  std::set<std::string> names_;
  std::string local_;
  std::string directory_;
};

}  // namespace graphpatcher
