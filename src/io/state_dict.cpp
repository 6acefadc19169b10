// SPDX-License-Identifier: MIT
#include "graphpatcher/io/state_dict.hpp"

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

namespace {

template <class T, class Archive>
state_dict<T> read_all(const Archive& archive) {
  state_dict<T> result;
  for (const auto& name : archive.names()) {
    result.emplace(name, archive.template read<T>(name));
  }
  return result;
}

[[noreturn]] void throw_unknown_suffix(const std::filesystem::path& path) {
  throw argument_error(text(path.string(), ": expected a file that ends with .safetensors or .npz"));
}

}  // namespace

template <real_number T>
state_dict<T> read_state_dict(const std::filesystem::path& path) {
  if (path.extension() == ".safetensors") {
    return read_all<T>(safetensors_archive(path));
  }
  if (path.extension() == ".npz") {
    return read_all<T>(npz_archive(path));
  }
  throw_unknown_suffix(path);
}

template <real_number T>
void write_state_dict(const std::filesystem::path& path, const state_dict<T>& state,
                      const std::map<std::string, std::string>& notes) {
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
    throw_unknown_suffix(path);
  }
}

template <real_number T>
state_dict<T> read_state_dict(const safetensors_archive& file) {
  return read_all<T>(file);
}

#define GP_INSTANTIATE(T)                                                               \
  template state_dict<T> read_state_dict<T>(const std::filesystem::path&);              \
  template state_dict<T> read_state_dict<T>(const safetensors_archive&);                \
  template void write_state_dict<T>(const std::filesystem::path&, const state_dict<T>&, \
                                    const std::map<std::string, std::string>&);
GP_INSTANTIATE(float)
GP_INSTANTIATE(double)

}  // namespace graphpatcher
