// SPDX-License-Identifier: MIT
#include "experiments/results/results_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <utility>

#include "experiments/results/cell_json.hpp"
#include "graphpatcher/io/file_descriptor.hpp"

namespace graphpatcher {

std::vector<cell_result> read_cells(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw file_error(path.string(), "can't be read; expected a file of results, one JSON object a line");
  }
  std::ostringstream whole;
  whole << in.rdbuf();
  const std::string content = std::move(whole).str();
  std::vector<cell_result> cells;
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < content.size(); ++number) {
    const std::size_t end = content.find('\n', begin);
    if (end == std::string::npos) {
      break;
    }
    try {
      if (end > begin) {
        cells.push_back(cell_from_json(record_json::parse(content.begin() + static_cast<std::ptrdiff_t>(begin),
                                                          content.begin() + static_cast<std::ptrdiff_t>(end))));
      }
    } catch (const std::exception& problem) {
      throw file_error(path.string(), text("line ", number, " is not a result: ", problem.what(),
                                           "; expected one JSON object a line, as experiments writes them"));
    }
    begin = end + 1;
  }
  return cells;
}

std::map<cell_key, cell_result> read_results(const std::filesystem::path& path) {
  std::map<cell_key, cell_result> cells;
  for (auto& cell : read_cells(path)) {
    auto key = cell.key;
    cells.insert_or_assign(std::move(key), std::move(cell));
  }
  return cells;
}

results_file::results_file(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code problem;
  if (path_.has_parent_path()) {
    std::filesystem::create_directories(path_.parent_path(), problem);
  }
  if (!problem && std::filesystem::exists(path_, problem)) {
    cells_ = read_results(path_);
    cut_unfinished_line();
  }
  if (problem) {
    throw_file_error(path_, "can't be looked for", problem.value());
  }
}

std::optional<cell_result> results_file::find(const cell_key& key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto at = cells_.find(key);
  return at == cells_.end() ? std::nullopt : std::optional(at->second);
}

void results_file::add(cell_result cell) {
  const std::string line = cell_to_json(cell).dump(-1, ' ', false, record_json::error_handler_t::replace) + "\n";
  const std::lock_guard<std::mutex> lock(mutex_);
  append(line);
  auto key = cell.key;
  cells_.insert_or_assign(std::move(key), std::move(cell));
}

std::vector<cell_result> results_file::cells() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<cell_result> list;
  for (const auto& [key, cell] : cells_) {
    list.push_back(cell);
  }
  return list;
}

void results_file::append(const std::string& line) const {
  const file_descriptor file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (file.get() < 0) {
    throw_file_error(path_, "can't be opened for writing", errno);
  }
  const off_t before = ::lseek(file.get(), 0, SEEK_END);
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(file.get(), line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      const int code = errno;
      [[maybe_unused]] const int cut = ::ftruncate(file.get(), before);  // a full disk: back to whole lines
      throw_file_error(path_, "can't be written", code);
    }
    written += static_cast<std::size_t>(count);
  }
  if (::fsync(file.get()) != 0) {
    throw_file_error(path_, "can't be written", errno);
  }
}

void results_file::cut_unfinished_line() const {
  std::ifstream in(path_, std::ios::binary);
  std::size_t whole = 0, at = 0;
  for (char byte; in.get(byte);) {
    ++at;
    whole = byte == '\n' ? at : whole;
  }
  std::error_code problem;
  if (whole != at) {
    std::filesystem::resize_file(path_, whole, problem);
  }
  if (problem) {
    throw_file_error(path_, "its unfinished last line can't be cut off", problem.value());
  }
}

}  // namespace graphpatcher
