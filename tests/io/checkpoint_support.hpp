// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "graphpatcher/io/checkpoint.hpp"
#include "io/pickle_writer.hpp"
#include "support/toy_data.hpp"

namespace gp_test {

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Every weight of a model, one after another.
template <class Model>
std::vector<typename Model::scalar_type> weights_of(Model model) {
  std::vector<typename Model::scalar_type> all;
  for (const auto* p : model.parameters()) {
    all.insert(all.end(), p->value.values().begin(), p->value.values().end());
  }
  return all;
}

/// No weight is what a constructor would make it, biases included.
template <class Model>
void scramble(Model& model, unsigned seed = 1) {
  using T = typename Model::scalar_type;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  for (auto* p : model.parameters()) {
    for (auto& number : p->value.values()) {
      number = static_cast<T>(value(random));
    }
  }
}

/// A checkpoint taken apart, to be put together otherwise.
struct taken_apart {
  std::map<std::string, std::string> metadata;
  graphpatcher::state_dict<float> state;

  explicit taken_apart(const std::filesystem::path& path)
      : metadata(graphpatcher::safetensors_archive(path).metadata()),
        state(graphpatcher::read_state_dict<float>(path)) {}

  /// Replaces the first `from` of the config, which must be there.
  void change_config(const std::string& from, const std::string& to) {
    auto& config = metadata.at("graphpatcher.config");
    const auto place = config.find(from);
    INFO(from << " in " << config);
    REQUIRE(place != std::string::npos);
    config.replace(place, from.size(), to);
  }
  void write(const std::filesystem::path& path) const { graphpatcher::write_state_dict(path, state, metadata); }
};

/// Puts the checkpoint together otherwise; `load` of that must throw a file_error that says `message`.
template <class Load>
void check_refused(const std::filesystem::path& path, const std::function<void(taken_apart&)>& change, const Load& load,
                   const std::string& message) {
  const auto forged = path.parent_path() / "forged.safetensors";
  taken_apart parts(path);
  change(parts);
  parts.write(forged);
  try {
    load(forged);
    FAIL_CHECK("no error, expected: " << message);
  } catch (const graphpatcher::file_error& failure) {
    CHECK(failure.path() == forged.string());
    CHECK_THAT(failure.what(), Catch::Contains(message));
  }
}

}  // namespace gp_test
