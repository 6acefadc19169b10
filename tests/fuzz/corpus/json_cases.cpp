// SPDX-License-Identifier: MIT
#include "fuzz/corpus/bytes.hpp"
#include "fuzz/corpus/corpus.hpp"

namespace gp_fuzz {

std::vector<corpus_case> json_cases() {
  // Four nodes, two features, two splits, of which the target takes the second.
  const std::string good = R"({"features": [[0, 1.5], [-2e0, 0], [0, 0], [0.25, 1]], "labels": [0, 1, 0, -1],
 "links": [[1], [0, 2], [], [3, 0]], "stopping_masks": [[{"any": "\"thing\""}, null, true, 1.0]],
 "train_masks": [[0, 0, 0, 0], [1, 0, 0, 0]], "val_masks": [[], [false, true, false, false]],
 "test_mask": [0, 0, 1, 0]})";
  const auto with = [&](const char* from, const std::string& to) { return replaced(good, from, to); };
  return {
      {"json", "wiki_cs", good, ""},
      {"json", "mark", "\xEF\xBB\xBF" + good, ""},
      {"json", "crlf", with("\n", "\r\n"), ""},
      {"json", "number_too_small", with("1.5", "-1e-2020"), ""},

      {"json", "nothing", "", "an object"},
      {"json", "list", "[]", "an object"},
      {"json", "cut", good.substr(0, good.size() - 1), "end of the file"},
      {"json", "left_over", good + "}", "expected the end of the file"},
      {"json", "deep", with("null", std::string(200, '[')), "64 deep"},
      {"json", "zero_before_a_number", with("[0, 1.5]", "[00, 1.5]"), "a finite number"},
      {"json", "point_without_digits", with("1.5", "1."), "a finite number"},
      {"json", "nan", with("1.5", "NaN"), "a finite number"},
      {"json", "infinite", with("1.5", "-inf"), "a finite number"},
      {"json", "number_too_large", with("1.5", "1e999"), "a finite number"},
      {"json", "key_twice", with("\"links\"", "\"labels\""), "each key once"},
      {"json", "key_missing", with("\"links\"", "\"lines\""), "'links'"},
      {"json", "features_ragged", with("[0, 1.5]", "[0]"), "expected 1 features"},
      {"json", "features_empty", with("[[0, 1.5], [-2e0, 0], [0, 0], [0.25, 1]]", "[]"), "at least one"},
      {"json", "labels_too_few", with("[0, 1, 0, -1]", "[0, 1, 0]"), "as many nodes"},
      {"json", "label_outside", with("[0, 1, 0, -1]", "[0, 1, 4, -1]"), "classes in [0, 4)"},
      {"json", "label_fraction", with("[0, 1, 0, -1]", "[0, 1.0, 0, -1]"), "an integer"},
      {"json", "label_above_32_bits", with("[0, 1, 0, -1]", "[0, 4294967296, 0, -1]"), "an integer"},
      {"json", "link_outside", with("[0, 2]", "[0, 4]"), "nodes in [0, 4)"},
      {"json", "link_negative", with("[0, 2]", "[0, -1]"), "nodes in [0, 4)"},
      {"json", "mask_of_another_length", with("[1, 0, 0, 0]", "[1, 0, 0]"), "expected 4 values"},
      {"json", "mask_of_2", with("[1, 0, 0, 0]", "[2, 0, 0, 0]"), "true, false, 1 or 0"},
      {"json", "split_missing", with("[[0, 0, 0, 0], [1, 0, 0, 0]]", "[[1, 0, 0, 0]]"), "split_index"},
      {"json", "split_overlaps", with("[1, 0, 0, 0]", "[1, 0, 1, 0]"), "named again"},
      {"json", "split_without_label", with("[1, 0, 0, 0]", "[1, 0, 0, 1]"), "no label"},
      {"json", "string_without_end", R"({"features)", "the end of a string"},
      {"json", "escape_at_the_end", "{\"a\\", "the end of a string"},
  };
}

}  // namespace gp_fuzz
