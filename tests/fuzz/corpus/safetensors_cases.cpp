// SPDX-License-Identifier: MIT
#include <cstdint>

#include "fuzz/corpus/bytes.hpp"
#include "fuzz/corpus/corpus.hpp"

namespace gp_fuzz {

namespace {

std::string file(const std::string& header, const std::string& data) {
  return little(static_cast<std::uint64_t>(header.size())) + header + data;
}

/// A tensor as the header describes it.
std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]}";
}

/// A file with the one tensor "w".
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets,
                const std::string& data) {
  return file("{" + tensor("w", dtype, shape, offsets) + "}", data);
}

}  // namespace

std::vector<corpus_case> safetensors_cases() {
  const std::string two = little(1.0f) + little(-2.0f);
  const std::string w = tensor("w", "F32", "2", "0,8");
  const std::string s = "safetensors";
  const std::string wide = "4194305,4194305,211106198978564";
  return {
      {s, "float", one("F32", "2,1", "0,8", two), ""},
      {s, "double", one("F64", "", "0,8", little(0.5)), ""},
      {s, "half", one("F16", "2", "0,4", raw("\0\x3c\0\xfc")), ""},
      {s, "bfloat", one("BF16", "2", "0,4", raw("\x80\x3f\xc0\x7f")), ""},
      {s, "int", one("I64", "1", "0,8", little(std::int64_t{5})), ""},
      {s, "bool", one("BOOL", "2", "0,2", raw("\0\1")), ""},
      {s, "empty_tensor", one("F32", "0,7", "0,0", ""), ""},
      {s, "no_tensors", file("{}", ""), ""},
      {s, "two_and_metadata",
       file(R"({"__metadata__":{"format":"pt","k":"\u00e9"},)" + w + "," + tensor("b", "I32", "1", "8,12") + "}   ",
            two + little(9)),
       ""},

      {s, "nothing", "", "the length of a safetensors header"},
      {s, "header_cut", file("{" + w + "}", two).substr(0, 30), "a safetensors header"},
      {s, "header_over_100_MB", little(std::uint64_t{100'000'001}) + "{}", "at most 100000000 bytes"},
      {s, "header_of_2_to_63", little(std::uint64_t{1} << 63) + "{}", "at most 100000000 bytes"},
      {s, "header_list", file("[]", ""), "begins with {"},
      {s, "header_not_json", file("{" + w, two), "expected JSON"},
      {s, "header_deep", file("{\"w\":" + std::string(200, '[') + "}", ""), "a list only as"},
      {s, "header_zero", file("{" + w + "}" + raw("\0{}"), two), "a zero byte"},
      {s, "name_twice", file("{" + w + "," + w + "}", two), "every name once"},
      {s, "metadata_twice", file(R"({"__metadata__":{"a":"1","a":"2"}})", ""), "every name once"},
      {s, "metadata_number", file(R"({"__metadata__":{"a":1}})", ""), "no number"},
      {s, "field_twice", file("{" + replaced(w, "\"dtype\"", R"("dtype":"F32","dtype")") + "}", two), "each once"},
      {s, "field_missing", file(R"({"w":{"dtype":"F32","shape":[2]}})", two), "data_offsets of every tensor"},
      {s, "field_unknown", file("{" + replaced(w, "shape", "scale") + "}", two), "no other key"},
      {s, "type_unknown", one("F4", "2", "0,8", two), "expected a type"},
      {s, "type_not_read", one("U16", "4", "0,8", two), "got U16"},
      {s, "shape_wraps", one("F32", wide, "0,8", two), "more values than"},
      {s, "shape_wraps_to_0", one("F32", "4294967296,4294967296", "0,0", ""), "more values than"},
      {s, "shape_negative", one("F32", "-2", "0,8", two), "whole numbers"},
      {s, "shape_fraction", one("F32", "2.0", "0,8", two), "whole numbers"},
      {s, "shape_above_64_bits", one("F32", "99999999999999999999", "0,8", two), "whole numbers"},
      {s, "offsets_outside", one("F32", "2", "0,16", two), "within the 8 bytes"},
      {s, "offsets_fall", one("F32", "2", "8,0", two), "within the 8 bytes"},
      {s, "offsets_three", one("F32", "2", "0,8,8", two), "no number here"},
      {s, "offsets_one", one("F32", "2", "0", two), "two data_offsets"},
      {s, "bytes_too_few", one("F32", "3", "0,8", two), "more values than"},
      {s, "bytes_too_many", one("F32", "1", "0,8", two), "expected 1 values"},
      {s, "hole", one("F32", "1", "4,8", two), "begin at byte 0"},
      {s, "overlap", file("{" + w + "," + tensor("v", "F32", "1", "4,8") + "}", two), "begin at byte 8"},
      {s, "left_over", one("F32", "2", "0,8", two + "x"), "belong to no tensor"},
      {s, "bool_of_2", one("BOOL", "1", "0,1", raw("\2")), "expected"},
  };
}

}  // namespace gp_fuzz
