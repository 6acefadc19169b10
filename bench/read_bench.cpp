// SPDX-License-Identifier: MIT
// How fast files become graphs and features: text plain and packed, and npy. The rate counts megabytes of the text,
// unpacked, or of the array. Files are written to the system's folder for temporary files and read from its cache.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <zlib.h>

#include "graphpatcher/core/philox.hpp"
#include "io/npy_features.hpp"
#include "io/text_graph.hpp"
#include "io/text_table.hpp"
#include "support/closeness.hpp"
#include "support/graphs.hpp"
#include "support/npy_writer.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

/// A file that is gone with the last workload that reads it.
class scratch_file {
public:
  scratch_file(const std::string& name, const std::string& content)
      : path_(std::filesystem::temp_directory_path() / ("gp_bench_" + std::to_string(getpid()) + "_" + name)) {
    if (path_.extension() == ".gz") {
      const gzFile packed = gzopen(path_.c_str(), "wb6");
      gzwrite(packed, content.data(), static_cast<unsigned>(content.size()));
      gzclose(packed);
    } else {
      std::ofstream(path_, std::ios::binary) << content;
    }
  }
  ~scratch_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

amount megabytes(std::size_t bytes) {
  return {0, static_cast<double>(bytes), static_cast<double>(bytes) / 1e6, "MB/s"};
}

void expect(bool holds, const std::string& what) {
  if (!holds) {
    throw wrong_result{what};
  }
}

/// An edge list of random pairs, and the graph that build_graph() makes of them.
workload read_edges(const std::string& name, std::size_t count, const run_options& options) {
  return {"read/edges-" + std::to_string(count) + "/" + name, [=] {
            const std::size_t nodes = count / 8;
            std::vector<gp::edge<index>> edges(count);
            std::string lines;
            for (std::size_t e = 0; e < count; ++e) {
              const auto bits = gp::random_stream(7, gp::purpose::generator).bits(e);
              edges[e] = {static_cast<index>(bits[0] % nodes), static_cast<index>(bits[1] % nodes)};
              lines += std::to_string(edges[e].source) + "," + std::to_string(edges[e].target) + "\n";
            }
            const auto file = std::make_shared<scratch_file>("edges." + name, lines);
            const auto graph = std::make_shared<gp::csr_graph<index>>();
            const auto run = [=] {
              *graph = gp::read_graph<index>(gp::edge_list(file->path(), {.text = {.exec = {options.threads}}}), nodes);
            };
            const auto check = [=] {
              const auto want = gp::build_graph<index>(nodes, edges);
              expect(std::ranges::equal(want.offsets(), graph->offsets()) &&
                         std::ranges::equal(want.neighbors(), graph->neighbors()),
                     "read_graph: not the graph that build_graph makes of the same edges");
            };
            return prepared_workload{megabytes(lines.size()), run, check};
          }};
}

/// Features like embeddings: a number with six digits everywhere.
std::vector<float> embeddings(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = gp::random_stream(8, gp::purpose::generator).bits(i);
    values[i] = (static_cast<float>(bits[0] % 2000001) - 1000000.0f) / 1000000.0f;
  }
  return values;
}

using features = gp::feature_table<float, index>;

prepared_workload features_workload(std::vector<float> values, std::size_t bytes,
                                    const std::function<features()>& read) {
  const auto got = std::make_shared<features>();
  const auto check = [=] {
    std::vector<float> row(got->cols());
    expect(got->rows() * got->cols() == values.size(), "read features: not as many numbers as were written");
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i % row.size() == 0) {
        got->read_row(i / row.size(), row);
      }
      expect(row[i % row.size()] == values[i],
             "read features: number " + std::to_string(i) + " is not the one that was written");
    }
  };
  return {megabytes(bytes), [=] { *got = read(); }, check};
}

constexpr std::size_t columns = 128;

workload read_text_features(const std::string& name, std::size_t rows, const run_options& options) {
  return {"read/features-" + std::to_string(rows) + "x128/" + name, [=] {
            auto values = embeddings(rows * columns);
            std::string lines;
            for (std::size_t i = 0; i < values.size(); ++i) {
              char digits[32];
              std::snprintf(digits, sizeof digits, "%.6f", static_cast<double>(values[i]));
              std::from_chars(digits, digits + sizeof digits, values[i]);
              lines += digits;
              lines += (i + 1) % columns == 0 ? '\n' : ',';
            }
            const auto file = std::make_shared<scratch_file>("features." + name, lines);
            return features_workload(std::move(values), lines.size(), [=] {
              gp::text_source source(file->path(), {.exec = {options.threads}});
              return gp::read_text_table<float, index>(source);
            });
          }};
}

workload read_npy_features(std::size_t rows) {
  return {"read/features-" + std::to_string(rows) + "x128/npy", [=] {
            auto values = embeddings(rows * columns);
            const auto file = std::make_shared<scratch_file>("features.npy", "");
            write_npy(file->path(), std::span<const float>(values), {rows, columns});
            const std::size_t bytes = values.size() * sizeof(float);
            return features_workload(std::move(values), bytes,
                                     [=] { return gp::read_npy_features<float, index>(file->path()); });
          }};
}

}  // namespace

std::vector<workload> read_workloads(const run_options& options) {
  const std::size_t scale = options.quick ? 1 : 4;
  return {read_edges("csv", scale * 2000000, options), read_edges("csv.gz", scale * 500000, options),
          read_text_features("csv", scale * 25000, options), read_text_features("csv.gz", scale * 5000, options),
          read_npy_features(scale * 25000)};
}

}  // namespace bench
