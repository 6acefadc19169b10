// SPDX-License-Identifier: MIT
#include "graphpatcher/io/training_checkpoint.hpp"

#include "graphpatcher/io/torch_names.hpp"
#include "io/checkpoint_support.hpp"

namespace gp = graphpatcher;
using gp_test::taken_apart;

namespace {

using model_type = gp::gcn_backbone<float>;

/// A model, the best one so far and an optimiser that is on its way.
template <class Optimizer>
struct training {
  model_type model{{.hidden = 2}, 3, 2};
  model_type best{{.hidden = 2}, 3, 2};
  Optimizer optimizer;

  explicit training(double lr) : optimizer(model.parameters(), {.learning_rate = lr, .weight_decay = 0.25}) {}

  /// Made-up gradients, each step's its own; the first bias gets one only every second time.
  void step(int number) {
    int index = 0;
    for (auto* p : model.parameters()) {
      if (++index == 2 && number % 2 == 1) {
        continue;
      }
      const auto gradient = p->open_gradient();
      for (std::size_t c = 0; c < gradient.cols(); ++c) {
        for (std::size_t r = 0; r < gradient.rows(); ++r) {
          gradient(r, c) = static_cast<float>(index * number) - static_cast<float>(r + 3 * c);
        }
      }
    }
    optimizer.step(gp::cpu{});
  }
};

}  // namespace

TEMPLATE_TEST_CASE("training checkpoint: an optimiser goes on as if it had not been interrupted", "[checkpoint]",
                   gp::adam<float>, gp::adamw<float>) {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "training.safetensors";
  training<TestType> whole(0.125);
  for (int number = 1; number <= 4; ++number) {
    whole.step(number);
  }
  gp_test::scramble(whole.best);
  const auto names = gp::dgl_names(whole.model);
  const gp::training_state state{.iteration = 4, .best_iteration = 2, .best_score = 0.1, .seed = 5};
  gp::save_training(path, whole.model, whole.best, whole.optimizer, state, names);
  for (int number = 5; number <= 8; ++number) {
    whole.step(number);
  }

  training<TestType> resumed(1.0);  // another rate: the file's counts
  const auto back = gp::load_training(path, resumed.model, resumed.best, resumed.optimizer, names);
  CHECK(back.iteration == 4);
  CHECK(back.best_iteration == 2);
  CHECK(back.best_score == 0.1);
  CHECK(back.seed == 5);
  CHECK(resumed.optimizer.options.learning_rate == 0.125);
  CHECK(gp_test::weights_of(resumed.best) == gp_test::weights_of(whole.best));
  CHECK(gp_test::weights_of(resumed.model) != gp_test::weights_of(whole.model));
  for (int number = 5; number <= 8; ++number) {
    resumed.step(number);
  }
  CHECK(gp_test::weights_of(resumed.model) == gp_test::weights_of(whole.model));
}

TEST_CASE("training checkpoint: a rate under its name of before is read", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "training.safetensors";
  training<gp::adam<float>> saved(0.125);
  const auto names = gp::dgl_names(saved.model);
  gp::save_training(path, saved.model, saved.best, saved.optimizer, gp::training_state{}, names);
  taken_apart parts(path);
  parts.change_config("\"learning_rate\":0.125", "\"lr\":0.25");
  parts.write(path);
  gp::load_training(path, saved.model, saved.best, saved.optimizer, names);
  CHECK(saved.optimizer.options.learning_rate == 0.25);
}

TEST_CASE("training checkpoint: what doesn't fit is refused and changes nothing", "[checkpoint]") {
  const gp_test::temporary_folder folder;
  const auto path = folder.path() / "training.safetensors";
  training<gp::adamw<float>> saved(0.125);
  saved.step(1);
  const auto names = gp::dgl_names(saved.model);
  gp::save_training(path, saved.model, saved.best, saved.optimizer, gp::training_state{}, names);

  training<gp::adamw<float>> target(0.5);
  const auto before = gp_test::weights_of(target.model);
  const auto load = [&](const std::filesystem::path& file) {
    gp::load_training(file, target.model, target.best, target.optimizer, names);
  };
  const auto check = [&](const std::function<void(taken_apart&)>& change, const std::string& message) {
    gp_test::check_refused(path, change, load, message);
  };
  using parts = taken_apart;
  check([](parts& p) { p.metadata["graphpatcher.kind"] = "patcher"; }, "kind training, got kind patcher");
  check([](parts& p) { p.change_config("\"adamw\"", "\"adam\""); }, "expected the state of adamw, got that of adam");
  check([](parts& p) { p.change_config("\"beta1\":0.9", "\"beta1\":1.5"); }, "expected beta1 in [0, 1), got 1.5");
  check([](parts& p) { p.change_config("\"learning_rate\":0.125", "\"learning_rate\":null"); },
        "expected learning_rate >= 0, got nan");
  check([](parts& p) { p.change_config("\"steps\":[", "\"steps\":[7,"); }, "steps of 4 parameters, got 5");
  check([](parts& p) { p.change_config("\"seed\":0", "\"colour\":0"); }, "config.record.seed: expected this field");
  check([](parts& p) { p.state.erase("best.layers.0.bias"); }, "expected a tensor 'best.layers.0.bias' [2]");
  check([](parts& p) { p.state.erase("optimizer.exp_avg.layers.1.weight"); }, "optimizer.exp_avg.layers.1.weight");
  check([](parts& p) { p.state.at("optimizer.exp_avg_sq.layers.1.bias").values[0] = -1; }, ">= 0, got -1");
  check([](parts& p) { p.state.at("model.layers.1.weight").shape = {4}; }, "expected shape [2, 2], got [4]");
  CHECK(gp_test::weights_of(target.model) == before);
  CHECK(target.optimizer.options.learning_rate == 0.5);
  CHECK(target.optimizer.memory_of(*target.model.parameters()[0]).steps == 0);
}
