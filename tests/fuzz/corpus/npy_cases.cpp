// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>

#include "fuzz/corpus/bytes.hpp"
#include "fuzz/corpus/corpus.hpp"

namespace gp_fuzz {

std::vector<corpus_case> npy_cases() {
  const std::string six = little(1.0f) + little(-2.5f) + little(0.0f) + little(3.0f) + little(4.0f) + little(5.0f);
  const std::string good = npy_file("<f4", "2, 3", six);
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const std::string nan = little(std::numeric_limits<float>::quiet_NaN());
  std::string version_2 = raw("\x93NUMPY\x02\0") + little(static_cast<std::uint32_t>(header.size())) + header + six;
  return {
      {"npy", "float", good, ""},
      {"npy", "double", npy_file("<f8", "2,", little(0.5) + little(1e300)), ""},
      {"npy", "int32", npy_file("<i4", "2, 1", little(7) + little(-7)), ""},
      {"npy", "int64", npy_file("<i8", "1,", little(std::int64_t{1} << 60)), ""},
      {"npy", "bool", npy_file("|b1", "3,", raw("\0\1\1")), ""},
      {"npy", "bytes", npy_file("|u1", "3,", raw("\0\1\xff")), ""},
      {"npy", "scalar", npy_file("<f4", "", little(1.5f)), ""},
      {"npy", "empty", npy_file("<f4", "0, 5", ""), ""},
      {"npy", "nan", npy_file("<f4", "1,", nan), ""},
      {"npy", "version_2", version_2, ""},

      {"npy", "nothing", "", "magic string"},
      {"npy", "other_file", "PK\x03\x04 not an array at all", "begins with \\x93NUMPY"},
      {"npy", "version_9", replaced(good, raw("\x01\0"), raw("\x09\0")), "got 9.0"},
      {"npy", "header_cut", good.substr(0, 40), "a header"},
      {"npy", "header_of_4_GB", raw("\x93NUMPY\x02\0\xff\xff\xff\xff{"), "4294967295"},
      {"npy", "values_cut", good.substr(0, good.size() - 1), "more values than the 5"},
      {"npy", "values_left_over", good + "x", "got 25 bytes"},
      {"npy", "fortran", replaced(good, "False", "True "), ""},
      {"npy", "big_endian", replaced(good, "<f4", ">f4"), ""},
      {"npy", "order_unknown", replaced(good, "False", "Maybe"), "expected False"},
      {"npy", "objects", replaced(good, "<f4", "|O8"), "got '|O8'"},
      {"npy", "key_twice", npy_file("{'shape': (), 'shape': (), 'descr': '<f4', }", six), "once"},
      {"npy", "key_missing", npy_file("{'descr': '<f4', 'shape': (6,), }", six), "expected"},
      {"npy", "shape_negative", replaced(good, "2, 3", "-2, "), "a number in the shape"},
      {"npy", "shape_huge", npy_file("<f4", "99999999999999999999999", six), "a number in the shape"},
      {"npy", "shape_wraps", npy_file("<f4", "4194305, 4194305, 211106198978564", six), "more values than"},
      {"npy", "shape_wraps_to_0", npy_file("<f4", "4294967296, 4294967296", ""), "more values than"},
      {"npy", "bool_of_2", npy_file("|b1", "2,", raw("\0\2")), "booleans of 0 or 1"},
  };
}

}  // namespace gp_fuzz
