// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>

#include "fuzz/corpus/corpus.hpp"
#include "io/pickle_writer.hpp"

namespace gp_fuzz {

namespace {

using gp_test::pickle_writer;
using gp_test::raw;

/// A pickle that makes nothing but does `opcodes`.
std::string program(const std::string& opcodes) {
  return pickle_writer{}.op(opcodes).stop();
}

}  // namespace

std::vector<corpus_case> pickle_cases() {
  const gp_test::tiny_planetoid good;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto csr = [](const std::vector<std::int32_t>& starts, const std::vector<std::int32_t>& columns,
                      const std::vector<float>& values) {
    return pickle_writer{}.csr(2, 3, starts, columns, values).stop();
  };
  const auto graph = [](const std::vector<std::pair<int, std::vector<int>>>& lists) {
    return pickle_writer{}.graph(lists).stop();
  };
  const auto classes = [](const std::vector<std::size_t>& shape, const std::vector<std::int32_t>& values) {
    return pickle_writer{}.array<std::int32_t>(shape, values).stop();
  };
  return {
      {"pickle", "features", good.allx, ""},
      {"pickle", "classes", good.ally, ""},
      {"pickle", "graph", good.graph, ""},
      {"pickle", "remembered", program(raw("}q\1(K\0]q\2K\0ah\1h\2u")), "expected"},

      {"pickle", "nothing", "", "a pickle"},
      {"pickle", "protocol_4", raw("\x80\x04N."), "protocol 2"},
      {"pickle", "cut", good.allx.substr(0, 100), "expected"},
      {"pickle", "left_over", good.graph + "N.", "expected the end of the file"},
      {"pickle", "calls_a_shell",
       program("cos\nsystem\n(U\x04"
               "true"
               "tR"),
       "was not loaded"},
      {"pickle", "imports_a_class", program("cnumpy\nmatrix\n"), "was not loaded"},
      {"pickle", "calls_what_is_known", program("cnumpy\nndarray\n)R"), "was not made"},
      {"pickle", "other_opcode", program("I1\n"), "opcode 73"},
      {"pickle", "persistent_id", program("Pname\n"), "opcode 80"},
      {"pickle", "long_integer", program(raw("\x8a\x01\x05")), "opcode 138"},
      {"pickle", "stack_empty", program("a"), "on the stack"},
      {"pickle", "no_mark", program("t"), "a mark"},
      {"pickle", "two_values", program("NN"), "one value at the end"},
      {"pickle", "memo_never_set", program("h\x05"), "never set"},
      {"pickle", "memo_far", program(raw("Nr\xff\xff\xff\x7f")), "a memo index"},
      {"pickle", "string_outside", program(raw("T\xff\xff\xff\x7f")), "a string (2147483647 bytes)"},
      {"pickle", "string_negative", program(raw("T\xff\xff\xff\xff")), "at least 0"},
      {"pickle", "list_in_itself", program(raw("]q\1h\1a")), "a SciPy CSR matrix"},
      {"pickle", "dict_of_odd_length", program("}(Nu"), "in pairs"},
      {"pickle", "number", program("K\x05"), "a SciPy CSR matrix"},

      {"pickle", "features_nan", csr({0, 1, 1}, {0}, {nan}), "finite"},
      {"pickle", "features_negative", csr({0, 1, 1}, {0}, {-1}), "at least 0"},
      {"pickle", "column_outside", csr({0, 1, 1}, {3}, {1}), "columns below 3"},
      {"pickle", "column_negative", csr({0, 1, 1}, {-1}, {1}), "columns below 3"},
      {"pickle", "column_twice", csr({0, 2, 2}, {1, 1}, {1, 1}), "ascending columns"},
      {"pickle", "starts_fall", csr({0, 2, 1}, {1}, {1}), "don't fall"},
      {"pickle", "starts_too_few", csr({0, 1}, {1}, {1}), "row starts"},
      {"pickle", "values_too_few", csr({0, 1, 2}, {0, 1}, {1}), "values"},
      {"pickle", "classes_none", classes({1, 2}, {0, 0}), "only zeros"},
      {"pickle", "classes_two", classes({1, 2}, {1, 1}), "expected one 1"},
      {"pickle", "shape_too_large", classes({2000000000, 2000000000}, {1, 0}), "expected the bytes of"},
      {"pickle", "node_outside", graph({{0, {1}}}), "below 1"},
      {"pickle", "node_negative", graph({{0, {-1}}}), "at least 0"},
      {"pickle", "node_twice", graph({{0, {}}, {0, {}}}), "each node once"},
      {"pickle", "graph_empty", graph({}), "at least one node"},
  };
}

}  // namespace gp_fuzz
