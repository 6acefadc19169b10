// SPDX-License-Identifier: MIT
#include "graphpatcher/io/safetensors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/narrow_float.hpp"
#include "io/byte_reader.hpp"
#include "io/instantiate.hpp"
#include "io/mapped_file.hpp"
#include "io/npy_values.hpp"
#include "io/safetensors_header.hpp"

namespace graphpatcher {

namespace {

template <class T, class From>
std::vector<T> unchanged(byte_reader& file, std::size_t count) {
  std::vector<T> values;
  values.reserve(count);
  detail::convert_npy<T, From>(file, count, false, npy_rounding::none, [&](std::span<const T> block) {
    values.insert(values.end(), block.begin(), block.end());
  });
  return values;
}

/// Every number of 16 bits is a float.
template <class T, class Narrow>
std::vector<T> widen(byte_reader& file, const safetensors_entry& tensor) {
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

template <class T>
std::vector<T> convert(byte_reader& file, const safetensors_entry& tensor) {
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

std::string known_names(const std::vector<safetensors_entry>& tensors) {
  constexpr std::size_t most = 20;
  std::string known;
  for (std::size_t i = 0; i < std::min(most, tensors.size()); ++i) {
    known += (known.empty() ? "" : ", ") + detail::shortened(tensors[i].name);
  }
  return tensors.empty() ? "none" : known + (tensors.size() > most ? ", ..." : "");
}

}  // namespace

std::string detail::shortened(std::string_view name) {
  constexpr std::size_t most = 80;
  return name.size() <= most ? std::string(name) : std::string(name.substr(0, most)) + "...";
}

safetensors_archive::safetensors_archive(const std::filesystem::path& path)
    : safetensors_archive(path.string(), read_file(path)) {}

safetensors_archive::safetensors_archive(std::string path, std::vector<std::uint8_t> bytes)
    : path_(std::move(path)), bytes_(std::move(bytes)), header_(read_safetensors_header(byte_reader(path_, bytes_))) {
  for (std::size_t i = 0; i < header_.tensors.size(); ++i) {
    by_name_.emplace(header_.tensors[i].name, i);
  }
}

std::vector<std::string> safetensors_archive::names() const {
  std::vector<std::string> list;
  for (const auto& tensor : header_.tensors) {
    list.push_back(tensor.name);
  }
  return list;
}

template <npy_scalar T>
npy_array<T> safetensors_archive::read(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    throw argument_error(text(path_, ": no tensor is called '", name, "'; it has ", known_names(header_.tensors)));
  }
  const auto& tensor = header_.tensors[found->second];
  byte_reader file(path_, bytes_);
  file.seek(header_.data + tensor.begin, "a tensor");
  return {tensor.shape, convert<T>(file, tensor)};
}

#define GP_INSTANTIATE(T) template npy_array<T> safetensors_archive::read<T>(std::string_view) const;
GP_FOR_NPY_TYPES(GP_INSTANTIATE)

}  // namespace graphpatcher
