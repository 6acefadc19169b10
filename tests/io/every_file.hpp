// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "eval/sample_record.hpp"
#include "graphpatcher/eval/report.hpp"
#include "graphpatcher/io/atomic_file.hpp"
#include "graphpatcher/io/backbone_checkpoint.hpp"
#include "graphpatcher/io/geom_gcn.hpp"
#include "graphpatcher/io/gnn_benchmark.hpp"
#include "graphpatcher/io/graph_files.hpp"
#include "graphpatcher/io/heterophilous.hpp"
#include "graphpatcher/io/load_dataset.hpp"
#include "graphpatcher/io/npz.hpp"
#include "graphpatcher/io/npz_writer.hpp"
#include "graphpatcher/io/ogb.hpp"
#include "graphpatcher/io/patched_graph.hpp"
#include "graphpatcher/io/patcher_checkpoint.hpp"
#include "graphpatcher/io/planetoid.hpp"
#include "graphpatcher/io/state_dict.hpp"
#include "graphpatcher/io/torch_names.hpp"
#include "graphpatcher/io/training_checkpoint.hpp"
#include "graphpatcher/io/wiki_cs.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "io/checkpoint_support.hpp"
#include "io/file_writers.hpp"

/// Every kind of file that the library reads and writes, each of a small size: for tests that let something fail at
/// every place.
namespace gp_test {

inline const graphpatcher::cpu alone{1};  // the same calls and requests each time

namespace small_files {

using i32 = std::int32_t;
using i64 = std::int64_t;

inline void gnn_benchmark(const temporary_folder& folder) {
  const std::pair<std::string, std::string> common[] = {
      {"adj_shape", npy<i64>({2}, {10, 10})},
      {"adj_indptr", npy<i32>({11}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 10})},
      {"adj_indices", npy<i32>({10}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 0})},
      {"adj_data", npy<float>({10}, std::vector<float>(10, 1.0f))},
      {"labels", npy<i64>({10}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1})}};
  std::vector<std::pair<std::string, std::string>> sparse(std::begin(common), std::end(common));
  auto dense = sparse;
  sparse.emplace_back("attr_shape", npy<i64>({2}, {10, 2}));
  sparse.emplace_back("attr_indptr", npy<i32>({11}, {0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
  sparse.emplace_back("attr_indices", npy<i32>({2}, {1, 0}));
  sparse.emplace_back("attr_data", npy<float>({2}, {3, 4}));
  dense.emplace_back("attr_matrix", npy<float>({10, 1}, std::vector<float>(10, 1.0f)));
  folder.write("sparse.npz", npz(sparse));
  folder.write("dense.npz", npz(dense));
}

inline void geom_gcn(const temporary_folder& folder) {
  std::filesystem::create_directories(folder.path() / "texas");
  std::filesystem::create_directories(folder.path() / "splits");
  folder.write("texas/out1_node_feature_label.txt", "id\tfeature\tlabel\n0\t0,1\t0\n1\t1,1\t1\n2\t0,0\t0\n");
  folder.write("texas/out1_graph_edges.txt", "a\tb\n0\t1\n1\t2\n");
  folder.write("splits/texas_split_0.6_0.2_0.npz", npz({{"train_mask", npy<i64>({3}, {1, 0, 0})},
                                                        {"val_mask", npy<i64>({3}, {0, 1, 0})},
                                                        {"test_mask", npy<i64>({3}, {0, 0, 1})}}));
}

inline void heterophilous(const temporary_folder& folder) {
  folder.write("h.npz", npz({{"node_features", npy<float>({3, 2}, {1, 0, 0, 2, 3, 4})},
                             {"node_labels", npy<i64>({3}, {0, 1, 0})},
                             {"edges", npy<i64>({2, 2}, {0, 1, 1, 2})},
                             {"train_masks", npy<std::uint8_t>({1, 3}, {1, 0, 0})},
                             {"val_masks", npy<std::uint8_t>({1, 3}, {0, 1, 0})},
                             {"test_masks", npy<std::uint8_t>({1, 3}, {0, 0, 1})}}));
}

inline void wiki_cs(const temporary_folder& folder) {
  folder.write("data.json", R"({"features": [[1, 0], [0, 2], [3, 4]], "labels": [0, 1, 0], "links": [[1], [2], []],
    "train_masks": [[true, false, false]], "stopping_masks": [[1, 1, 1]], "val_masks": [[false, true, false]],
    "test_mask": [false, false, true]})");
}

inline void ogb(const temporary_folder& folder) {
  std::filesystem::create_directories(folder.path() / "raw");
  std::filesystem::create_directories(folder.path() / "split/time");
  folder.write("raw/edge.csv.gz", gzipped("0,1\n1,2\n"));
  folder.write("raw/node-feat.csv.gz", gzipped("1,0\n0,2\n3,4\n"));
  folder.write("raw/node-label.csv.gz", gzipped("0\n1\n0\n"));
  folder.write("raw/num-node-list.csv.gz", gzipped("3\n"));
  folder.write("split/time/train.csv.gz", gzipped("0\n"));
  folder.write("split/time/valid.csv.gz", gzipped("1\n"));
  folder.write("split/time/test.csv.gz", gzipped("2\n"));
}

inline void own_graph(const temporary_folder& folder) {
  folder.write("e.csv", "0,1\n1,2\n");
  folder.write("e.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
  folder.write("x.csv", "1,0\n0,2\n3,4\n");
  folder.write("ids.csv", "id,a,b\n0,1,0\n1,0,0\n2,0,0\n");
  folder.write("x.npy", npy<float>({3, 2}, {1, 0, 0, 2, 3, 4}));
  folder.write("y.csv", "0\n1\n0\n");
  folder.write("y.npy", npy<i64>({3}, {0, 1, 0}));
  for (int part = 0; part < 3; ++part) {
    folder.write("part" + std::to_string(part) + ".csv", std::to_string(part) + "\n");
  }
}

inline graphpatcher::graph_files files_of(const std::filesystem::path& folder, const char* edges, const char* features,
                                          const char* labels) {
  return {
      .edges = folder / edges,
      .features = folder / features,
      .labels = folder / labels,
      .train = folder / "part0.csv",
      .validation = folder / "part1.csv",
      .test = folder / "part2.csv",
      .ids = std::string(features) == "ids.csv" ? graphpatcher::text_ids::present : graphpatcher::text_ids::automatic,
      .text = {.exec = alone}};
}

/// A model that differs by `version`, and what belongs to its training.
struct tiny_training {
  graphpatcher::gcn_config config{.hidden = 2, .dropout = 0.25};
  graphpatcher::gcn_backbone<float> model{config, 3, 2};
  graphpatcher::gcn_backbone<float> best{config, 3, 2};
  graphpatcher::adam<float> optimizer{model.parameters(), {}};
  graphpatcher::trained_patcher<float> patcher;

  explicit tiny_training(unsigned version)
      : patcher{graphpatcher::patch_generator<float>({.features = 3, .hidden = 4, .seed = version}),
                {.hidden = 4, .seed = version},
                {}} {
    scramble(model, version);
    scramble(best, version + 10);
  }
};

}  // namespace small_files

using named_work = std::pair<std::string, std::function<void()>>;
using named_writer = std::pair<std::string, std::function<void(const std::filesystem::path&, unsigned)>>;

/// Writers of each kind of file, into a folder; what they write differs by the number.
inline std::vector<named_writer> every_writer() {
  namespace gp = graphpatcher;
  using path = std::filesystem::path;
  const auto state = [](unsigned n) { return gp::state_dict<float>{{"a", {{2}, {1, static_cast<float>(n)}}}}; };
  return {
      {"text", [](const path& to, unsigned n) { gp::write_file_atomically(to / "t.txt", std::string(100 * n, 'x')); }},
      {"safetensors", [=](const path& to, unsigned n) { gp::write_state_dict(to / "s.safetensors", state(n), {}); }},
      {"npz", [=](const path& to, unsigned n) { gp::write_state_dict(to / "s.npz", state(n), {}); }},
      {"packed npz",
       [](const path& to, unsigned n) {
         gp::npz_writer(gp::npz_packing::deflated).add<double>("a", std::vector<double>(100, n)).write(to / "p.npz");
       }},
      {"backbone",
       [](const path& to, unsigned n) {
         const small_files::tiny_training made(n);
         gp::save_backbone(to / "b.safetensors", made.model, made.config);
       }},
      {"patcher", [](const path& to,
                     unsigned n) { gp::save_patcher(to / "p.safetensors", small_files::tiny_training(n).patcher); }},
      {"training",
       [](const path& to, unsigned n) {
         small_files::tiny_training made(n);
         gp::save_training(to / "t.safetensors", made.model, made.best, made.optimizer,
                           gp::training_state{.iteration = n}, gp::dgl_names(made.model));
       }},
      {"patched graph, npz",
       [](const path& to, unsigned n) {
         const auto data = toy::make<float>(12, 20, 3, n);
         gp::write_patched_graph<float, std::int32_t>(to / "g.npz", data, data.split.test, {});
       }},
      {"run record",
       [](const path& to, unsigned n) {
         auto record = gp::test::sample_record();
         record.command = "run " + std::to_string(n);
         gp::write_json(record, to / "r.json");
       }},
      {"report",
       [](const path& to, unsigned n) {
         auto record = gp::test::sample_record();
         record.command = "run " + std::to_string(n);
         gp::write_html(record, to / "r.html");
       }},
  };
}

/// Readers of each kind of file; their files are in the folder.
inline std::vector<named_work> every_reader(const temporary_folder& folder) {
  namespace gp = graphpatcher;
  using std::int32_t;
  tiny_planetoid{}.write(folder);
  small_files::gnn_benchmark(folder);
  small_files::geom_gcn(folder);
  small_files::heterophilous(folder);
  small_files::wiki_cs(folder);
  small_files::ogb(folder);
  small_files::own_graph(folder);
  for (const auto& [name, write] : every_writer()) {
    write(folder.path(), 1);
  }
  const std::filesystem::path at = folder.path();
  std::vector<named_work> all{
      {"Planetoid", [=] { gp::load_planetoid<float, int32_t>(at, "tiny", {.validation = 1}); }},
      {"geom-gcn by its name", [=] { gp::load_dataset<float, int32_t>("texas", {.root = at, .exec = alone}); }},
      {"heterophilous", [=] { gp::load_heterophilous<float, int32_t>(at / "h.npz", "h"); }},
      {"Wiki-CS", [=] { gp::load_wiki_cs<float, int32_t>(at / "data.json"); }},
      {"OGB", [=] { gp::load_ogb<float, int32_t>(at, "g", "time", {.exec = alone}); }},
      {"npz archive", [=] { gp::npz_archive(at / "p.npz").read<double>("a"); }},
      {"state dict, npz", [=] { gp::read_state_dict<float>(at / "s.npz"); }},
      {"state dict, safetensors", [=] { gp::read_state_dict<float>(at / "s.safetensors"); }},
      {"checkpoint info", [=] { gp::read_checkpoint_info(at / "b.safetensors"); }},
      {"backbone", [=] { gp::load_backbone<gp::gcn_config, float>(at / "b.safetensors"); }},
      {"patcher", [=] { gp::load_patcher<float>(at / "p.safetensors"); }},
      {"training",
       [=] {
         small_files::tiny_training made(2);
         gp::load_training(at / "t.safetensors", made.model, made.best, made.optimizer, gp::dgl_names(made.model));
       }},
      {"patched graph", [=] { gp::read_state_dict<double>(at / "g.npz"); }},
      {"run record", [=] { gp::read_json(at / "r.json"); }},
  };
  for (const char* name : {"sparse.npz", "dense.npz"}) {
    all.emplace_back(std::string("gnn-benchmark ") + name, [=] {
      gp::load_gnn_benchmark<float, int32_t>(at / name, "g", {.train = 0.2, .validation = 0.2});
    });
  }
  for (const auto& [edges, features, labels] :
       {std::tuple{"e.csv", "x.csv", "y.csv"}, std::tuple{"e.mtx", "x.npy", "y.npy"},
        std::tuple{"e.csv", "ids.csv", "y.csv"}}) {
    all.emplace_back(std::string("a graph of one's own, ") + edges + " and " + features,
                     [files = small_files::files_of(at, edges, features, labels)] {
                       gp::dataset_summary summary;
                       gp::load_graph_files(files, &summary);
                     });
  }
  return all;
}

}  // namespace gp_test
