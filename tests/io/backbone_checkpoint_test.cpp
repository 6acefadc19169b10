// SPDX-License-Identifier: MIT
#include "graphpatcher/io/backbone_checkpoint.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "graphpatcher/patcher/frozen_model.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"
#include "graphpatcher/version.hpp"
#include "io/checkpoint_support.hpp"
#include "support/quick_config.hpp"

namespace gp = graphpatcher;
namespace fs = std::filesystem;
using gp_test::taken_apart;

namespace {

gp::gcn_config unusual(gp::gcn_config) {
  return {.layers = 3, .hidden = 5, .dropout = 0.1, .norm = gp::normalisation::symmetric, .seed = 9};
}
gp::sage_config unusual(gp::sage_config) {
  return {.layers = 1, .hidden = 4, .dropout = 0.2, .aggregator = gp::sage_aggregator::mean, .seed = 8};
}
gp::gat_config unusual(gp::gat_config) {
  return {.layers = 3, .hidden = 3, .heads = 2, .output_heads = 2, .attention_dropout = 0.3, .slope = 0.1, .seed = 7};
}

/// A small checkpoint in a folder of its own, to be tampered with.
template <class Config>
struct saved_model {
  gp_test::temporary_folder folder;
  fs::path path = folder.path() / "model.safetensors";
  typename Config::template model_type<float> model;

  explicit saved_model(const Config& config, std::size_t features = 3, std::size_t classes = 2)
      : model(config, features, classes) {
    gp_test::scramble(model);
    gp::save_backbone(path, model, config);
  }
  void check_refused(const std::function<void(taken_apart&)>& change, const std::string& message) const {
    gp_test::check_refused(
        path, change, [](const fs::path& file) { gp::load_backbone<Config, float>(file); }, message);
  }
  void check_too_large(const std::string& from, const std::string& to) const {
    check_refused([&](taken_apart& parts) { parts.change_config(from, to); }, "more weights than the file holds");
  }
};

}  // namespace

TEMPLATE_TEST_CASE("backbone checkpoint: saved and loaded, it gives the same bits", "[checkpoint]", gp::gcn_config,
                   gp::sage_config, gp::gat_config) {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "model.safetensors";
  const auto data = toy::make<float>();
  for (const TestType& config : {TestType{}, unusual(TestType{})}) {
    typename TestType::template model_type<float> model(config, 12, 3);
    gp_test::scramble(model);
    gp::save_backbone(path, model, config, {{"dataset", "toy"}, {"remark", "for \"us\"\n"}});
    const auto back = gp::load_backbone<TestType, float>(path);
    CHECK(gp_test::weights_of(back) == gp_test::weights_of(model));
    const auto before = gp::predict(gp::cpu{}, model, data.graph, data.features);
    const auto after = gp::predict(gp::cpu{}, back, data.graph, data.features);
    CHECK(std::equal(before.values().begin(), before.values().end(), after.values().begin(), after.values().end()));
    CHECK(back.config.layers == config.layers);
    CHECK(back.config.hidden == config.hidden);
    CHECK(back.config.dropout == config.dropout);
    CHECK(back.config.seed == config.seed);
    CHECK(back.history.epochs() == 0);
    CHECK(back.info.kind == std::string(decltype(model)::name));
    CHECK(back.info.version == gp::version);
    CHECK(back.info.notes == gp::checkpoint_notes{{"dataset", "toy"}, {"remark", "for \"us\"\n"}});
    const auto any = gp::load_any_backbone<float>(path);
    std::visit([&](const auto& m) { CHECK(gp_test::weights_of(m) == gp_test::weights_of(model)); }, any);
    const auto wide = gp::load_backbone<TestType, double>(path);  // every float is a double
    CHECK(std::ranges::equal(gp_test::weights_of(wide), gp_test::weights_of(model)));
  }
}

TEMPLATE_TEST_CASE("backbone checkpoint: patching takes the same path and gives the same bits with a model from a file",
                   "[checkpoint]", gp::gcn_config, gp::sage_config, gp::gat_config) {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "model.safetensors";
  const auto data = toy::make<float>();
  const TestType config{.hidden = 4, .seed = 3};
  const auto model = gp::train_backbone(gp::cpu{}, data, config, {.max_epochs = 7});
  gp::save_backbone(path, model, config);
  auto quick = toy::quick_config();
  quick.max_iterations = 7;
  const auto expected = gp::train_patcher(gp::cpu{2}, data, model, quick);
  CHECK(expected.path == gp::patch_path::fast);
  const auto check = [&](const auto& back) {
    const auto patcher = gp::train_patcher(gp::cpu{1}, data, back, quick);
    CHECK(patcher.path == gp::patch_path::fast);
    CHECK(gp_test::weights_of(patcher.generator) == gp_test::weights_of(expected.generator));
    const gp::frozen_model frozen(gp::cpu{1}, back, data);
    CHECK(frozen.path() == gp::frozen_path::rows);
  };
  check(gp::load_backbone<TestType, float>(path));
  std::visit(check, gp::load_any_backbone<float>(path));
}

