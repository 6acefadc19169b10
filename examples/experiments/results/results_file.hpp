// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "experiments/results/cell.hpp"

namespace graphpatcher {

/// Cells of a file of JSON lines, one a line, in the order of the file. A last
/// line without its newline was cut off by a crash: it is left out. Anything
/// else that is not a cell is a file_error that names the line.
std::vector<cell_result> read_cells(const std::filesystem::path& path);

/// The same by key; of cells with one key the last counts. Nothing is changed in the file, so it may be growing.
std::map<cell_key, cell_result> read_results(const std::filesystem::path& path);

/// A file of finished cells that grows by one line a cell. A cell is there
/// whole or not at all: a line is one write to the end of the file, and what a
/// crash left unfinished is cut off when the file is opened again. Safe to use
/// from several threads; one process a file (folder_lock.hpp keeps others out).
class results_file {
public:
  /// Opens the file, or makes it. Cells already there count as finished.
  explicit results_file(std::filesystem::path path);

  const std::filesystem::path& path() const noexcept { return path_; }

  /// The finished cell with this key, if there is one.
  std::optional<cell_result> find(const cell_key& key) const;

  /// A cell whose key is there already takes its place.
  void add(cell_result cell);

  /// All finished cells, ordered by key.
  std::vector<cell_result> cells() const;

private:
  void append(const std::string& line) const;
  void cut_unfinished_line() const;

  std::filesystem::path path_;
  mutable std::mutex mutex_;
  std::map<cell_key, cell_result> cells_;
};

}  // namespace graphpatcher
