// SPDX-License-Identifier: MIT
#include "io/edge_list.hpp"

#include <catch2/catch.hpp>

#include "io/file_writers.hpp"

using namespace graphpatcher;
using gp_test::check_error;
using gp_test::gzipped;
using gp_test::temporary_folder;

namespace {

using pairs = std::vector<std::pair<std::size_t, std::size_t>>;

pairs edges_of(const edge_list& list, std::size_t nodes) {
  const auto pieces = list.map_edges<pairs>(nodes, 1, [](pairs& part, std::size_t, std::span<const listed_edge> edges) {
    for (const auto& [source, target] : edges) {
      part.emplace_back(source, target);
    }
  });
  pairs all;
  for (const auto& piece : pieces) {
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

pairs read(const std::string& name, const std::string& content, std::size_t nodes, edge_list_options options = {}) {
  const temporary_folder folder;
  folder.write(name, content);
  return edges_of(edge_list(folder.path() / name, options), nodes);
}

void check_refused(const std::string& name, const std::string& content, const std::string& message,
                   edge_list_options options = {}) {
  check_error<format_error>([&] { read(name, content, 5, options); }, name, message);
}

const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";

}  // namespace

TEST_CASE("edge_list: csv, tsv and spaces, with and without a header, comments, packed") {
  const pairs expected{{0, 1}, {4, 2}, {3, 3}};
  CHECK(read("e.csv", "0,1\n4,2\n3,3\n", 5) == expected);
  CHECK(read("e.csv", "source,target\n0,1\n4,2\n3,3", 5) == expected);
  CHECK(read("e.tsv", "node_id\tnode_id\r\n0\t1\r\n4\t2\r\n3\t3\r\n", 5) == expected);
  CHECK(read("e.txt", "# SNAP\n# FromNodeId ToNodeId\n0 1\n\n4 2\n3 3\n", 5) == expected);
  CHECK(read("e.csv.gz", gzipped("0,1\n4,2\n3,3\n"), 5) == expected);
  CHECK(read("e.csv", "1,2\n5,3\n4,4\n", 5, {.first_id = 1}) == expected);
  CHECK(read("e.csv", "0,1\n0,1\n4,2\n3,3\n", 5, {.header = text_header::present}) == expected);
  CHECK(read("e.csv", "", 5).empty());
}

TEST_CASE("edge_list: ids out of range, and lines that are no edges, with their line") {
  check_refused("e.csv", "0,1\n1,5\n", "line 2: expected a target's id in [0, 5), got 5");
  check_refused("e.csv", "0,1\n1,2\n-1,2\n", "line 3: expected a source's id in [0, 5), got -1");
  check_refused("e.csv", "0,1\n0,9223372036854775807\n", "got 9223372036854775807");
  check_refused("e.csv", "0,1\n-9223372036854775808,0\n", "got -9223372036854775808");
  check_refused("e.csv", "0,1\n1,99999999999999999999\n", "out of range");
  check_refused("e.csv", "0,1\n2\n", "line 2: expected a target's id, got the end of the line");
  check_refused("e.csv", "0,1\n2,3,0.5\n", "two ids on a line (edges have no weights here), got more: '0.5'");
  check_refused("e.csv", "0,1\n2,nan\n", "got 'nan'");
  check_refused("e.csv", "0,1\n2,x\n", "got 'x'");
  check_refused("e.csv", "0,1\n1,0\n", "expected a source's id in [1, 6), got 0", {.first_id = 1});
  check_refused("e.csv", "source,target\n", "got 'source'", {.header = text_header::absent});
  check_refused("e.csv.gz", gzipped("0,1\n1,5\n"), "line 2 of the unpacked text: expected a target's id");
  check_refused("e.csv", "0,1\n" + std::string(99, ' ') + "1,2\n", "line 2: expected a line of at most 50",
                {.text = {.longest_line = 50}});
}

TEST_CASE("edge_list: MatrixMarket, ids from 1, values left out, symmetric ones both ways") {
  const pairs expected{{0, 1}, {4, 2}, {3, 3}};
  CHECK(read("e.mtx", banner + "% by hand\n%\n\n5 5 3\n1 2\n5 3\n4 4\n", 5) == expected);
  CHECK(read("e.mtx.gz", gzipped(banner + "5 5 3\n1 2\n5 3\n4 4\n"), 5) == expected);
  CHECK(read("e.mtx", "%%MatrixMarket matrix coordinate real general\n5 5 3\n1 2 .5\n5 3 -1e3\n4 4 0\n", 5) ==
        expected);
  CHECK(read("e.mtx", "%%matrixmarket MATRIX Coordinate Integer Symmetric\n5 5 3\n2 1 7\n5 3 1\n4 4 1", 5) ==
        pairs{{1, 0}, {0, 1}, {4, 2}, {2, 4}, {3, 3}});
  CHECK(read("e.mtx", banner + "5 5 0\n", 5).empty());
}

TEST_CASE("edge_list: values of a MatrixMarket file are those that it promises") {
  const auto with = [](const std::string& kind, const std::string& entry) {
    return "%%MatrixMarket matrix coordinate " + kind + "\n5 5 1\n" + entry + "\n";
  };
  const auto count = [&](const std::string& content) {
    const gp_test::temporary_folder folder;
    folder.write("e.mtx", content);
    std::size_t edges = 0;
    edge_list(folder.path() / "e.mtx").map_edges<int>(5, 1, [&](int&, std::size_t, std::span<const listed_edge> some) {
      edges += some.size();
    });
    return edges;
  };
  CHECK(count(with("integer general", "1 2 -7")) == 1);
  CHECK(count(with("complex general", "1 2 0.5 -1e3")) == 1);
  CHECK(count(with("complex hermitian", "2 1 0.5 -1e3")) == 2);
  CHECK(count(with("real skew-symmetric", "2 1 +0.5")) == 2);
  check_refused("e.mtx", with("integer general", "1 2 1.5"), "line 3: expected a value, an integer, got '1.5'");
  check_refused("e.mtx", with("complex general", "1 2 1.5"), "expected the imaginary part of a value, got the end");
  check_refused("e.mtx", with("complex general", "1 2 1 2 3"), "expected a row, a column and a value, got more");
}

TEST_CASE("edge_list: MatrixMarket files that promise something else") {
  check_refused("e.mtx", "1 2\n", "line 1: expected '%%MatrixMarket matrix coordinate'");
  check_refused("e.mtx", "", "expected '%%MatrixMarket");
  for (const char* kind :
       {"matrix array real general", "matrix coordinate quaternion general", "matrix coordinate real hermitian",
        "vector coordinate real general", "matrix coordinate pattern general extra", "matrix coordinate pattern"}) {
    check_refused("e.mtx", std::string("%%MatrixMarket ") + kind + "\n5 5 0\n", "line 1: expected");
  }
  check_refused("e.mtx", banner, "line 2: expected a line with rows, columns and entries");
  check_refused("e.mtx", banner + "% only comments\n", "line 3: expected a line with rows");
  check_refused("e.mtx", banner + "5 5\n", "line 2: expected a number of entries, got the end of the line");
  check_refused("e.mtx", banner + "5 5 -1\n", "expected a number of entries, an integer, got '-1'");
  check_refused("e.mtx", banner + "5 5 1 1\n1 2\n", "expected rows, columns and entries, got more");
  check_refused("e.mtx", banner + "6 5 1\n1 2\n", "line 2: expected a matrix of 5 x 5");
  check_refused("e.mtx", banner + "4194305 211106198978564 1\n1 2\n", "expected a matrix of 5 x 5");
  check_refused("e.mtx", banner + "5 5 2\n1 2\n", "expected 2 entries, as this line says, got 1");
  check_refused("e.mtx", banner + "5 5 18446744073709551615\n1 2\n", "expected 18446744073709551615 entries");
  check_refused("e.mtx", banner + "5 5 1\n1 2\n2 3\n", "got 2");
  check_refused("e.mtx", banner + "5 5 1\n0 2\n", "line 3: expected a source's id in [1, 6), got 0");
  check_refused("e.mtx", banner + "5 5 1\n1 2 0.5\n", "expected a row and a column, got more");
  check_refused("e.mtx", "%%MatrixMarket matrix coordinate real general\n5 5 1\n1 2\n", "expected a value");
  check_refused("e.mtx", "%%MatrixMarket matrix coordinate real general\n5 5 1\n1 2 nan\n", "got 'nan'");
}
