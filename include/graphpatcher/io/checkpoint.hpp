// SPDX-License-Identifier: MIT
#pragma once

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

#include "graphpatcher/io/config_json.hpp"
#include "graphpatcher/io/name_map.hpp"
#include "graphpatcher/version.hpp"

/// Checkpoints: .safetensors files whose tensors have the names and layouts of
/// PyTorch modules (dgl_names()), and whose "__metadata__" says what they are:
///
///   graphpatcher.format   "1"
///   graphpatcher.version  of the library that wrote it
///   graphpatcher.kind     gcn, sage, gat, patcher or training
///   graphpatcher.config   everything needed to build it again, as JSON; the seed among it
///   note.<key>            whatever its writer had to say
///
/// They are written as a whole or not at all, and read the same way.
namespace graphpatcher {

inline constexpr unsigned checkpoint_format = 1;

using checkpoint_notes = std::map<std::string, std::string>;

/// What a checkpoint says of itself.
struct checkpoint_info {
  std::string kind;
  std::string version;  ///< of the library that wrote it
  std::string config;   ///< JSON
  checkpoint_notes notes;
};

namespace detail {

template <class T>
void write_checkpoint(const std::filesystem::path& path, std::string_view kind, const nlohmann::ordered_json& config,
                      const state_dict<T>& state, const checkpoint_notes& notes) {
  expects(path.extension() == ".safetensors", path.string(), ": expected a name that ends with .safetensors");
  std::map<std::string, std::string> metadata{{"format", "pt"},
                                              {"graphpatcher.format", std::to_string(checkpoint_format)},
                                              {"graphpatcher.version", version},
                                              {"graphpatcher.kind", std::string(kind)},
                                              {"graphpatcher.config", config.dump()}};
  for (const auto& [key, value] : notes) {
    metadata["note." + key] = value;
  }
  write_state_dict(path, state, metadata);
}

/// How many values a file holds, against how many its config asks for: asked
/// before a model is made whose size the file only claims. Twice as many are
/// let pass, so that what a file lacks can still be said by name.
class held_values {
public:
  explicit held_values(const safetensors_archive& file) : path_(file.path()), tensors_(file.tensors().size()) {
    for (const auto& tensor : file.tensors()) {
      left_ += 2 * std::uint64_t{tensor.count};
    }
  }

  std::size_t tensors() const noexcept { return tensors_; }

  /// Takes a tensor of these extents away from what is left.
  void take(std::initializer_list<std::size_t> extents) {
    std::uint64_t count = std::find(extents.begin(), extents.end(), 0u) == extents.end() ? 1 : 0;
    for (const std::size_t extent : extents) {
      if (count > 0 && extent > left_ / count) {
        fail();
      }
      count *= extent;
    }
    left_ -= count;
  }

  [[noreturn]] void fail() const { throw file_error(path_, "the config asks for more weights than the file holds"); }

private:
  std::string path_;
  std::size_t tensors_ = 0;
  std::uint64_t left_ = 0;
};

/// An open checkpoint: what it says of itself, and its tensors.
class checkpoint_reader {
public:
  explicit checkpoint_reader(safetensors_archive file) : file_(std::move(file)) {
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

  const checkpoint_info& info() const noexcept { return info_; }

  void expect_kind(std::string_view kind) const {
    if (info_.kind != kind) {
      fail(text("expected a checkpoint of kind ", kind, ", got kind ", shortened(info_.kind)));
    }
  }

  /// Calls read(fields) with the fields of the config.
  template <class Read>
  void read_config(Read&& read) const {
    const auto json = parse_strictly(info_.config, file_.path(), "config");
    fields_reader fields(json, file_.path(), "config");
    read(fields);
    fields.finish();
  }

  held_values held() const { return held_values(file_); }

  template <class T>
  state_dict<T> tensors() const {
    return read_all<T>(file_);
  }

  /// Runs `make`; what it finds wrong is the file's fault.
  template <class Make>
  auto blame_file(Make&& make) const {
    try {
      return make();
    } catch (const file_error&) {
      throw;
    } catch (const error& problem) {
      fail(problem.what());
    }
  }

  /// Sets the parameters of a model from the tensors, which must be these and no others.
  template <class Model>
  void fill(Model& model, const name_map& names) const {
    using T = typename Model::scalar_type;
    const auto state = tensors<T>();
    blame_file([&] { assign_parameters<Model>(model, state, names); });
    for (const auto& [name, tensor] : state) {
      const auto meant = [&, wanted = &name](const auto& entry) { return entry.second.name == *wanted; };
      if (std::none_of(names.begin(), names.end(), meant)) {
        fail(text("expected the parameters of the model and no more, got the tensor '", shortened(name), "' as well"));
      }
    }
  }

  [[noreturn]] void fail(const std::string& what) const { throw file_error(file_.path(), what); }

private:
  std::string field(const std::string& key) const {
    const auto found = file_.metadata().find(key);
    if (found == file_.metadata().end()) {
      fail(text("expected a checkpoint of graphpatcher, got a file without '", key,
                "'; read_state_dict() reads other safetensors files"));
    }
    return found->second;
  }

  safetensors_archive file_;
  checkpoint_info info_;
};

}  // namespace detail

/// What a file says of itself, without its weights being looked at.
inline checkpoint_info read_checkpoint_info(const std::filesystem::path& path) {
  return detail::checkpoint_reader(safetensors_archive(path)).info();
}

/// Throws file_error unless a checkpoint was made with the config at hand, for
/// those who go on from one. How a training is shown may differ.
template <class Config>
void expect_same_config(const std::filesystem::path& path, Config saved, Config now) {
  if constexpr (requires { now.quiet, now.capture; }) {
    saved.quiet = now.quiet;
    saved.capture = now.capture;
  }
  fields_writer before;
  fields_writer after;
  list_fields(before, saved);
  list_fields(after, now);
  for (const auto& [name, value] : after.json.items()) {
    if (before.json.at(name) != value) {
      throw file_error(path.string(), text("made with ", name, " = ", before.json.at(name).dump(), ", not ",
                                           value.dump(), "; take the same config, or remove the file to begin anew"));
    }
  }
}

}  // namespace graphpatcher
