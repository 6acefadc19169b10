// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "graphpatcher/io/byte_reader.hpp"
#include "graphpatcher/io/npy.hpp"
#include "graphpatcher/io/safetensors_header.hpp"

namespace graphpatcher {

/// The tensors of a .safetensors file: 8 bytes with the length of a JSON header,
/// the header, the data. Everything the header says is checked when the file is
/// opened; a tensor is converted when it is asked for.
class safetensors_archive {
public:
  explicit safetensors_archive(const std::filesystem::path& path)
      : safetensors_archive(path.string(), read_file(path)) {}

  /// From bytes; `path` is for messages.
  safetensors_archive(std::string path, std::vector<std::uint8_t> bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)), header_(read_safetensors_header(byte_reader(path_, bytes_))) {
    for (std::size_t i = 0; i < header_.tensors.size(); ++i) {
      by_name_.emplace(header_.tensors[i].name, i);
    }
  }

  const std::string& path() const noexcept { return path_; }
  /// In the order of their bytes.
  std::span<const safetensors_entry> tensors() const noexcept { return header_.tensors; }
  /// The file's "__metadata__".
  const std::map<std::string, std::string>& metadata() const noexcept { return header_.metadata; }

  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& tensor : header_.tensors) {
      list.push_back(tensor.name);
    }
    return list;
  }

  bool contains(std::string_view name) const { return by_name_.find(name) != by_name_.end(); }

  /// The tensor called `name`, its values converted to `T` if that changes none.
  template <npy_scalar T>
  npy_array<T> read(std::string_view name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      throw argument_error(text(path_, ": no tensor is called '", name, "'; it has ", known_names()));
    }
    const auto& tensor = header_.tensors[found->second];
    byte_reader file(path_, bytes_);
    file.seek(header_.data + tensor.begin, "a tensor");
    return {tensor.shape, convert<T>(file, tensor)};
  }

private:
  template <class T>
  static std::vector<T> convert(byte_reader& file, const safetensors_entry& tensor) {
    const std::string_view dtype = tensor.dtype;
    if (dtype == "F32") {
      return unchanged<T, float>(file, tensor.count);
    }
    if (dtype == "F64") {
      return unchanged<T, double>(file, tensor.count);
    }
    if (dtype == "F16") {
      return widen<T, float16>(file, tensor);
    }
    if (dtype == "BF16") {
      return widen<T, bfloat16>(file, tensor);
    }
    if (dtype == "I64") {
      return unchanged<T, std::int64_t>(file, tensor.count);
    }
    if (dtype == "I32") {
      return unchanged<T, std::int32_t>(file, tensor.count);
    }
    if (dtype == "U8") {
      return unchanged<T, std::uint8_t>(file, tensor.count);
    }
    if (dtype == "BOOL") {
      auto values = unchanged<T, std::uint8_t>(file, tensor.count);
      if (std::any_of(values.begin(), values.end(), [](T value) { return value > T(1); })) {
        file.fail(tensor.place, text("tensor '", detail::shortened(tensor.name), "': expected booleans of 0 or 1"));
      }
      return values;
    }
    file.fail(tensor.place, text("tensor '", detail::shortened(tensor.name),
                                 "': expected F64, F32, F16, BF16, I64, I32, U8 or BOOL, got ", dtype,
                                 "; convert it before it is saved"));
  }

  template <class T, class From>
  static std::vector<T> unchanged(byte_reader& file, std::size_t count) {
    std::vector<T> values;
    values.reserve(count);
    detail::convert_npy<T, From>(file, count, npy_rounding::none, [&](std::span<const T> block) {
      values.insert(values.end(), block.begin(), block.end());
    });
    return values;
  }

  /// Every number of 16 bits is a float.
  template <class T, class Narrow>
  static std::vector<T> widen(byte_reader& file, const safetensors_entry& tensor) {
    if constexpr (std::is_integral_v<T>) {
      file.fail(tensor.place, "expected integers, got floating-point numbers; read them as double");
    } else {
      const auto bytes = file.take(tensor.count * sizeof(Narrow), "the values");
      std::vector<T> values(tensor.count);
      for (std::size_t i = 0; i < tensor.count; ++i) {
        values[i] = to_float(load_little<Narrow>(bytes.data() + i * sizeof(Narrow)));
      }
      return values;
    }
  }

  std::string known_names() const {
    constexpr std::size_t most = 20;
    std::string known;
    for (std::size_t i = 0; i < std::min(most, header_.tensors.size()); ++i) {
      known += (known.empty() ? "" : ", ") + detail::shortened(header_.tensors[i].name);
    }
    return header_.tensors.empty() ? "none" : known + (header_.tensors.size() > most ? ", ..." : "");
  }

  std::string path_;
  std::vector<std::uint8_t> bytes_;
  safetensors_header header_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace graphpatcher
