// SPDX-License-Identifier: MIT
#include "fuzz/corpus/bytes.hpp"
#include "fuzz/corpus/corpus.hpp"

namespace gp_fuzz {

namespace {

/// Edges of six nodes.
std::vector<corpus_case> edge_cases() {
  const std::string market = "%%MatrixMarket matrix coordinate pattern symmetric\n% a ring\n6 6 3\n1 2\n3 2\n6 6\n";
  const std::string valued = "%%MatrixMarket matrix coordinate real general\n6 6 2\n1 2 0.5\n2 6 -1e3\n";
  const std::string e = "edge_list";
  return {
      {e, "csv", "0,1\n1,2\n5,0\n", ""},
      {e, "header", "source,target\n0,1\n", ""},
      {e, "tabs_and_comments", "# edges\n0\t1\n\n 2   3 \n", ""},
      {e, "crlf", "0,1\r\n1,2\r\n", ""},
      {e, "no_final_newline", "0 1\n1 2", ""},
      {e, "loops_and_repetitions", "0 0\n0 1\n1 0\n0 1\n", ""},
      {e, "nothing", "", ""},
      {e, "market", market, ""},
      {e, "market_values", valued, ""},
      {e, "market_skew", replaced(valued, "general", "skew-symmetric"), ""},
      {e, "mark",
       "\xEF\xBB\xBF"
       "0,1\n1,2\n",
       ""},
      {e, "plus", "+0,+1\n", ""},
      {e, "market_crlf", replaced(replaced(valued, "general\n", "general\r\n"), "2\n", "2\r\n"), ""},

      {e, "id_outside", "0,6\n", "[0, 6), got 6"},
      {e, "id_negative", "-1,0\n", "[0, 6), got -1"},
      {e, "id_above_64_bits", "99999999999999999999,0\n", "out of range"},
      {e, "id_fraction", "1.0,2\n", "an integer"},
      {e, "id_nan", "nan,2\n", "an integer"},
      {e, "one_id", "1\n", "end of the line"},
      {e, "three_columns", "0,1,1\n", "two ids on a line"},
      {e, "two_commas", "0,,1\n", "an integer"},
      {e, "binary", raw("\0\xff\xfe\x80\n"), "an integer"},
      {e, "market_banner", replaced(market, "coordinate", "list"), "MatrixMarket"},
      {e, "market_array", replaced(market, "coordinate", "array"), "dense array"},
      {e, "market_complex_without_values", replaced(valued, "real", "complex"), "imaginary part"},
      {e, "market_integer_fraction", replaced(valued, "real", "integer"), "an integer"},
      {e, "market_hermitian_real", replaced(valued, "general", "hermitian"), "MatrixMarket"},
      {e, "mark_and_id_outside",
       "\xEF\xBB\xBF"
       "0,9999\n",
       "[0, 6), got 9999"},
      {e, "utf_16",
       raw("\xFF\xFE"
           "0\0,\0001\0\n\0"),
       "UTF-16"},
      {e, "market_no_sizes", market.substr(0, 55), "rows, columns and entries"},
      {e, "market_entries", replaced(market, "6 6 3", "6 6 4"), "expected 4 entries"},
      {e, "market_entries_2_to_64", replaced(market, "6 6 3", "6 6 18446744073709551616"), "out of range"},
      {e, "market_rectangle", replaced(market, "6 6 3", "6 7 3"), "6 x 7"},
      {e, "market_id_0", replaced(market, "1 2", "0 2"), "[1, 7), got 0"},
      {e, "market_value_nan", replaced(valued, "0.5", "nan"), "a finite number"},
      {e, "market_value_missing", replaced(valued, " 0.5", ""), "end of the line"},
  };
}

/// Tables in which a line may have 4096 characters.
std::vector<corpus_case> table_cases() {
  const std::string t = "text_table";
  return {
      {t, "csv", "1,0,2.5\n-3e-2,4,0\n", ""},
      {t, "header", "a,b\n1,2\n", ""},
      {t, "crlf", "1 2\r\n3 4\r\n", ""},
      {t, "no_final_newline", "1\t2\n3\t4", ""},
      {t, "column", "class\n0\n-1\n7\n", ""},
      {t, "tiny_numbers", "1e-60,1e-310\n", ""},
      {t, "mark",
       "\xEF\xBB\xBF"
       "1,2\n",
       ""},
      {t, "plus", "+0.5,+1e3\n", ""},
      {t, "empty_line", "0\n\n1\n", ""},
      {t, "nothing", "", ""},

      {t, "nan", "1,2\nnan,3\n", "got 'nan'"},
      {t, "infinite", "1,2\n3,-inf\n", "got '-inf'"},
      {t, "too_large", "1,2\n3,1e999\n", "out of range"},
      {t, "ragged", "1,2\n3\n", "expected 2 numbers"},
      {t, "comma_at_the_end", "1,2,\n", "end of the line"},
      {t, "comma_only", "1,2\n,\n", "a finite number"},
      {t, "word", "1,2\n3,four\n", "got 'four'"},
      {t, "two_pluses", "1,2\n3,++4\n", "got '++4'"},
      {t, "overlong", "1,2\n" + std::string(5000, '7') + "\n", "at most 4096 characters"},
      {t, "overlong_number", "1\n" + std::string(400, '9') + "\n", "out of range"},
      {t, "binary", raw("1,2\n\0\x1b\xff,1\n"), "a finite number"},
  };
}

std::vector<corpus_case> geom_gcn_cases() {
  const std::string g = "geom_gcn";
  const std::string dense = "node_id\tfeature\tlabel\n1\t0,1,0.5\t1\n0\t1,0,0\t0\n";
  const std::string listed = "node_id\tfeature(feature_amount:4)\tlabel\n0\t4,1,1\t0\n1\t0\t-1\n";
  return {
      {g, "dense", dense, ""},
      {g, "listed", listed, ""},
      {g, "crlf", replaced(dense, "label\n", "label\r\n"), ""},
      {g, "no_final_newline", dense.substr(0, dense.size() - 1), ""},
      {g, "no_features", replaced(listed, "\t0\t", "\t\t"), ""},

      {g, "nothing", "", "a line for each node"},
      {g, "header_only", "node_id\tfeature\tlabel\n", "a line for each node"},
      {g, "no_tabs", replaced(dense, "1\t0,1,0.5\t1", "1 0,1,0.5 1"), "with a tab"},
      {g, "id_twice", replaced(dense, "1\t0,", "0\t0,"), "got 0 again"},
      {g, "id_outside", replaced(dense, "1\t0,", "9\t0,"), "got 9"},
      {g, "id_negative", replaced(dense, "1\t0,", "-1\t0,"), "got -1"},
      {g, "class_outside", replaced(dense, "0.5\t1", "0.5\t2"), "got 2"},
      {g, "class_missing", replaced(dense, "0.5\t1", "0.5\t"), "a class"},
      {g, "features_ragged", replaced(dense, "1,0,0", "1,0"), "expected 3 features"},
      {g, "feature_nan", replaced(dense, "0.5", "nan"), "a finite number"},
      {g, "column_outside", replaced(listed, "4,1,1", "5,1,1"), "[0, 5)"},
      {g, "column_negative", replaced(listed, "4,1,1", "-4,1,1"), "[0, 5)"},
      {g, "column_not_listed", replaced(listed, "amount:4", "amount:-4"), "after feature_amount"},
      {g, "columns_2_to_63",
       replaced(listed, "amount:4)\tlabel\n0\t4", "amount:9223372036854775807)\tlabel\n0\t2147483648"),
       "after feature_amount"},
  };
}

}  // namespace

std::vector<corpus_case> text_cases() {
  auto cases = edge_cases();
  for (const auto& more : {table_cases(), geom_gcn_cases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

}  // namespace gp_fuzz
