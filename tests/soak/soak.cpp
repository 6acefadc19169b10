// SPDX-License-Identifier: MIT
// soak [SECONDS]: trains, patches, answers, evaluates, writes and reads the same small things again and again. The
// memory that the program holds must not grow after the first rounds, and every round must give the bits of the first.
// Without SECONDS it goes on for a few, or for ten minutes where GRAPHPATCHER_LONG_TESTS is set. Exit code: 0 all is
// flat, 1 it isn't.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/eval/report.hpp"
#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/io/patcher_checkpoint.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"
#include "support/fingerprint.hpp"

namespace gp = graphpatcher;
namespace fs = std::filesystem;
using support::fingerprint;
using node_id = std::int32_t;

namespace {

/// Bytes that are asked for and not given back, in all arenas of the heap.
std::size_t heap_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::size_t resident_bytes() {
  std::size_t pages = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

gp::patcher_config patcher_settings(gp::patch_path path) {
  gp::patcher_config config;
  config.hidden = 32;
  config.samples = 3;
  config.max_iterations = 6;
  config.warmup = 2;
  config.evaluate_every = 2;
  config.patches = 2;
  config.path = path;
  config.quiet = true;
  return config;
}

template <class Config>
void run(const gp::cpu& exec, const gp::dataset<float, node_id>& data, const Config& config, const fs::path& folder,
         fingerprint& bits) {
  auto model = gp::train_backbone(exec, data, config, {.max_epochs = 4});
  bits.weights(model);
  for (const auto path : {gp::patch_path::fast, gp::patch_path::generic}) {
    const auto trained = gp::train_patcher(exec, data, model, patcher_settings(path));
    gp::save_patcher(folder / "patcher.safetensors", trained);
    auto patcher = gp::load_patcher<float>(folder / "patcher.safetensors");
    const auto result = gp::evaluate(exec, data, model, patcher, {.patches = 2});
    result.write_json(folder / "result.json");
    result.write_html(folder / "report.html");
    const auto record = gp::read_json(folder / "result.json");
    bits.weights(patcher.generator).add(record.runs.front().by_patches.back().overall);
  }
  for (const auto path : {gp::frozen_path::rows, gp::frozen_path::generic}) {
    const gp::frozen_model<float, node_id> frozen(exec, model, data, {.path = path});
    gp::matrix<float> logits(data.split.test.size() * 4, data.classes);
    frozen.answer(data.split.test, {.strength = 0.4, .samples = 4, .seed = 1}, {.logits = logits.view()});
    bits.all(logits.values());
  }
  try {  // an error on the way leaves nothing behind either
    gp::train_backbone(exec, data, config, {.learning_rate = 1e38, .max_epochs = 3});
  } catch (const gp::numeric_error&) {
    bits.add(std::uint64_t{1});
  }
}

std::uint64_t round_of_everything(const gp::dataset<float, node_id>& data, const fs::path& folder) {
  fingerprint bits;
  run(gp::cpu{2}, data, gp::gcn_config{.hidden = 16, .seed = 1}, folder, bits);
  run(gp::cpu{2}, data, gp::gat_config{.hidden = 4, .heads = 2, .seed = 1}, folder, bits);
  return bits.hash();
}

}  // namespace

int main(int count, char** arguments) try {
  using clock = std::chrono::steady_clock;
  const double unasked = std::getenv("GRAPHPATCHER_LONG_TESTS") != nullptr ? 600 : 4;
  const double seconds = count > 1 ? std::stod(arguments[1]) : unasked;
  const auto data = gp::make_degree_biased<float, node_id>({.nodes = 200,
                                                            .classes = 3,
                                                            .vocabulary = 60,
                                                            .words_per_node = 6,
                                                            .topic_words = 20,
                                                            .train_per_class = 10,
                                                            .validation = 40,
                                                            .test = 60});
  const fs::path folder = fs::temp_directory_path() / ("graphpatcher_soak_" + std::to_string(getpid()));
  fs::create_directory(folder);
  const auto started = clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(clock::now() - started).count(); };

  constexpr std::size_t warm_up = 5;
  constexpr std::size_t heap_slack = std::size_t{64} << 10;     // what the allocator keeps for its threads
  constexpr std::size_t resident_slack = std::size_t{8} << 20;  // fragments
  const std::uint64_t expected = round_of_everything(data, folder);
  std::size_t rounds = 1;
  std::size_t heap = 0;
  std::size_t resident = 0;
  std::size_t most_heap = 0;
  std::size_t most_resident = 0;
  bool same = true;
  for (; rounds <= warm_up + 1 || passed() < seconds; ++rounds) {
    same = round_of_everything(data, folder) == expected && same;
    if (rounds <= warm_up) {
      heap = std::max(heap, heap_bytes());
      resident = std::max(resident, resident_bytes());
    } else {
      most_heap = std::max(most_heap, heap_bytes());
      most_resident = std::max(most_resident, resident_bytes());
    }
  }
  fs::remove_all(folder);
  const bool flat = most_heap <= heap + heap_slack && most_resident <= resident + resident_slack;
  std::cout << rounds << " rounds in " << passed() << " s; in kB, after " << warm_up
            << " rounds and at most since: heap " << heap / 1024 << ", " << most_heap / 1024 << "; resident "
            << resident / 1024 << ", " << most_resident / 1024 << (flat ? "; flat" : "; it grows")
            << (same ? ", same bits\n" : ", OTHER BITS\n");
  return flat && same ? 0 : 1;
} catch (const std::exception& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
