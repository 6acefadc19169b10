// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/spread.hpp"

#include <catch2/catch.hpp>

#include "methods/run_support.hpp"

namespace gp = graphpatcher;
using toy::node_id;

TEST_CASE("likeliest: keeps what validation labels are likeliest under, whatever its sharpness", "[methods]") {
  gp::dataset<double, node_id> data;
  data.labels = {0, 1, 0, 1, 0};
  data.split.validation = {0, 1, 2, 3};
  gp::likeliest<double, node_id> choice(data);
  const gp::matrix<double> guess{{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}};
  const gp::matrix<double> flat{{0.52, 0.48}, {0.49, 0.51}, {0.51, 0.49}, {0.51, 0.49}, {0.6, 0.4}};
  const gp::matrix<double> wrong{{0.1, 0.9}, {0.9, 0.1}, {0.6, 0.4}, {0.1, 0.9}, {0.9, 0.1}};
  CHECK(choice.offer(guess, "guess"));
  CHECK(!choice.offer(guess, "again"));  // of equals the first
  CHECK(choice.offer(flat, "flat"));     // three of four right: sharpened, it is worth more than a guess
  CHECK(!choice.offer(wrong, "wrong"));
  CHECK(choice.name() == "flat");
  CHECK(choice.logits()(4, 0) == Approx(std::log(0.6)));

  data.split.validation.clear();
  gp::likeliest<double, node_id> blind(data);
  CHECK(blind.offer(wrong, "first"));
  CHECK(!blind.offer(flat, "second"));
}

TEST_CASE("spread: its answers are those of the choice that it tells of", "[methods]") {
  const auto data = toy::make<float>(200, 400);
  const auto none = toy::answers_of(toy::run_of("none", data));
  const auto run = toy::run_of("spread", data);
  const auto found = toy::answers_of(run);
  const auto own = gp::probabilities_of(gp::cpu{1}, none);
  const auto alike = gp::similar_nodes(gp::cpu{1}, data.features, 20);
  std::size_t met = 0;
  gp::likeliest<float, node_id> choice(data);
  const double beta = choice.temperature_of(own);
  const auto meet = [&](const std::string& name, const gp::matrix<float>& p) {
    choice.offer(p, name);
    met += name == toy::setting_of(run, "spread") ? 1 : 0;
  };
  meet("no", own);
  for (const bool sharpened : {false, true}) {
    for (const auto& [whom, over, kappa] :
         std::vector<std::tuple<std::string, gp::spread_over, double>>{{"edges", gp::spread_over::both, 0},
                                                                       {"similar nodes", gp::spread_over::similar, 0.5},
                                                                       {"both", gp::spread_over::both, 0.5},
                                                                       {"similar nodes", gp::spread_over::similar, 1},
                                                                       {"both", gp::spread_over::both, 1},
                                                                       {"similar nodes", gp::spread_over::similar, 2},
                                                                       {"both", gp::spread_over::both, 2},
                                                                       {"similar nodes", gp::spread_over::similar, 4},
                                                                       {"both", gp::spread_over::both, 4}}) {
      for (const std::size_t steps : {1, 2}) {
        meet(gp::text(whom, ", kappa ", kappa, ", steps ", steps, sharpened ? ", sharpened" : ""),
             gp::spread_probabilities(gp::cpu{1}, data.graph, alike,
                                      sharpened ? gp::sharpen(gp::cpu{1}, own, beta) : own,
                                      {.over = over, .weight = kappa, .steps = steps}));
      }
    }
  }
  CHECK(met == 1);
  CHECK(choice.name() == toy::setting_of(run, "spread"));
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found.values()[i] == Approx(choice.logits().values()[i]).epsilon(1e-4).margin(1e-5));  // float, other flags
  }
}

TEST_CASE("spread: works on patched answers, and without validation nodes on none", "[methods]") {
  const auto data = toy::make<float>(100, 150);
  const auto patched = toy::run_of("graphpatcher+spread", data);
  CHECK(patched.iterations > 0);
  CHECK(patched.predict(data.split.test, 2).size() == 1);
  auto blind = data;
  blind.split.validation.clear();
  auto run = toy::a_run(data);
  run.data = &blind;
  gp::methods::run("spread", run);
  CHECK(toy::setting_of(run, "spread") == "no");
}

TEST_CASE("answer methods: the same bits for any number of threads", "[methods]") {
  const auto data = toy::make<float>(150, 300);
  for (const std::string name : {"spread", "propagate", "correct-and-smooth", "densify", "duplicate", "mlp",
                                 "weighted-controls", "weighted", "weighted-fast"}) {
    INFO(name);
    CHECK(std::ranges::equal(toy::answers_of(toy::run_of(name, data, 1)).values(),
                             toy::answers_of(toy::run_of(name, data, 3)).values()));
  }
}
