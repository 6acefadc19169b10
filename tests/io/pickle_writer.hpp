// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/temporary_folder.hpp"

namespace gp_test {

inline std::vector<std::uint8_t> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

template <class N>
std::string little(N number) {
  std::string bytes(sizeof(N), '\0');
  std::memcpy(bytes.data(), &number, sizeof(N));
  return bytes;
}

/// Bytes of a string literal that may hold zeros.
template <std::size_t Size>
std::string raw(const char (&literal)[Size]) {
  return std::string(literal, Size - 1);
}

/// Writes pickles of the kind the Planetoid files are, one opcode after another.
struct pickle_writer {
  std::string out = raw("\x80\x02");

  pickle_writer& op(std::string_view bytes) {
    out += bytes;
    return *this;
  }
  pickle_writer& integer(std::int32_t value) {
    if (value >= 0 && value < 256) {
      return op("K").op(little(static_cast<std::uint8_t>(value)));
    }
    return op("J").op(little(value));
  }
  pickle_writer& string(std::string_view value) {
    return op("T").op(little(static_cast<std::int32_t>(value.size()))).op(value);
  }
  pickle_writer& global(std::string_view module, std::string_view name) {
    return op("c").op(module).op("\n").op(name).op("\n");
  }
  template <class N>
  pickle_writer& array(const std::vector<std::size_t>& shape, const std::vector<N>& values) {
    global("numpy.core.multiarray", "_reconstruct").global("numpy", "ndarray").integer(0).op("\x85").string("b");
    op("\x87").op("R").op("(").integer(1).op("(");
    for (const std::size_t extent : shape) {
      integer(static_cast<std::int32_t>(extent));
    }
    op("t").global("numpy", "dtype").string(std::is_same_v<N, float> ? "f4" : "i4").integer(0).integer(1).op("\x87R(");
    integer(3).string("<").op("NNN").integer(-1).integer(-1).integer(0).op("tb").op("\x89");
    std::string content;
    for (const N value : values) {
      content += little(value);
    }
    return string(content).op("tb");
  }
  pickle_writer& csr(std::size_t rows, std::size_t cols, const std::vector<std::int32_t>& starts,
                     const std::vector<std::int32_t>& columns, const std::vector<float>& values) {
    global("scipy.sparse.csr", "csr_matrix").op(")\x81}(").string("format").string("csr").string("_shape");
    integer(static_cast<std::int32_t>(rows)).integer(static_cast<std::int32_t>(cols)).op("\x86");
    string("indptr").array<std::int32_t>({starts.size()}, starts);
    string("indices").array<std::int32_t>({columns.size()}, columns);
    string("data").array<float>({values.size()}, values);
    return op("ub");
  }
  pickle_writer& graph(const std::vector<std::pair<int, std::vector<int>>>& lists) {
    global("collections", "defaultdict").global("__builtin__", "list").op("\x85R(");
    for (const auto& [node, neighbors] : lists) {
      integer(node).op("](");
      for (const int neighbor : neighbors) {
        integer(neighbor);
      }
      op("e");
    }
    return op("u");
  }
  std::string stop() const { return out + "."; }
};

/// A Planetoid set small enough to check by hand: 7 nodes, 5 features, 2
/// classes; x = nodes 0 and 1, allx = nodes 0 to 3, test nodes 6 and 4 in that
/// order, and node 5 a gap, as Citeseer has them.
struct tiny_planetoid {
  std::string x = pickle_writer{}.csr(2, 5, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}).stop();
  std::string y = pickle_writer{}.array<std::int32_t>({2, 2}, {1, 0, 0, 1}).stop();
  std::string allx = pickle_writer{}.csr(4, 5, {0, 2, 3, 3, 6}, {0, 3, 1, 0, 1, 4}, {1, 3, 2, 1, 1, 2}).stop();
  std::string ally = pickle_writer{}.array<std::int32_t>({4, 2}, {1, 0, 0, 1, 0, 1, 1, 0}).stop();
  std::string tx = pickle_writer{}.csr(2, 5, {0, 1, 3}, {2, 0, 4}, {5, 1, 1}).stop();
  std::string ty = pickle_writer{}.array<std::int32_t>({2, 2}, {0, 1, 1, 0}).stop();
  std::string graph =
      pickle_writer{}.graph({{0, {1, 3, 3}}, {1, {0, 1}}, {2, {6}}, {3, {0}}, {4, {5}}, {5, {4}}, {6, {}}}).stop();
  std::string test_index = "6\n4\n";

  void write(const temporary_folder& folder, const std::string& name = "tiny") const {
    const std::pair<const char*, const std::string*> files[] = {
        {"x", &x},       {"y", &y},       {"tx", &tx},       {"ty", &ty},
        {"allx", &allx}, {"ally", &ally}, {"graph", &graph}, {"test.index", &test_index}};
    for (const auto& [part, bytes] : files) {
      folder.write("ind." + name + "." + part, *bytes);
    }
  }
};

}  // namespace gp_test
