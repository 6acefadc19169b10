// SPDX-License-Identifier: MIT
#include "graphpatcher/io/checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/version.hpp"

namespace graphpatcher {

template <real_number T>
void detail::write_checkpoint(const std::filesystem::path& path, std::string_view kind, const json_value& config,
                              const state_dict<T>& state, const checkpoint_notes& notes) {
  expects(path.extension() == ".safetensors", path.string(), ": expected a name that ends with .safetensors");
  std::map<std::string, std::string> metadata{{"format", "pt"},
                                              {"graphpatcher.format", std::to_string(checkpoint_format)},
                                              {"graphpatcher.version", version},
                                              {"graphpatcher.kind", std::string(kind)},
                                              {"graphpatcher.config", json_text(config)}};
  for (const auto& [key, value] : notes) {
    metadata["note." + key] = value;
  }
  write_state_dict(path, state, metadata);
}

#define GP_INSTANTIATE(T)                                                                                      \
  template void detail::write_checkpoint<T>(const std::filesystem::path&, std::string_view, const json_value&, \
                                            const state_dict<T>&, const checkpoint_notes&);
GP_INSTANTIATE(float)
GP_INSTANTIATE(double)

namespace detail {

held_values::held_values(const safetensors_archive& file) : path_(file.path()), tensors_(file.tensors().size()) {
  for (const auto& tensor : file.tensors()) {
    left_ += 2 * std::uint64_t{tensor.count};
  }
}

void held_values::take(std::initializer_list<std::size_t> extents) {
  std::uint64_t count = std::find(extents.begin(), extents.end(), 0u) == extents.end() ? 1 : 0;
  for (const std::size_t extent : extents) {
    if (count > 0 && extent > left_ / count) {
      fail();
    }
    count *= extent;
  }
  left_ -= count;
}

void held_values::fail() const {
  throw file_error(path_, "the config asks for more weights than the file holds");
}

checkpoint_reader::checkpoint_reader(safetensors_archive file) : file_(std::move(file)) {
  const std::string format = field("graphpatcher.format");
  unsigned number = 0;
  const auto [stop, failure] = std::from_chars(format.data(), format.data() + format.size(), number);
  if (failure != std::errc{} || stop != format.data() + format.size() || number == 0) {
    fail(text("expected the number of a checkpoint format, got '", shortened(format), "'"));
  }
  info_.version = field("graphpatcher.version");
  if (number > checkpoint_format) {
    fail(text("expected a checkpoint of format ", checkpoint_format, " or older, got ", number,
              ", written by graphpatcher ", shortened(info_.version), "; update this library"));
  }
  info_.kind = field("graphpatcher.kind");
  info_.config = field("graphpatcher.config");
  for (const auto& [key, value] : file_.metadata()) {
    if (key.starts_with("note.")) {
      info_.notes.emplace(key.substr(5), value);
    }
  }
}

void checkpoint_reader::expect_kind(std::string_view kind) const {
  if (info_.kind != kind) {
    fail(text("expected a checkpoint of kind ", kind, ", got kind ", shortened(info_.kind)));
  }
}

std::string checkpoint_reader::field(const std::string& key) const {
  const auto found = file_.metadata().find(key);
  if (found == file_.metadata().end()) {
    fail(text("expected a checkpoint of graphpatcher, got a file without '", key,
              "'; read_state_dict() reads other safetensors files"));
  }
  return found->second;
}

void expect_same_fields(const std::filesystem::path& path, const json_value& before, const json_value& after) {
  for (std::size_t i = 0; i < after.items.size(); ++i) {
    const std::string& name = after.names[i];
    const json_value* other = before.find(name);
    if (other == nullptr || *other != after.items[i]) {
      throw file_error(path.string(),
                       text("made with ", name, " = ", other == nullptr ? "nothing" : json_text(*other), ", not ",
                            json_text(after.items[i]), "; take the same config, or remove the file to begin anew"));
    }
  }
}

}  // namespace detail

checkpoint_info read_checkpoint_info(const std::filesystem::path& path) {
  return detail::checkpoint_reader(safetensors_archive(path)).info();
}

}  // namespace graphpatcher