TEST_CASE("backbone checkpoint: a trained model keeps its history", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "model.safetensors";
  const auto data = toy::make<float>();
  const gp::gcn_config config{.hidden = 4, .seed = 3};
  const auto model = gp::train_backbone(gp::cpu{}, data, config, {.max_epochs = 7});
  gp::save_backbone(path, model, config);
  const auto back = gp::load_backbone<gp::gcn_config, float>(path);
  CHECK(back.history.loss == model.history.loss);
  CHECK(back.history.validation_accuracies == model.history.validation_accuracies);
  CHECK(back.history.best_epoch == model.history.best_epoch);
  CHECK(back.history.seconds == model.history.seconds);
}

TEST_CASE("backbone checkpoint: the tensors have the names of PyTorch modules", "[checkpoint]") {
  const saved_model<gp::sage_config> saved({.hidden = 4});
  const auto names = gp::safetensors_archive(saved.path).names();
  for (const char* name : {"layers.0.fc_pool.weight", "layers.0.fc_self.bias", "layers.1.fc_neigh.weight"}) {
    CHECK(std::ranges::count(names, name) == 1);
  }
  CHECK(names.size() == 10);
}

TEST_CASE("backbone checkpoint: what is no such checkpoint is refused, with the reason", "[checkpoint]") {
  const saved_model<gp::gcn_config> saved({.hidden = 2});
  using parts = taken_apart;
  const auto& check = [&](auto change, const std::string& message) { saved.check_refused(change, message); };
  check([](parts& p) { p.metadata["graphpatcher.kind"] = "sage"; }, "expected a checkpoint of kind gcn, got kind sage");
  check([](parts& p) { p.metadata["graphpatcher.format"] = "2"; }, "format 1 or older, got 2, written by graphpatcher");
  check([](parts& p) { p.metadata["graphpatcher.format"] = "0"; }, "number of a checkpoint format, got '0'");
  check([](parts& p) { p.metadata["graphpatcher.format"] = "1x"; }, "number of a checkpoint format, got '1x'");
  check([](parts& p) { p.metadata.erase("graphpatcher.format"); }, "read_state_dict() reads other safetensors files");
  check([](parts& p) { p.metadata.erase("graphpatcher.config"); }, "got a file without 'graphpatcher.config'");
  check([](parts& p) { p.metadata["graphpatcher.config"] = "{"; }, "config: expected JSON");
  check([](parts& p) { p.change_config("\"layers\":2", "\"layers\":0"); }, "expected layers in [1, 1000], got 0");
  check([](parts& p) { p.change_config("\"dropout\":0.5", "\"dropout\":1.5"); }, "dropout");
  check([](parts& p) { p.state.erase("layers.1.bias"); }, "expected a tensor 'layers.1.bias' [2], which is missing");
  check([](parts& p) { p.state["extra"] = {{1}, {0}}; }, "and no more, got the tensor 'extra' as well");
  check([](parts& p) { p.state["layers.0.weight"].shape = {2, 3}; }, "expected shape [3, 2], got [2, 3]");
  check([](parts& p) { p.state["layers.0.bias"].values[1] = std::nanf(""); }, "expected finite numbers");
  check([](parts& p) { p.change_config("\"hidden\":2", "\"hidden\":1"); }, "expected shape [3, 1], got [3, 2]");
  CHECK_THROWS_AS((gp::load_backbone<gp::gcn_config, float>(saved.folder.path() / "none.safetensors")), gp::file_error);
  auto patcher = taken_apart(saved.path);
  patcher.metadata["graphpatcher.kind"] = "patcher";
  patcher.write(saved.folder.path() / "patcher.safetensors");
  CHECK_THROWS_WITH(gp::load_any_backbone<float>(saved.folder.path() / "patcher.safetensors"),
                    Catch::Contains("kind gcn, sage or gat, got kind patcher"));
}

