// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

/// Makes a .safetensors file, tensor by tensor. The numbers are not copied
/// before they are written: they must stay where they are until then.
class safetensors_writer {
public:
  /// Text that goes along under "__metadata__".
  safetensors_writer& note(const std::string& key, const std::string& value) {
    metadata_[key] = value;
    return *this;
  }

  /// `values`: row-major, float or double.
  template <class T>
  safetensors_writer& add(const std::string& name, std::vector<std::size_t> shape, std::span<const T> values) {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "tensors of float or double");
    std::size_t count = 1;
    for (const std::size_t extent : shape) {
      count *= extent;
    }
    expects<shape_error>(count == values.size(), "safetensors: tensor '", name, "': expected ", count,
                         " values for its shape, got ", values.size());
    expects(!name.empty() && name != "__metadata__", "safetensors: expected a name other than '", name, "'");
    expects(names_.insert(name).second, "safetensors: expected every name once, got '", name, "' again");
    tensors_.push_back({name,
                        sizeof(T) == 8 ? "F64" : "F32",
                        std::move(shape),
                        {reinterpret_cast<const char*>(values.data()), values.size_bytes()}});
    return *this;
  }

  /// The whole file. Wider numbers come first, and the data begin at a multiple
  /// of 8 bytes, so that every tensor is aligned for those who map the file.
  std::string bytes() const;

  /// Writes the file as a whole or not at all; throws file_error.
  void write(const std::filesystem::path& path) const;

private:
  struct tensor {
    std::string name;
    std::string dtype;
    std::vector<std::size_t> shape;
    std::string_view values;
  };

  std::map<std::string, std::string> metadata_;
  std::vector<tensor> tensors_;
  std::set<std::string> names_;
};

}  // namespace graphpatcher
