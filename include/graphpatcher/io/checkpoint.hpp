// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "graphpatcher/io/detail/config_json.hpp"
#include "graphpatcher/io/name_map.hpp"
#include "graphpatcher/io/safetensors.hpp"

/// Checkpoints: .safetensors files whose tensors have the names and layouts of
/// PyTorch modules (dgl_names()), and whose "__metadata__" says what they are:
///
///   graphpatcher.format   "1"
///   graphpatcher.version  of the library that wrote it
///   graphpatcher.kind     gcn, sage, gat, patcher, weighted or training
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

template <real_number T>
void write_checkpoint(const std::filesystem::path& path, std::string_view kind, const json_value& config,
                      const state_dict<T>& state, const checkpoint_notes& notes);

/// How many values a file holds, against how many its config asks for: asked
/// before a model is made whose size the file only claims. Twice as many are
/// let pass, so that what a file lacks can still be said by name.
class held_values {
public:
  explicit held_values(const safetensors_archive& file);

  std::size_t tensors() const noexcept { return tensors_; }

  /// Takes a tensor of these extents away from what is left.
  void take(std::initializer_list<std::size_t> extents);

  [[noreturn]] void fail() const;

private:
  std::string path_;
  std::size_t tensors_ = 0;
  std::uint64_t left_ = 0;
};

/// An open checkpoint: what it says of itself, and its tensors.
class checkpoint_reader {
public:
  explicit checkpoint_reader(safetensors_archive file);

  const checkpoint_info& info() const noexcept { return info_; }

  void expect_kind(std::string_view kind) const;

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
    return read_state_dict<T>(file_);
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
  std::string field(const std::string& key) const;

  safetensors_archive file_;
  checkpoint_info info_;
};

}  // namespace detail

/// What a file says of itself, without its weights being looked at.
checkpoint_info read_checkpoint_info(const std::filesystem::path& path);

namespace detail {

/// Throws file_error that names the first field of which two configs say different things.
void expect_same_fields(const std::filesystem::path& path, const json_value& before, const json_value& after);

}  // namespace detail

/// Throws file_error unless a checkpoint was made with the config at hand, for
/// those who go on from one. How a training is shown may differ.
template <lists_options Config>
void expect_same_config(const std::filesystem::path& path, Config saved, Config now) {
  fields_writer before;
  fields_writer after;
  list_fields(before, saved);
  Config::list_options(now, [&](const option& o, auto& value) {
    if (o.changes_results) {
      after(o, value);
    }
  });
  detail::expect_same_fields(path, before.json, after.json);
}

}  // namespace graphpatcher
