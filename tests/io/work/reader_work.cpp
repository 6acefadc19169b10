// SPDX-License-Identifier: MIT
// What a reader does is at most a constant times what it reads. The compiler has put a call at the beginning of every
// basic block of this file and the readers it includes (-fsanitize-coverage=trace-pc): blocks that were run, and bytes
// that were asked for, are the same on every machine. A text four times as long may take six times as many of each; the
// square would be sixteen times.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>
#include <zlib.h>

#include "graphpatcher/io/npz_writer.hpp"
#include "io/edge_list.hpp"
#include "io/geom_gcn_nodes.hpp"
#include "io/json_cursor.hpp"
#include "io/npy_values.hpp"
#include "io/npz_file.hpp"
#include "io/pickle.hpp"
#include "io/safetensors_header.hpp"
#include "io/text_column.hpp"
#include "io/text_graph.hpp"
#include "io/text_table.hpp"

namespace {

std::uint64_t blocks = 0;
std::uint64_t bytes = 0;

}  // namespace

extern "C" [[gnu::no_sanitize_coverage]] void __sanitizer_cov_trace_pc() {
  ++blocks;
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  bytes += size;
  if (void* const block = std::malloc(size == 0 ? 1 : size)) {
    return block;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

namespace {

namespace gp = graphpatcher;
using gp::text;
const std::filesystem::path folder =
    std::filesystem::temp_directory_path() / ("graphpatcher_work_" + std::to_string(::getpid()));
const gp::text_options alone{.exec = {1}, .quiet = true};

std::filesystem::path written(const std::string& name, const std::string& content) {
  const auto path = folder / name;
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(content.data(), 1, content.size(), file) != content.size() ||
      std::fclose(file) != 0) {
    std::abort();
  }
  return path;
}

std::string gzipped(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string repeated(const std::string& part, std::size_t count) {
  std::string all;
  all.reserve(part.size() * count);
  for (std::size_t i = 0; i < count; ++i) {
    all += part;
  }
  return all;
}

void read_table(const std::string& name, const std::string& content) {
  gp::text_source source(written(name, content), alone);
  gp::read_text_table<float, std::int32_t>(source);
}
void read_edges(const std::string& name, const std::string& content) {
  gp::read_graph<std::int32_t>(gp::edge_list(written(name, content), {.text = alone}), 10);
}

/// A file of a size that grows with n, read; what it holds need not be accepted.
struct reading {
  std::string name;
  std::size_t n;
  std::function<void(std::size_t)> read;
};

std::vector<reading> readings() {
  return {
      {"csv", 2000, [](std::size_t n) { read_table("x.csv", repeated("1,0,2.5\n", n)); }},
      {"csv: empty lines", 2000, [](std::size_t n) { read_table("x.csv", repeated("\n", 10 * n) + "1,2\n"); }},
      {"csv: comments", 2000, [](std::size_t n) { read_table("x.csv", repeated("#\n", n) + "1,2\n"); }},
      {"csv: one line", 2000, [](std::size_t n) { read_table("x.csv", repeated("1,", n) + "1\n"); }},
      {"csv: one number", 2000, [](std::size_t n) { read_table("x.csv", repeated("1", n) + "\n"); }},
      {"csv.gz: newlines", 1 << 22, [](std::size_t n) { read_table("x.csv.gz", gzipped(repeated("\n", n))); }},
      {"csv.gz: members of newlines", 1 << 19,
       [](std::size_t n) { read_table("x.csv.gz", repeated(gzipped(repeated("\n", 1 << 16)), n >> 16)); }},
      {"csv.gz: empty members", 500, [](std::size_t n) { read_table("x.csv.gz", repeated(gzipped(""), n)); }},
      {"csv.gz: long lines", 1 << 20,
       [](std::size_t n) { read_table("x.csv.gz", gzipped("1\n2\n" + repeated(" ", n) + "3\n")); }},
      {"csv.gz: zeros behind", 1 << 16,
       [](std::size_t n) { read_table("x.csv.gz", gzipped("1,2\n") + std::string(n, '\0')); }},
      {"column: empty lines", 2000,
       [](std::size_t n) {
         gp::text_source source(written("y.csv", repeated("0\n", n) + repeated("\n", n) + "0\n"), alone);
         gp::read_text_column<std::int32_t>(source, "a class", 0, 1);
       }},
      {"edges", 2000, [](std::size_t n) { read_edges("e.csv", repeated("1,2\n3,4\n", n)); }},
      {"edges: comments", 2000, [](std::size_t n) { read_edges("e.csv", repeated("# 1\n", n)); }},
      {"MatrixMarket: comments", 2000,
       [](std::size_t n) {
         read_edges("e.mtx", "%%MatrixMarket matrix coordinate pattern general\n" + repeated("%\n", n) + "10 10 0\n");
       }},
      {"geom-gcn: one wide line", 2000,
       [](std::size_t n) {
         gp::text_source source(written("n.txt", "h\n0\t" + repeated("1,", n) + "1\t0\n"), alone);
         gp::read_geom_gcn_nodes<float, std::int32_t>(source);
       }},
      {"geom-gcn: many lines", 500,
       [](std::size_t n) {
         std::string lines = "h\n";
         for (std::size_t id = n; id-- > 0;) {
           lines += text(id, "\t1,0,1\t0\n");
         }
         gp::text_source source(written("n.txt", lines), alone);
         gp::read_geom_gcn_nodes<float, std::int32_t>(source);
       }},
      {"JSON: numbers", 2000,
       [](std::size_t n) {
         const std::string json = "[" + repeated("1.5, ", n) + "1]";
         gp::json_cursor("j", json).skip();
       }},
      {"JSON: keys", 2000,
       [](std::size_t n) {
         const std::string json = "{" + repeated(R"("a": [], )", n) + R"("b": "c"})";
         gp::json_cursor("j", json).skip();
       }},
      {"npy: thousands of axes of 1", 500,
       [](std::size_t n) {
         const std::string header =
             text("{'descr': '|u1', 'fortran_order': True, 'shape': (", repeated("1,", n), 16 * n, ",)}");
         std::string file("\x93NUMPY\x02\x00", 8);
         const auto length = static_cast<std::uint32_t>(header.size());
         file.append(reinterpret_cast<const char*>(&length), 4);
         file += header + std::string(16 * n, '\1');
         gp::decode_npy<float>(
             gp::byte_reader("a.npy", {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}),
             gp::npy_rounding::none);
       }},
      {"npz: many arrays, all read", 250,
       [](std::size_t n) {
         gp::npz_writer writer;
         const float value = 1;
         for (std::size_t i = 0; i < n; ++i) {
           writer.add<float>(text("array ", i), std::span<const float>(&value, 1));
         }
         const std::string content = writer.bytes();
         const gp::npz_file file("a.npz", std::vector<std::uint8_t>(content.begin(), content.end()));
         for (const auto& name : file.names()) {
           file.read<float>(name);
         }
       }},
      {"pickle: a list in itself, remembered", 2000,
       [](std::size_t n) {
         const std::string pickle = "\x80\x02]q\x01" +
                                    repeated(
                                        "h\x01"
                                        "a",
                                        n) +
                                    ".";
         gp::decode_pickle("p", std::vector<std::uint8_t>(pickle.begin(), pickle.end()));
       }},
      {"pickle: marks", 2000,
       [](std::size_t n) {
         const std::string pickle = "\x80\x02" + repeated("(", n) + repeated("t", n) + ".";
         gp::decode_pickle("p", std::vector<std::uint8_t>(pickle.begin(), pickle.end()));
       }},
  };
}

std::pair<std::uint64_t, std::uint64_t> work_of(const reading& each, std::size_t n) {
  blocks = bytes = 0;
  try {
    each.read(n);
  } catch (const gp::error&) {
    // refused: after work that counts
  }
  return {blocks, bytes};
}

}  // namespace

int main() {
  std::filesystem::create_directories(folder);
  int wrong = 0;
  for (const auto& each : readings()) {
    work_of(each, each.n);  // what is made once for the program is made now
    const auto small = work_of(each, each.n);
    const auto large = work_of(each, 4 * each.n);
    const bool linear = large.first <= 6 * small.first + 2000 && large.second <= 6 * small.second + 20000;
    wrong += !linear;
    std::cout << (linear ? "ok      " : "TOO MUCH ") << each.name << ": " << small.first << " -> " << large.first
              << " blocks, " << small.second << " -> " << large.second << " bytes\n";
  }
  std::filesystem::remove_all(folder);
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
