// SPDX-License-Identifier: MIT
// Writes what fuzzers start from: make_corpus FOLDER [SHARED], a folder FOLDER/<target> for each target. SHARED is the
// folder with the real datasets; what is there of them is used too, text by its first lines.
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "fuzz/corpus/corpus.hpp"

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream stream(path, std::ios::binary);
  if (!stream.write(content.data(), static_cast<std::streamsize>(content.size()))) {
    throw std::runtime_error(path.string() + ": can't be written");
  }
}

/// A real file: as a whole if it is short enough to be changed byte by byte,
/// otherwise, for text, as many whole lines as that.
void add_real(const fs::path& from, const fs::path& folder, bool is_text) {
  constexpr std::size_t most = 32'768;
  std::ifstream stream(from, std::ios::binary);
  std::string content(most + 1, '\0');
  stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(stream.gcount()));
  if (content.size() > most) {
    content.resize(is_text ? content.rfind('\n') + 1 : 0);
  }
  if (!content.empty()) {
    write(folder / ("real_" + from.parent_path().filename().string() + "_" + from.filename().string()), content);
  }
}

void add_real_files(const fs::path& shared, const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(shared)) {
    const fs::path& path = entry.path();
    const std::string name = path.filename().string();
    if (path.extension() == ".npz") {
      add_real(path, folder / "npz", false);
    } else if (name == "out1_graph_edges.txt" || name.ends_with(".test.index")) {
      add_real(path, folder / (name.starts_with("out1") ? "edge_list" : "text_table"), true);
    } else if (name == "out1_node_feature_label.txt") {
      add_real(path, folder / "geom_gcn", true);
    } else if (name.starts_with("ind.")) {
      add_real(path, folder / "pickle", false);
    }
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count < 2 || count > 3) {
      throw std::runtime_error("usage: make_corpus FOLDER [SHARED]");
    }
    const fs::path folder = words[1];
    fs::remove_all(folder);
    for (const auto& each : gp_fuzz::all_cases()) {
      write(folder / each.target / each.name, each.content);
    }
    if (count == 3 && fs::is_directory(words[2])) {
      add_real_files(words[2], folder);
    }
  } catch (const std::exception& problem) {
    std::cerr << "make_corpus: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
}