TEST_CASE("backbone checkpoint: a config that asks for more than the file holds makes no model", "[checkpoint]") {
  const saved_model<gp::gcn_config> gcn({.hidden = 2});
  gcn.check_too_large("\"layers\":2", "\"layers\":1099511627776");
  gcn.check_too_large("\"hidden\":2", "\"hidden\":4611686018427387904");
  gcn.check_too_large("\"features\":3", "\"features\":1000");
  gcn.check_too_large("\"features\":3", "\"features\":18446744073709551615");
  gcn.check_too_large("\"classes\":2", "\"classes\":1099511627776");
  gcn.check_refused(
      [](taken_apart& p) {
        p.change_config("\"features\":3", "\"features\":0");
        p.change_config("\"hidden\":2", "\"hidden\":1099511627776");
      },
      "more weights than the file holds");
  const saved_model<gp::sage_config> sage({.hidden = 40}, 1, 1);  // 1844 values; 40 x 40 of them pool
  sage.check_too_large("\"hidden\":40", "\"hidden\":500");        // 500 x 500 would
  const saved_model<gp::gat_config> gat({.hidden = 2, .heads = 2});
  gat.check_too_large("\"heads\":2", "\"heads\":9223372036854775808");
  gat.check_too_large("\"output_heads\":1", "\"output_heads\":4294967296");
  gat.check_refused(
      [](taken_apart& p) {
        p.change_config("\"features\":3", "\"features\":0");
        p.change_config("\"heads\":2", "\"heads\":4294967296");
        p.change_config("\"hidden\":2", "\"hidden\":4294967296");
      },
      "more weights than the file holds");
}

TEST_CASE("backbone checkpoint: no damage of the header or of the length goes unnoticed", "[checkpoint]") {
  const saved_model<gp::gcn_config> saved({.hidden = 2});
  const std::string good = gp_test::content_of(saved.path);
  const auto original = gp_test::weights_of(saved.model);
  const auto load = [](const std::string& bytes) {
    return gp::load_backbone<gp::gcn_config, float>(gp::safetensors_archive("damaged", gp_test::bytes_of(bytes)));
  };
  std::uint64_t length = 0;
  std::memcpy(&length, good.data(), sizeof(length));
  std::size_t refused = 0;
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < 8 + length; ++at) {
    for (const char other : {'\0', '"', '0', '}', '\xFF', static_cast<char>(good[at] ^ 1)}) {
      std::string bad = good;
      bad[at] = other;
      try {
        // Another seed or version can't be told from damage, but the weights must be those of the file.
        accepted += gp_test::weights_of(load(bad)) == original;
      } catch (const gp::file_error&) {
        ++refused;
      }
    }
  }
  CHECK(refused + accepted == 6 * (8 + length));
  CHECK(refused >= 2 * length);  // a zero and a 0xFF can't stand anywhere in it
  for (std::size_t size = 0; size < good.size(); ++size) {
    CHECK_THROWS_AS(load(good.substr(0, size)), gp::format_error);
  }
  CHECK_THROWS_AS(load(good + '\0'), gp::format_error);
}

TEST_CASE("backbone checkpoint: saving with another config, name or folder is refused", "[checkpoint]") {
  const saved_model<gp::gcn_config> saved({.hidden = 2});
  const std::string before = gp_test::content_of(saved.path);
  const auto save = [&](const fs::path& path, const gp::gcn_config& config) {
    gp::save_backbone(path, saved.model, config);
  };
  CHECK_THROWS_WITH(save(saved.path, {.hidden = 3}), Catch::Contains("was it made with another?"));
  CHECK_THROWS_WITH(save(saved.path, {.layers = 1, .hidden = 2}), Catch::Contains("was it made with another?"));
  CHECK_THROWS_AS(save(saved.folder.path() / "model.pt", {.hidden = 2}), gp::argument_error);
  CHECK_THROWS_AS(save(saved.folder.path() / "no" / "model.safetensors", {.hidden = 2}), gp::file_error);
  CHECK(gp_test::content_of(saved.path) == before);
}

TEST_CASE("backbone checkpoint: killed 200 times while saving, the file is always whole", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "model.safetensors";
  const gp::gcn_config config{.hidden = 64};
  gp::gcn_backbone<float> models[] = {{config, 200, 7}, {config, 200, 7}};
  gp_test::scramble(models[0], 1);
  gp_test::scramble(models[1], 2);
  gp::save_backbone(path, models[0], config);
  const std::vector<float> weights[] = {gp_test::weights_of(models[0]), gp_test::weights_of(models[1])};
  std::mt19937 random(1);
  std::uniform_int_distribution<int> microseconds(0, 20000);
  std::size_t whole = 0;
  for (int round = 0; round < 200; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (unsigned turn = 0;; ++turn) {
        gp::save_backbone(path, models[turn % 2], config);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto now = gp_test::weights_of(gp::load_backbone<gp::gcn_config, float>(path));
    whole += now == weights[0] || now == weights[1];
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) <= 2);  // the file and ".model.safetensors.tmp"
  }
  CHECK(whole == 200);
}
