// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "graphpatcher/core/error.hpp"
#include "graphpatcher/io/npz.hpp"
#include "graphpatcher/io/npz_writer.hpp"
#include "graphpatcher/io/safetensors.hpp"
#include "graphpatcher/io/safetensors_writer.hpp"

namespace graphpatcher {

/// Named tensors, as a PyTorch module's state_dict() holds them.
template <class T>
using state_dict = std::map<std::string, npy_array<T>>;

namespace detail {

template <class T, class Archive>
state_dict<T> read_all(const Archive& archive) {
  state_dict<T> result;
  for (const auto& name : archive.names()) {
    result.emplace(name, archive.template read<T>(name));
  }
  return result;
}

[[noreturn]] inline void throw_unknown_suffix(const std::filesystem::path& path) {
  throw argument_error(text(path.string(), ": expected a file that ends with .safetensors or .npz"));
}

}  // namespace detail

/// All tensors of a .safetensors or .npz file. T: float or double. Numbers that
/// a T can't hold are refused (weights in double are read as double).
template <class T>
state_dict<T> read_state_dict(const std::filesystem::path& path) {
  if (path.extension() == ".safetensors") {
    return detail::read_all<T>(safetensors_archive(path));
  }
  if (path.extension() == ".npz") {
    return detail::read_all<T>(npz_archive(path));
  }
  detail::throw_unknown_suffix(path);
}

/// Writes tensors as .safetensors or .npz, as a whole or not at all. Notes go
/// into the "__metadata__" of safetensors; npz has no place for them.
template <class T>
void write_state_dict(const std::filesystem::path& path, const state_dict<T>& state,
                      const std::map<std::string, std::string>& notes = {}) {
  if (path.extension() == ".safetensors") {
    safetensors_writer file;
    for (const auto& [key, value] : notes) {
      file.note(key, value);
    }
    for (const auto& [name, tensor] : state) {
      file.add<T>(name, tensor.shape, tensor.values);
    }
    file.write(path);
  } else if (path.extension() == ".npz") {
    expects(notes.empty(), path.string(), ": expected no notes for an npz file, got ", notes.size(),
            "; write .safetensors");
    npz_writer file;
    for (const auto& [name, tensor] : state) {
      file.add<T>(name, tensor.shape, tensor.values);
    }
    file.write(path);
  } else {
    detail::throw_unknown_suffix(path);
  }
}

}  // namespace graphpatcher
