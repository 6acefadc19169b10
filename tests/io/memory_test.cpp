// SPDX-License-Identifier: MIT
// How much memory a reader takes at most, counted by what it asks for: at most 1.3 times what it returns. (Files are
// mapped, which the system counts as memory that it can take back at any time.) Run with -s to see the numbers.
#include <catch2/catch.hpp>

#include "io/file_writers.hpp"
#include "io/geom_gcn_nodes.hpp"
#include "io/npz_arrays.hpp"
#include "io/text_graph.hpp"
#include "io/text_table.hpp"
#include "support/allocation_watch.hpp"

using namespace graphpatcher;
using gp_test::gzipped;
using gp_test::npy;
using gp_test::temporary_folder;
using i32 = std::int32_t;

namespace {

/// Peak over what is left, both since the call began.
template <class Read>
void check_memory(const char* what, const Read& read) {
  read();  // threads and locales are made now
  const std::size_t before = gp_test::live_bytes;
  gp_test::peak_bytes = before;
  const auto result = read();
  const double peak = static_cast<double>(gp_test::peak_bytes - before);
  const double kept = static_cast<double>(gp_test::live_bytes - before);
  INFO(what << ": " << peak / 1e6 << " MB at most for a result of " << kept / 1e6 << " MB, " << peak / kept
            << " times");
  CHECK(kept > 7e6);
  CHECK(peak <= 1.3 * kept);
}

std::string edges(std::size_t count, std::size_t nodes) {
  std::string lines;
  for (std::size_t e = 0; e < count; ++e) {
    lines += std::to_string(e * 2654435761u % nodes) + "," + std::to_string((e * 40503u + e / nodes) % nodes) + "\n";
  }
  return lines;
}

std::string table(std::size_t rows, std::size_t columns) {
  std::string lines;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      lines += std::to_string((r * 31 + c) % 100) + (c + 1 < columns ? ".25," : ".5\n");
    }
  }
  return lines;
}

constexpr cpu two{2};

}  // namespace

TEST_CASE("memory: an edge list", "[memory]") {
  const temporary_folder folder;
  const auto lines = edges(1500000, 200000);
  folder.write("e.csv", lines);
  folder.write("e.csv.gz", gzipped(lines));
  for (const char* name : {"e.csv", "e.csv.gz"}) {
    check_memory(name,
                 [&] { return read_graph<i32>(edge_list(folder.path() / name, {.text = {.exec = two}}), 200000); });
  }
}

TEST_CASE("memory: a table of features", "[memory]") {
  const temporary_folder folder;
  const auto lines = table(20000, 100);
  folder.write("x.csv", lines);
  folder.write("x.csv.gz", gzipped(lines));
  std::string varied;  // packs so badly that the head of the file tells how much room is needed
  for (std::size_t i = 0; i < 2000000; ++i) {
    varied += std::to_string(1 + i * 2654435761u % 1000003) + (i % 100 == 99 ? "\n" : ",");
  }
  folder.write("varied.csv.gz", gzipped(varied));
  for (const char* name : {"x.csv", "x.csv.gz", "varied.csv.gz"}) {
    check_memory(name, [&] {
      text_source source(folder.path() / name, {.exec = two});
      return read_text_table<float, i32>(source);
    });
  }
}

TEST_CASE("memory: nodes in the layout of geom-gcn", "[memory]") {
  const temporary_folder folder;
  std::string lines = "id\tfeature\tlabel\n";
  for (std::size_t v = 0; v < 20000; ++v) {
    lines += std::to_string(v) + "\t" + table(1, 100);
    lines.pop_back();
    lines += "\t1\n";
  }
  folder.write("n.txt", lines);
  check_memory("geom-gcn", [&] {
    text_source source(folder.path() / "n.txt", {.exec = two});
    return read_geom_gcn_nodes<float, i32>(source);
  });
}

TEST_CASE("memory: tables that are mostly 0", "[memory]") {
  const temporary_folder folder;
  std::string lines;
  std::vector<float> values;
  for (std::size_t i = 0; i < 5000000; ++i) {
    values.push_back(i % 4 == 0 ? 1.5f : 0.0f);
    lines += i % 4 == 0 ? "1.5" : "0";
    lines += i % 100 == 99 ? '\n' : ',';
  }
  folder.write("x.csv", lines);
  folder.write("x.npy", npy<float>({50000, 100}, values));
  check_memory("csv", [&] {
    text_source source(folder.path() / "x.csv", {.exec = two});
    return read_text_table<float, i32>(source);
  });
  check_memory("npy", [&] { return read_npy_features<float, i32>(folder.path() / "x.npy"); });
}

TEST_CASE("memory: matrices of npy and npz files", "[memory]") {
  const temporary_folder folder;
  const std::size_t count = 2000000;
  const std::vector<float> values(count, 1.5f);
  std::vector<i32> columns(count);
  std::vector<i32> offsets(20001, 0);
  for (std::size_t i = 0; i < count; ++i) {
    columns[i] = static_cast<i32>(i % 100);
  }
  for (std::size_t r = 0; r < 20000; ++r) {
    offsets[r + 1] = offsets[r] + 100;
  }
  folder.write("x.npy", npy<float>({20000, 100}, values));
  folder.write("x.npz", gp_test::npz({{"x", npy<float>({20000, 100}, values)},
                                      {"m_data", npy<float>({count}, values)},
                                      {"m_indices", npy<i32>({count}, columns)},
                                      {"m_indptr", npy<i32>({20001}, offsets)},
                                      {"m_shape", npy<std::int64_t>({2}, {20000, 100})}}));
  check_memory("npy", [&] { return read_npy_features<float, i32>(folder.path() / "x.npy"); });
  check_memory("npz, dense", [&] { return npz_dataset_file(folder.path() / "x.npz").features<float, i32>("x"); });
  check_memory("npz, sparse", [&] { return npz_dataset_file(folder.path() / "x.npz").csr<float, i32>("m"); });
}
