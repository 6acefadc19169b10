// SPDX-License-Identifier: MIT
#include "graphpatcher/io/npy.hpp"

#include <cstring>
#include <string>

#include "fuzz/support/invariants.hpp"
#include "fuzz/targets/targets.hpp"
#include "graphpatcher/io/npz_writer.hpp"
#include "io/npy_values.hpp"

namespace gp_fuzz {

namespace {

/// What is read is as large as its shape says, and the same when it is written and read again.
template <class T>
void read_as(bytes input) {
  const auto array = graphpatcher::decode_npy<T>(graphpatcher::byte_reader("input.npy", input));
  std::size_t count = 1;
  for (const std::size_t extent : array.shape) {
    count *= extent;
  }
  require(count == array.values.size(), "as many values as the shape says");
  if (array.shape.size() > 1000) {
    return;  // the header of the writer ends at 64 kB
  }
  const std::string written = graphpatcher::npy_bytes<T>(array.shape, array.values);
  const bytes again(reinterpret_cast<const std::uint8_t*>(written.data()), written.size());
  const auto copy = graphpatcher::decode_npy<T>(graphpatcher::byte_reader("copy.npy", again));
  require(copy.shape == array.shape && copy.values.size() == array.values.size(), "the same shape after a round trip");
  require(count == 0 || std::memcmp(copy.values.data(), array.values.data(), count * sizeof(T)) == 0,
          "the same bits after a round trip");
}

}  // namespace

void npy(bytes input) {
  attempts types;
  types.add([&] { read_as<double>(input); });
  types.add([&] { read_as<float>(input); });
  types.add([&] { read_as<std::int64_t>(input); });
  types.add([&] { read_as<std::int32_t>(input); });
  types.add([&] { read_as<std::uint8_t>(input); });
  types.finish();
}

}  // namespace gp_fuzz
