// SPDX-License-Identifier: MIT
// same_bits THREADS...: does everything that is promised to be the same bits, for each number of threads and each time
// with another split of the anchors, and prints a line "what was done: hash of its numbers" for each.
//
// Lines that say the same was done have to have the same hash: within a run, between runs, between a program that links
// graphpatcher::compiled and one whose headers were compiled for the level that it uses, and, for "draws", between
// levels. same_bits.py runs them and compares.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "graphpatcher/core/levels.hpp"
#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/methods/method.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/ops/dropout.hpp"
#include "graphpatcher/patcher/frozen_model.hpp"
#include "support/fingerprint.hpp"
#if GRAPHPATCHER_COMPILED
#include "graphpatcher/methods/registry.hpp"
#else
#include "kernels/cpu/methods.hpp"
#endif

namespace gp = graphpatcher;
using node_id = std::int32_t;

// The registry is a part of graphpatcher::compiled; its list can be compiled by others.
#if GRAPHPATCHER_COMPILED
using known_methods = gp::methods;
#else
using known_methods = gp::all_methods;
#endif

namespace {

using support::fingerprint;

void tell(const std::string& what, const fingerprint& numbers) {
  std::cout << what << ": " << std::hex << numbers.hash() << std::dec << '\n';
}

/// The long form iterates as often on the generic path as elsewhere.
const bool is_long = std::getenv("GRAPHPATCHER_LONG_TESTS") != nullptr;
constexpr std::size_t iterations = 100;

/// Large enough that matrices and edges are cut into pieces for threads.
gp::dataset<float, node_id> some_data() {
  return gp::make_degree_biased<float, node_id>({.nodes = 400,
                                                 .classes = 4,
                                                 .vocabulary = 120,
                                                 .words_per_node = 8,
                                                 .topic_words = 25,
                                                 .train_per_class = 30,
                                                 .validation = 60,
                                                 .test = 150});
}

gp::patcher_config patcher_settings(gp::patch_loss loss) {
  gp::patcher_config config;
  config.loss = loss;
  config.hidden = 48;
  config.samples = 3;
  config.learning_rate = 1e-3;
  config.max_iterations = iterations;
  config.warmup = 20;
  config.evaluate_every = 20;
  config.patience = iterations;
  config.patches = 2;
  config.quiet = true;
  return config;
}

/// One way of doing it.
struct way {
  gp::cpu exec;
  std::size_t split;  ///< anchors at once, where they can be cut
};

/// Calls part(anchors) on all of them, `split` at a time.
template <class Part>
void in_parts(std::span<const node_id> anchors, std::size_t split, Part&& part) {
  for (std::size_t begin = 0; begin < anchors.size(); begin += split) {
    part(anchors.subspan(begin, std::min(split, anchors.size() - begin)));
  }
}

template <class Model>
void tell_patching(const std::string& name, const gp::dataset<float, node_id>& data, const Model& model,
                   const gp::patch_generator<float>& generator, gp::patch_path path, const way& now) {
  const std::span<const node_id> test(data.split.test);
  const gp::patching_options options{.patches = 3, .batch = now.split, .path = path};
  const auto whole =
      gp::patch_nodes(now.exec, data.graph, data.features, model, generator, test, options);  // cut inside
  tell(name + ", patched", fingerprint().all(whole.logits));
  std::vector<std::vector<float>> joined(options.patches + 1);  // cut outside
  in_parts(test, now.split, [&](std::span<const node_id> part) {
    const auto some = gp::patch_nodes(now.exec, data.graph, data.features, model, generator, part, options);
    for (std::size_t k = 0; k < joined.size(); ++k) {
      joined[k].insert(joined[k].end(), some.logits[k].values().begin(), some.logits[k].values().end());
    }
  });
  fingerprint parts;
  for (const auto& logits : joined) {
    parts.all(logits);
  }
  tell(name + ", patched", parts);
}

template <class Model>
void tell_frozen(const std::string& name, const gp::dataset<float, node_id>& data, const Model& model,
                 gp::frozen_path path, const way& now) {
  const gp::frozen_model<float, node_id> frozen(now.exec, model, data, {.path = path});
  fingerprint answers;
  for (const double strength : {0.0, 0.3, 1.0}) {
    const gp::corruption_options options{.strength = strength, .samples = 5, .seed = 7};
    in_parts(data.split.test, now.split, [&](std::span<const node_id> part) {
      gp::matrix<float> logits(part.size() * options.samples, data.classes);
      frozen.answer(part, options, {.logits = logits.view()});
      answers.all(logits.values());
    });
  }
  tell(name + ", frozen answers", answers);
}

/// A backbone, patchers for it on either path, and what they answer.
template <class Config>
void tell_trainings(const std::string& name, const gp::dataset<float, node_id>& data, const Config& config,
                    gp::patcher_config patching, const way& now) {
  auto model = gp::train_backbone(now.exec, data, config, {.learning_rate = 0.01, .max_epochs = iterations});
  tell(name + ", backbone trained",
       fingerprint().weights(model).all(model.history.loss).all(model.history.validation_accuracies));
  tell(name + ", predicted", fingerprint().all(gp::predict(now.exec, model, data.graph, data.features).values()));
  for (const auto path : {gp::patch_path::fast, gp::patch_path::generic}) {
    const bool fast = path == gp::patch_path::fast;
    const std::string on_path = name + (fast ? ", fast" : ", generic");
    patching.path = path;
    patching.max_iterations = fast || is_long ? iterations : 20;
    auto trained = gp::train_patcher(now.exec, data, model, patching);
    fingerprint weights;
    weights.weights(trained.generator);
    for (const auto& evaluation : trained.evaluations) {  // the losses depend on the weights of every iteration
      weights.add(evaluation.training_loss).all(evaluation.validation_accuracies);
    }
    tell(on_path + ", patcher trained", weights);
    tell_patching(on_path, data, model, trained.generator, path, now);
    tell_frozen(on_path, data, model, fast ? gp::frozen_path::rows : gp::frozen_path::generic, now);
  }
}

void tell_methods(const gp::dataset<float, node_id>& data, const way& now) {
  const gp::gcn_config config{.hidden = 16, .seed = 1};
  const gp::fit_options fit{.learning_rate = 0.02, .max_epochs = 20};
  const gp::gcn_backbone<float> untrained(config, data.features.cols(), data.classes);
  auto little = fit;  // TuneUp keeps what it is given where it makes nothing better
  little.max_epochs = 2;
  const gp::gcn_backbone<float> trained = gp::train_backbone(now.exec, data, config, little);
  for (const auto& info : known_methods::infos) {
    gp::method_run<float, node_id> run{.exec = now.exec,
                                       .data = &data,
                                       .seed = 1,
                                       .untrained = untrained,
                                       .fit = fit,
                                       .patcher = patcher_settings(gp::patch_loss::paper),
                                       .backbone = trained};
    known_methods::run(info.name, run);
    fingerprint answers;
    answers.weights(run.backbone).all(run.predict(data.split.test, 2));
    tell("method " + std::string(info.name), answers);
  }
}

/// Random numbers: integer arithmetic, the same at every level.
void tell_draws(const gp::dataset<float, node_id>& data, const way& now) {
  const auto batch = gp::make_ego_batch<node_id>(now.exec, data.graph, data.split.test, {.hops = 2});
  const auto masks = gp::corrupt(now.exec, batch, {.strength = 0.4, .samples = 6, .seed = 3});
  fingerprint kept;
  for (const auto bit : masks.keep) {
    kept.add(std::uint64_t{bit});
  }
  tell("draws, masks", kept);
  gp::matrix<float> ones(50, 30);
  std::ranges::fill(ones.values(), 1.0f);
  gp::matrix<float> dropped(50, 30);
  gp::dropout<float, node_id>(now.exec, {gp::random_stream(9, gp::purpose::dropout), 0.3}, {}, ones, dropped);
  tell("draws, dropout", fingerprint().all(dropped.values()));
  fingerprint graph;
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    for (const node_id neighbor : data.graph.neighbors(v)) {
      graph.add(static_cast<std::uint64_t>(neighbor));
    }
  }
  tell("draws, generated graph", graph);
  gp::gcn_backbone<float> uniform({.hidden = 16, .seed = 4}, data.features.cols(), data.classes);
  gp::gat_backbone<float> normal({.hidden = 4, .seed = 4}, data.features.cols(), data.classes);
  tell("draws, first weights", fingerprint().weights(uniform).weights(normal));
}

}  // namespace

int main(int count, char** arguments) try {
  std::cout << "level " << gp::level_in_use() << "\nlevels";
  for (const auto level : gp::levels_available()) {
    std::cout << ' ' << level;
  }
  std::cout << '\n';
  const auto data = some_data();
  const std::size_t splits[] = {64, 150, 7, 33};
  for (int i = 1; i < count; ++i) {
    const way now{{.threads = std::stoi(arguments[i])}, splits[static_cast<std::size_t>(i) % std::size(splits)]};
    auto settings = patcher_settings(gp::patch_loss::released);
    tell_draws(data, now);
    tell_trainings("gcn", data, gp::gcn_config{.hidden = 64, .norm = gp::normalisation::symmetric, .seed = 1}, settings,
                   now);
    settings.loss = gp::patch_loss::paper;
    settings.estimator = gp::estimator::exact;
    tell_trainings("sage", data, gp::sage_config{.hidden = 24, .seed = 1}, settings, now);
    settings.estimator = gp::estimator::sampled;
    settings.target = gp::patch_target::spread;
    tell_trainings("gat", data, gp::gat_config{.hidden = 6, .heads = 4, .seed = 1}, settings, now);
    tell_methods(data, now);
  }
} catch (const std::exception& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
