// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphpatcher/core/atomic_file.hpp"
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
  std::string bytes() const {
    std::vector<const tensor*> order;
    for (const auto& each : tensors_) {
      order.push_back(&each);
    }
    std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return width(*a) > width(*b); });

    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata_.empty()) {
      header["__metadata__"] = metadata_;
    }
    std::uint64_t filled = 0;
    for (const auto* each : order) {
      header[each->name] = {
          {"dtype", each->dtype}, {"shape", each->shape}, {"data_offsets", {filled, filled + each->values.size()}}};
      filled += each->values.size();
    }
    std::string json = dump(header);
    json.resize((json.size() + 7) / 8 * 8, ' ');
    const auto length = static_cast<std::uint64_t>(json.size());

    std::string content;
    content.reserve(sizeof(length) + json.size() + filled);
    content.append(reinterpret_cast<const char*>(&length), sizeof(length));
    content += json;
    for (const auto* each : order) {
      content += each->values;
    }
    return content;
  }

  /// Writes the file as a whole or not at all; throws file_error.
  void write(const std::filesystem::path& path) const { write_file_atomically(path, bytes()); }

private:
  struct tensor {
    std::string name;
    std::string dtype;
    std::vector<std::size_t> shape;
    std::string_view values;
  };

  static int width(const tensor& each) { return each.dtype == "F64" ? 8 : 4; }

  static std::string dump(const nlohmann::ordered_json& header) {
    try {
      return header.dump();
    } catch (const nlohmann::json::type_error&) {
      throw argument_error("safetensors: expected names and notes in UTF-8, got other bytes");
    }
  }

  std::map<std::string, std::string> metadata_;
  std::vector<tensor> tensors_;
  std::set<std::string> names_;
};

}  // namespace graphpatcher
