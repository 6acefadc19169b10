// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "graphpatcher/io/npy.hpp"
#include "graphpatcher/io/safetensors.hpp"
#include "graphpatcher/io/text_options.hpp"

namespace graphpatcher {

/// Named tensors, as a PyTorch module's state_dict() holds them.
template <class T>
using state_dict = std::map<std::string, npy_array<T>>;

/// All tensors of a .safetensors or .npz file. T: float or double. Numbers that
/// a T can't hold are refused (weights in double are read as double).
template <real_number T>
state_dict<T> read_state_dict(const std::filesystem::path& path);
template <real_number T>
state_dict<T> read_state_dict(const safetensors_archive& file);

/// Writes tensors as .safetensors or .npz, as a whole or not at all. Notes go
/// into the "__metadata__" of safetensors; npz has no place for them.
template <real_number T>
void write_state_dict(const std::filesystem::path& path, const state_dict<T>& state,
                      const std::map<std::string, std::string>& notes = {});

}  // namespace graphpatcher
