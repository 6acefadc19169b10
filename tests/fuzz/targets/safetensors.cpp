// SPDX-License-Identifier: MIT
#include "graphpatcher/io/safetensors.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "fuzz/support/invariants.hpp"
#include "fuzz/targets/targets.hpp"

namespace gp_fuzz {

namespace {

template <class T>
void read_as(const graphpatcher::safetensors_archive& archive, const graphpatcher::safetensors_entry& tensor) {
  const auto array = archive.read<T>(tensor.name);
  require(array.shape == tensor.shape && array.values.size() == tensor.count, "the shape of the header");
  for (std::size_t i = 0; tensor.dtype == "BOOL" && i < array.values.size(); ++i) {
    require(array.values[i] == T(0) || array.values[i] == T(1), "booleans of 0 or 1");
  }
}

}  // namespace

/// The tensors fill the file from the end of its header, and each can be asked for.
void safetensors(bytes input) {
  const graphpatcher::safetensors_archive archive("input", std::vector<std::uint8_t>(input.begin(), input.end()));
  std::uint64_t filled = 0;
  attempts reads;
  for (const auto& tensor : archive.tensors()) {
    require(tensor.begin == filled && tensor.end >= tensor.begin, "tensors one after the other");
    filled = tensor.end;
    std::size_t count = 1;
    for (const std::size_t extent : tensor.shape) {
      count *= extent;
    }
    require(count == tensor.count, "as many values as the shape says");
    require(count <= tensor.end - tensor.begin, "a byte for every value");
    require(archive.contains(tensor.name), "every tensor under its name");
    reads.add([&] { read_as<double>(archive, tensor); });
    reads.add([&] { read_as<std::int64_t>(archive, tensor); });
    reads.add([&] { read_as<float>(archive, tensor); });
  }
  require(filled + 8 <= input.size(), "tensors within the file");
  const bytes header = input.subspan(8, input.size() - 8 - filled);
  require(std::find(header.begin(), header.end(), 0) == header.end(), "a header of text");
  reads.finish();
}

}  // namespace gp_fuzz
