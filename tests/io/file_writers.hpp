// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <zlib.h>

#include "io/pickle_writer.hpp"

namespace gp_test {

/// Packs with zlib; `window` as deflateInit2() takes it.
inline std::string deflated(const std::string& content, int window) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}
/// As gzip does.
inline std::string gzipped(const std::string& content) {
  return deflated(content, MAX_WBITS + 16);
}
/// As an entry of a zip archive is.
inline std::string deflated(const std::string& content) {
  return deflated(content, -MAX_WBITS);
}

/// The bytes of an .npy file.
template <class N>
std::string npy(const std::vector<std::size_t>& shape, const std::vector<N>& values) {
  static_assert(std::is_same_v<N, float> || std::is_same_v<N, double> || std::is_same_v<N, std::int32_t> ||
                std::is_same_v<N, std::int64_t> || std::is_same_v<N, std::uint8_t>);
  const std::string type = sizeof(N) == 1                ? "|u1"
                           : std::is_floating_point_v<N> ? "<f" + std::to_string(sizeof(N))
                                                         : "<i" + std::to_string(sizeof(N));
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t extent : shape) {
    header += std::to_string(extent) + ",";
  }
  header += "), }\n";
  std::string out = raw("\x93NUMPY\x01\x00") + little(static_cast<std::uint16_t>(header.size())) + header;
  for (const N value : values) {
    out += little(value);
  }
  return out;
}

/// The bytes of an .npz file with stored arrays.
inline std::string npz(const std::vector<std::pair<std::string, std::string>>& arrays) {
  std::string local;
  std::string directory;
  for (const auto& [name, content] : arrays) {
    const std::string file = name + ".npy";
    const auto size = little(static_cast<std::uint32_t>(content.size()));
    const auto crc =
        little(static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size())));
    const auto common = raw("\x14\0\0\0\0\0\0\0\0\0") + crc + size + size +
                        little(static_cast<std::uint16_t>(file.size())) + raw("\0\0");
    directory += raw("PK\x01\x02\x14\0") + common + std::string(10, '\0') +
                 little(static_cast<std::uint32_t>(local.size())) + file;
    local += raw("PK\x03\x04") + common + file + content;
  }
  const auto count = little(static_cast<std::uint16_t>(arrays.size()));
  return local + directory + raw("PK\x05\x06\0\0\0\0") + count + count +
         little(static_cast<std::uint32_t>(directory.size())) + little(static_cast<std::uint32_t>(local.size())) +
         raw("\0\0");
}

/// The neighbours of every node, as plain lists.
template <class Graph>
std::vector<std::vector<int>> neighbor_lists(const Graph& graph) {
  std::vector<std::vector<int>> lists(graph.nodes());
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    for (const auto neighbor : graph.neighbors(v)) {
      lists[v].push_back(static_cast<int>(neighbor));
    }
  }
  return lists;
}

/// Runs `action`; its format_error must name `file`, and its message begin of it with `message`.
template <class Error, class Action>
void check_error(const Action& action, const std::string& file, const std::string& message) {
  try {
    action();
    FAIL("no error, expected: " << message);
  } catch (const Error& failure) {
    CHECK_THAT(failure.path(), Catch::EndsWith(file));
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

}  // namespace gp_test
