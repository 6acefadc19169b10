// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphpatcher/io/npy.hpp"

namespace graphpatcher {

/// A tensor as the header of a safetensors file describes it.
struct safetensors_entry {
  std::string name;
  std::string dtype;  ///< "F32", "F64", ...
  std::vector<std::size_t> shape;
  std::size_t count = 0;    ///< values
  std::uint64_t begin = 0;  ///< of its bytes, from the start of the data
  std::uint64_t end = 0;
  std::uint64_t place = 0;  ///< byte of the file where its description ends
};

struct safetensors_header {
  std::vector<safetensors_entry> tensors;  ///< in the order of their bytes
  std::map<std::string, std::string> metadata;
  std::size_t data = 0;  ///< byte of the file where the data begin
};

/// The tensors of a .safetensors file: 8 bytes with the length of a JSON header,
/// the header, the data. Everything the header says is checked when the file is
/// opened; a tensor is converted when it is asked for.
class safetensors_archive {
public:
  explicit safetensors_archive(const std::filesystem::path& path);
  /// From bytes; `path` is for messages.
  safetensors_archive(std::string path, std::vector<std::uint8_t> bytes);

  const std::string& path() const noexcept { return path_; }
  /// In the order of their bytes.
  std::span<const safetensors_entry> tensors() const noexcept { return header_.tensors; }
  /// The file's "__metadata__".
  const std::map<std::string, std::string>& metadata() const noexcept { return header_.metadata; }
  std::vector<std::string> names() const;
  bool contains(std::string_view name) const { return by_name_.find(name) != by_name_.end(); }

  /// The tensor called `name`, its values converted to `T` if that changes none.
  template <npy_scalar T>
  npy_array<T> read(std::string_view name) const;

private:
  std::string path_;
  std::vector<std::uint8_t> bytes_;
  safetensors_header header_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

namespace detail {

/// A name from a file, short enough for a message.
std::string shortened(std::string_view name);

}  // namespace detail

}  // namespace graphpatcher
