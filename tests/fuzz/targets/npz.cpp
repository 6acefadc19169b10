// SPDX-License-Identifier: MIT
#include "graphpatcher/io/npz.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "fuzz/support/invariants.hpp"
#include "fuzz/support/scratch_file.hpp"
#include "fuzz/targets/targets.hpp"
#include "graphpatcher/io/gnn_benchmark.hpp"
#include "graphpatcher/io/heterophilous.hpp"

namespace gp_fuzz {

namespace {

template <class T>
void read_as(const graphpatcher::npz_archive& archive, const std::string& name) {
  const auto array = archive.read<T>(name);
  std::size_t count = 1;
  for (const std::size_t extent : array.shape) {
    count *= extent;
  }
  require(count == array.values.size(), "as many values as the shape says");
}

}  // namespace

/// The arrays of an archive, and the dataset that they are, if they are named so.
void npz(bytes input) {
  const graphpatcher::npz_archive archive("input.npz", std::vector<std::uint8_t>(input.begin(), input.end()));
  std::size_t total = 0;
  for (const auto& name : archive.names()) {
    require(archive.contains(name), "every array under its name");
    attempts types;
    types.add([&] { read_as<double>(archive, name); });
    types.add([&] { read_as<std::int64_t>(archive, name); });
    types.finish();
    require(++total <= input.size(), "no more arrays than bytes");
  }
  static const scratch_file file("input.npz");
  if (archive.contains("node_features")) {
    require_sound(graphpatcher::load_heterophilous(file.holding(input), "input"));
  } else if (archive.contains("adj_shape")) {
    require_sound(graphpatcher::load_gnn_benchmark(file.holding(input), "input"));
  }
}

}  // namespace gp_fuzz
