// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cmath>
#include <graphpatcher/graphpatcher.hpp>
#include <iostream>
#include <map>
#include <numeric>
#include <string>

namespace gp = graphpatcher;

// What a GCN says of every node while its neighbours come and go: corrupted ego-graphs by the million, in a loop of
// your own. Without --dataset it takes the embedded one.
int main(int argc, char** argv) {
  std::map<std::string, std::string> options{{"--dataset", ""}, {"--data", "data"}};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc || !options.contains(argv[i])) {
      std::cerr << "usage: ego_propagation [--dataset NAME] [--data FOLDER]\n";
      return 2;
    }
    options[argv[i]] = argv[i + 1];
  }
  const auto name = options["--dataset"];
  const auto data =
      name.empty() ? gp::make_degree_biased<float, int>() : gp::load_dataset(name, {.root = options["--data"]});

  const gp::cpu exec;
  const auto model = gp::train_backbone(exec, data, gp::gcn_config{.seed = 1}, {.max_epochs = 200});
  const gp::frozen_model frozen(exec, model, data);  // from here on model and data stay as they are
  std::cout << "the path '" << gp::word_of(frozen.path()) << "': " << frozen.why() << '\n';

  const std::size_t samples = 10, rounds = 100;
  std::vector<int> nodes(data.nodes());
  std::iota(nodes.begin(), nodes.end(), 0);
  gp::matrix<float> logits(nodes.size() * samples, data.classes);  // row v * samples + s: node v under its mask s
  std::size_t right = 0;
  std::chrono::duration<double> time{};
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    frozen.answer(nodes, {.strength = 0.3, .samples = samples, .seed = round}, {.logits = logits.view()});
    time += std::chrono::steady_clock::now() - start;
    for (std::size_t row = 0; row < logits.rows(); ++row) {  // whatever you want to know
      const auto scores = logits.row(row);
      right += std::max_element(scores.begin(), scores.end()) - scores.begin() == data.labels[row / samples];
    }
  }
  const std::size_t egos = rounds * logits.rows();
  std::cout << "right: " << 100 * right / egos << " % of " << egos << " answers\n"
            << std::llround(static_cast<double>(egos) / time.count()) << " ego-graphs/s\n";
}
