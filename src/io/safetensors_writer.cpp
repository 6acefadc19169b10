// SPDX-License-Identifier: MIT
#include "graphpatcher/io/safetensors_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/atomic_file.hpp"

namespace graphpatcher {

namespace {

std::string dump(const nlohmann::ordered_json& header) {
  try {
    return header.dump();
  } catch (const nlohmann::json::type_error&) {
    throw argument_error("safetensors: expected names and notes in UTF-8, got other bytes");
  }
}

}  // namespace

std::string safetensors_writer::bytes() const {
  const auto width = [](const tensor* each) { return each->dtype == "F64" ? 8 : 4; };
  std::vector<const tensor*> order;
  for (const auto& each : tensors_) {
    order.push_back(&each);
  }
  std::stable_sort(order.begin(), order.end(), [&](auto* a, auto* b) { return width(a) > width(b); });

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

void safetensors_writer::write(const std::filesystem::path& path) const {
  write_file_atomically(path, bytes());
}

}  // namespace graphpatcher
