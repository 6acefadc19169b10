// SPDX-License-Identifier: MIT
#include "tune.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "graphpatcher/io/atomic_file.hpp"

namespace {

/// Mean validation accuracy of a setting over the seeds of the search, each with the number of patches it chose. Other
/// seeds that happen to be in the file have other backbones, so they don't count.
double validation_of(const gp::results_file& results, const gp::experiment_grid& grid, const std::string& setting) {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& cell : results.cells()) {
    const auto& key = cell.key;
    if (key.dataset == grid.datasets[0] && key.backbone == grid.backbones[0] && key.setting == setting &&
        key.seed >= grid.first_seed && key.seed - grid.first_seed < grid.seeds) {
      sum += cell.after().validation;
      ++count;
    }
  }
  gp::expects(count == grid.seeds, "tune: expected ", grid.seeds, " seeds of '", setting, "' on ", grid.datasets[0],
              ", got ", count, "; see what failed above");
  return sum / static_cast<double>(count);
}

}  // namespace

std::string tune(const gp::results_file& results, gp::experiment_grid grid,
                 const std::function<void(const gp::experiment_grid&)>& run) {
  const std::vector<std::vector<std::string>> search{
      grid.settings,
      {"", " loss=paper"},
      {"", " learning-rate=0.001", " learning-rate=0.0001", " learning-rate=0.00005"},
      {"", " hidden=64", " hidden=128", " hidden=1024"},
      {"", " strength=0.1", " strength=0.2", " strength=0.4"},
  };
  // The file keeps four decimals: what differs by less is equal, or a search that goes on would choose otherwise.
  constexpr double equal = 2e-4;
  std::string best;
  for (const auto& choices : search) {
    grid.settings.clear();
    for (const auto& choice : choices) {
      grid.settings.push_back(best + choice);
    }
    run(grid);
    double highest = -1;
    for (const auto& setting : grid.settings) {
      if (const double now = validation_of(results, grid, setting); now > highest + equal) {  // the first of equals
        highest = now;
        best = setting;
      }
    }
  }
  return best;
}

gp::tuned_settings read_tuned(const std::filesystem::path& file) {
  gp::tuned_settings tuned;
  if (!std::filesystem::exists(file)) {
    return tuned;
  }
  std::ifstream in(file);
  try {
    const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto json = nlohmann::json::parse(content);
    for (const auto& [name, setting] : json.items()) {
      tuned[name] = setting.get<std::string>();
    }
  } catch (const nlohmann::json::exception& problem) {
    throw gp::file_error(
        file.string(),
        std::string("expected settings by dataset and backbone, as --tune writes them: ") + problem.what());
  } catch (const std::ios_base::failure&) {  // a directory, for one
    throw gp::file_error(file.string(), "can't be read; expected a file of settings, as --tune writes them");
  }
  return tuned;
}

void write_tuned(const std::filesystem::path& file, const gp::tuned_settings& tuned) {
  gp::write_file_atomically(file, nlohmann::ordered_json(tuned).dump(2) + "\n");
}
