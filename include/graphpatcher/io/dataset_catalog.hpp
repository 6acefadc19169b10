// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include "graphpatcher/core/error.hpp"

namespace graphpatcher {

/// In which form a dataset is distributed; a reader each.
enum class dataset_layout { planetoid, gnn_benchmark, geom_gcn, heterophilous, wiki_cs, ogb };

/// Where to look for a layout's files, below the user's folder if not in it,
/// and where they come from.
struct layout_place {
  dataset_layout layout;
  std::array<std::string_view, 3> folders;
  std::string_view home;
};

inline constexpr std::array<layout_place, 6> layout_places{{
    {dataset_layout::planetoid, {"planetoid"}, "https://github.com/kimiyoung/planetoid"},
    {dataset_layout::gnn_benchmark, {"npz", "gnn-benchmark"}, "https://github.com/shchur/gnn-benchmark"},
    {dataset_layout::geom_gcn, {"geom-gcn", "new_data"}, "https://github.com/graphdml-uiuc-jlu/geom-gcn"},
    {dataset_layout::heterophilous,
     {"npz", "heterophilous-graphs"},
     "https://github.com/yandex-research/heterophilous-graphs"},
    {dataset_layout::wiki_cs, {"wiki-cs", "wikics", "WikiCS"}, "https://github.com/pmernyei/wiki-cs-dataset"},
    {dataset_layout::ogb, {"ogbn_arxiv", "ogbn-arxiv", "arxiv"}, "https://ogb.stanford.edu"},
}};

/// A dataset that load_dataset() knows.
struct dataset_entry {
  std::string_view name;
  dataset_layout layout;
  std::string_view file;  ///< the one that must be there, below one of the layout's folders
  std::size_t splits;     ///< that come with it; 0 = none, they are random
  bool normalise;         ///< whether those who use it make the features of a node sum to 1
};

inline constexpr std::array<dataset_entry, 22> dataset_catalog{{
    {"cora", dataset_layout::planetoid, "ind.cora.x", 1, true},
    {"citeseer", dataset_layout::planetoid, "ind.citeseer.x", 1, true},
    {"pubmed", dataset_layout::planetoid, "ind.pubmed.x", 1, true},
    {"amazon-photo", dataset_layout::gnn_benchmark, "amazon_electronics_photo.npz", 0, false},
    {"amazon-computers", dataset_layout::gnn_benchmark, "amazon_electronics_computers.npz", 0, false},
    {"coauthor-cs", dataset_layout::gnn_benchmark, "ms_academic_cs.npz", 0, false},
    {"coauthor-physics", dataset_layout::gnn_benchmark, "ms_academic_phy.npz", 0, false},
    {"chameleon", dataset_layout::geom_gcn, "chameleon/out1_graph_edges.txt", 10, true},
    {"squirrel", dataset_layout::geom_gcn, "squirrel/out1_graph_edges.txt", 10, true},
    {"actor", dataset_layout::geom_gcn, "film/out1_graph_edges.txt", 10, true},
    {"cornell", dataset_layout::geom_gcn, "cornell/out1_graph_edges.txt", 10, true},
    {"texas", dataset_layout::geom_gcn, "texas/out1_graph_edges.txt", 10, true},
    {"wisconsin", dataset_layout::geom_gcn, "wisconsin/out1_graph_edges.txt", 10, true},
    {"wiki-cs", dataset_layout::wiki_cs, "data.json", 20, false},
    {"ogbn-arxiv", dataset_layout::ogb, "raw/edge.csv.gz", 1, false},
    {"roman-empire", dataset_layout::heterophilous, "roman_empire.npz", 10, false},
    {"amazon-ratings", dataset_layout::heterophilous, "amazon_ratings.npz", 10, false},
    {"minesweeper", dataset_layout::heterophilous, "minesweeper.npz", 10, false},
    {"tolokers", dataset_layout::heterophilous, "tolokers.npz", 10, false},
    {"questions", dataset_layout::heterophilous, "questions.npz", 10, false},
    {"chameleon-filtered", dataset_layout::heterophilous, "chameleon_filtered.npz", 10, false},
    {"squirrel-filtered", dataset_layout::heterophilous, "squirrel_filtered.npz", 10, false},
}};

/// Names that load_dataset() knows.
inline constexpr auto dataset_names = [] {
  std::array<std::string_view, dataset_catalog.size()> names{};
  std::transform(dataset_catalog.begin(), dataset_catalog.end(), names.begin(), [](const auto& e) { return e.name; });
  return names;
}();

/// The entry of a name; an unknown one is an argument_error with those known.
const dataset_entry& find_dataset(std::string_view name);

/// The folder in which the files of a dataset are: `root`, or the first of those
/// of its layout below it, that has the file of its entry. A file_error says where it looked and
/// where the files come from.
std::filesystem::path find_dataset_files(const std::filesystem::path& root, const dataset_entry& entry);

}  // namespace graphpatcher
