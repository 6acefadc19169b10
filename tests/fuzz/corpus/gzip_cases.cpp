// SPDX-License-Identifier: MIT
#include "fuzz/corpus/bytes.hpp"
#include "fuzz/corpus/corpus.hpp"

namespace gp_fuzz {

std::vector<corpus_case> gzip_cases() {
  const std::string table = "1,2.5\n0,-3e2\n";
  const std::string good = gzipped(table);
  const std::string named = raw("\x1f\x8b\x08\x08\0\0\0\0\0\x03name\0") + good.substr(10);
  std::string checksum = good;
  checksum[checksum.size() - 8] ^= 1;
  std::string length = good;
  length[length.size() - 1] ^= 1;
  return {
      {"gzip", "table", good, ""},
      {"gzip", "two_members", good + gzipped("7,8\n"), ""},
      {"gzip", "zeros_behind", good + std::string(512, '\0'), ""},
      {"gzip", "no_content", gzipped(""), ""},
      {"gzip", "with_a_name", named, ""},
      {"gzip", "crlf_and_no_final_newline", gzipped("1 2\r\n3 4"), ""},
      {"gzip", "not_numbers", gzipped("one,two\nthree,four\n"), ""},
      {"gzip", "repeated", gzipped(std::string(3000, '1') + "\n"), ""},

      {"gzip", "nothing", "", "got no bytes"},
      {"gzip", "not_gzip", table, "something else"},
      {"gzip", "header_cut", good.substr(0, 5), "truncated"},
      {"gzip", "cut", good.substr(0, good.size() - 3), "truncated"},
      {"gzip", "checksum", checksum, "something else"},
      {"gzip", "length", length, "something else"},
      {"gzip", "zeros_and_more", good + std::string(512, '\0') + good, "something else"},
      {"gzip", "left_over", good + "and more", "something else"},
      {"gzip", "second_member_cut", good + good.substr(0, 12), "truncated"},
      {"gzip", "bomb", gzipped(std::string(1u << 20, '\0')), "unpacked bytes for each packed one"},
  };
}

}  // namespace gp_fuzz
