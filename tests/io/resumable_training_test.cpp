// SPDX-License-Identifier: MIT
#include "graphpatcher/io/resumable_training.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "graphpatcher/models/gcn.hpp"
#include "io/checkpoint_support.hpp"
#include "support/quick_config.hpp"

namespace gp = graphpatcher;
namespace fs = std::filesystem;

namespace {

gp::patcher_config longer_config() {
  auto config = toy::quick_config();
  config.max_iterations = 40;
  config.patience = 100;
  return config;
}

void check_same(const gp::trained_patcher<float>& a, const gp::trained_patcher<float>& b) {
  CHECK(gp_test::weights_of(a.generator) == gp_test::weights_of(b.generator));
  CHECK(a.iterations == b.iterations);
  CHECK(a.best_iteration == b.best_iteration);
  REQUIRE(a.evaluations.size() == b.evaluations.size());
  for (std::size_t e = 0; e < a.evaluations.size(); ++e) {
    CHECK(a.evaluations[e].iteration == b.evaluations[e].iteration);
    CHECK(a.evaluations[e].training_loss == b.evaluations[e].training_loss);
    CHECK(a.evaluations[e].score() == b.evaluations[e].score());
  }
}

/// A training that asks itself to stop at iteration `stop`, as Ctrl-C would: before the file is due, or after.
template <class Data, class Model>
void train_and_stop(const Data& data, const Model& model, const gp::patcher_config& config, const fs::path& path,
                    std::size_t stop, bool noticed) {
  const gp::interrupt_scope scope;
  gp::detail::training_keeper<float> keeper(path, gp::fingerprint(data) + ", " + gp::fingerprint(model), {.every = 7});
  gp::training_watch<float> watch;
  watch.begin = [&](auto& now) { keeper.begin(now); };
  watch.between = [&](auto& now) {
    if (now.loop.iterations == stop && noticed) {
      ::raise(SIGINT);
    }
    keeper.between(now);
    if (now.loop.iterations == stop && !noticed) {
      ::raise(SIGINT);
    }
  };
  CHECK_THROWS_AS(gp::train_patcher(gp::cpu{}, data, model, config, watch), gp::interrupted_error);
}

}  // namespace

TEST_CASE("resumable training: interrupted anywhere, it ends with the same bits", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "training.safetensors";
  const auto data = toy::make<float>();
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  auto config = longer_config();
  config.path = GENERATE(gp::patch_path::fast, gp::patch_path::generic);
  config.stop = GENERATE(gp::stop_rule::accuracy, gp::stop_rule::loss);
  config.accumulate = GENERATE(1u, 3u);
  const auto whole = gp::train_patcher(gp::cpu{}, data, model, config);

  train_and_stop(data, model, config, path, 9, true);  // a multiple of 3: saved there
  CHECK(fs::exists(path));
  train_and_stop(data, model, config, path, 13, false);  // not saved there
  train_and_stop(data, model, config, path, 32, true);   // saved there unless gradients wait
  const auto resumed = gp::train_patcher_resumably(gp::cpu{2}, data, model, config, path, {.every = 7});
  check_same(resumed, whole);
  const auto again = gp::train_patcher_resumably(gp::cpu{}, data, model, config, path);  // from the last file
  check_same(again, whole);
}

TEST_CASE("resumable training: without interruption it is train_patcher()", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "training.safetensors";
  const auto data = toy::make<float>();
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  auto config = longer_config();
  config.patience = 2;
  const auto whole = gp::train_patcher(gp::cpu{}, data, model, config);
  check_same(gp::train_patcher_resumably(gp::cpu{}, data, model, config, path, {.every = 10}), whole);
  CHECK(gp::read_checkpoint_info(path).kind == "training");
  CHECK_THROWS_AS(gp::train_patcher_resumably(gp::cpu{}, data, model, config, path, {.every = 0}), gp::argument_error);
}

TEST_CASE("resumable training: killed again and again, it ends with the same bits", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "training.safetensors";
  const auto done = folder.path() / "patcher.safetensors";
  const auto data = toy::make<float>();
  const gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  const auto config = longer_config();
  std::mt19937 random(1);
  std::uniform_int_distribution<int> microseconds(
      500, 8000);  // every write forces the disk, which takes longer than an iteration
  int killed = 0;
  for (int round = 0; round < 500 && !fs::exists(done); ++round) {
    const pid_t child = ::fork();
    if (child == 0) {  // one thread: those of the parent are not here
      gp::save_patcher(done, gp::train_patcher_resumably(gp::cpu{1}, data, model, config, path, {.every = 1}));
      ::_exit(0);
    }
    // Later rounds get more time, so that a slow machine gets to the end too.
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random) * (1 + round / 20)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
  }
  REQUIRE(fs::exists(done));
  CHECK(killed > 1);
  check_same(gp::load_patcher<float>(done), gp::train_patcher(gp::cpu{1}, data, model, config));
}

TEST_CASE("resumable training: a file of another training is refused, with the reason", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "training.safetensors";
  auto data = toy::make<float>();
  gp::gcn_backbone<float> model({.hidden = 8}, 12, 3);
  auto config = longer_config();
  config.path = gp::patch_path::automatic;
  gp::train_patcher_resumably(gp::cpu{}, data, model, config, path, {.every = 10});
  const auto check = [&](const std::string& message) {
    const auto resume = [&](const fs::path& file) {
      gp::train_patcher_resumably(gp::cpu{}, data, model, config, file);
    };
    gp_test::check_refused(
        path, [](auto&) {}, resume, message);
  };
  SECTION("another config") {
    config.learning_rate = 0.5;
    check("made with learning_rate = 0.01, not 0.5; take the same config");
  }
  SECTION("another way of showing it is no other training") {
    config.quiet = false;
    CHECK_NOTHROW(gp::train_patcher_resumably(gp::cpu{}, data, model, config, path));
  }
  SECTION("another backbone") {
    model.layers[1].bias.value(0, 0) = 1;
    check("another dataset or backbone");
  }
  SECTION("another split") {
    std::swap(data.split.train, data.split.validation);
    check("another dataset or backbone");
  }
  SECTION("forged iterations") {
    const auto resume = [&](const fs::path& file) {
      gp::train_patcher_resumably(gp::cpu{}, data, model, config, file);
    };
    gp_test::check_refused(
        path, [](auto& parts) { parts.change_config("\"iterations\":30", "\"iterations\":1000"); }, resume,
        "at most 40, got 1000");
    gp_test::check_refused(
        path,
        [](auto& parts) {
          parts.change_config("\"path\":\"fast\",\"iterations\"", "\"path\":\"generic\",\"iterations\"");
        },
        resume, "begun on the generic path, not the fast one");
  }
}
