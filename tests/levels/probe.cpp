// SPDX-License-Identifier: MIT
// Prints the level in use and the bits of what a small training and its patches come to, for comparison between
// processors.
#include <cstring>
#include <iostream>

#include "graphpatcher/core/levels.hpp"
#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"

namespace gp = graphpatcher;

namespace {

/// FNV-1a over the bytes of numbers.
std::uint64_t fingerprint(const gp::matrix<float>& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const float value : numbers.values()) {
    unsigned char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    for (const unsigned char byte : bytes) {
      hash = (hash ^ byte) * 0x100000001b3U;
    }
  }
  return hash;
}

template <class Config>
void run(const gp::dataset<float, int>& data, const Config& config) {
  const gp::cpu exec{1};
  const auto model = gp::train_backbone(exec, data, config, {.max_epochs = 2});
  const auto patcher = gp::train_patcher(
      exec, data, model,
      {.hidden = 16, .samples = 2, .batch = 16, .max_iterations = 2, .warmup = 1, .evaluate_every = 2, .quiet = true});
  const auto patched =
      gp::patch_nodes(exec, data.graph, data.features, model, patcher.generator, data.split.test, {.patches = 1});
  std::cout << Config::template model_type<float>::name << ' ' << std::hex
            << fingerprint(gp::predict(exec, model, data.graph, data.features)) << ' ' << fingerprint(patched.logits[1])
            << '\n';
}

}  // namespace

int main() try {
  std::cout << "level " << gp::level_in_use() << '\n';
  const auto data = gp::make_degree_biased<float, int>({.nodes = 120,
                                                        .classes = 3,
                                                        .vocabulary = 60,
                                                        .words_per_node = 6,
                                                        .topic_words = 20,
                                                        .train_per_class = 5,
                                                        .validation = 20,
                                                        .test = 20});
  run(data, gp::gcn_config{.hidden = 8, .norm = gp::normalisation::symmetric, .seed = 1});
  run(data, gp::sage_config{.hidden = 8, .seed = 1});
  run(data, gp::gat_config{.hidden = 4, .heads = 2, .seed = 1});
} catch (const std::exception& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
