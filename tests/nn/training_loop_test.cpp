// SPDX-License-Identifier: MIT
#include "graphpatcher/nn/training_loop.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <limits>
#include <sstream>
#include <vector>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/nn/optimizer.hpp"

namespace gp = graphpatcher;

namespace {

gp::parameter<double> number(double start) {
  gp::parameter<double> p("x", 1, 1);
  p.value(0, 0) = start;
  return p;
}

/// (x - goal)^2, lowered by plain gradient descent: x moves by 2 lr (goal - x).
struct parabola {
  using scalar_type = double;
  gp::parameter<double> x = number(8);
  gp::matrix<double> goal{{2.0}};
  gp::sgd<double> descent{{&x}, {.learning_rate = 0.25}};

  gp::parameter_list<double> parameters() { return {&x}; }
  gp::sgd<double>& optimizer() { return descent; }
  gp::variable<double> loss(gp::tape<double>& t, std::size_t) {
    const auto away = gp::subtract(t.use(x), t.constant(std::as_const(goal).view()));
    return gp::multiply(away, away);
  }
};

/// The same with a hook that halves the gradient, as the mean over two machines
/// would if the other had nothing to say.
struct reduced_parabola : parabola {
  std::vector<double> seen;

  void reduce(const gp::executor& exec, const gp::parameter_list<double>& list) {
    CHECK(exec.on_host());
    REQUIRE(list.size() == 1);
    CHECK(list[0]->has_gradient);
    seen.push_back(list[0]->gradient(0, 0));
    seen.push_back(x.value(0, 0));
    list[0]->gradient(0, 0) /= 2;
  }
};

/// Two players on x y: one lowers it by x, then the other raises it by y. The
/// steps are the objective's own.
struct two_players {
  using scalar_type = double;
  gp::parameter<double> x = number(1);
  gp::parameter<double> y = number(1);
  gp::matrix<double> value{1, 1};

  gp::parameter_list<double> parameters() { return {&x, &y}; }
  gp::matrix_view<const double> step(std::size_t) {
    value(0, 0) = x.value(0, 0) * y.value(0, 0);
    x.value(0, 0) -= 0.5 * y.value(0, 0);
    y.value(0, 0) += 0.5 * x.value(0, 0);
    return std::as_const(value).view();
  }
};

/// Losses and scores as a list says; the parameter is the number of the iteration.
struct scripted {
  using scalar_type = double;
  gp::parameter<double> x = number(0);
  gp::matrix<double> value{1, 1};
  double bad_from = std::numeric_limits<double>::infinity();

  gp::parameter_list<double> parameters() { return {&x}; }
  gp::matrix_view<const double> step(std::size_t iteration) {
    x.value(0, 0) = static_cast<double>(iteration);
    value(0, 0) = x.value(0, 0) < bad_from ? x.value(0, 0) : std::nan("");
    return std::as_const(value).view();
  }
};

struct without_optimizer {
  using scalar_type = double;
  gp::parameter_list<double> parameters();
  gp::variable<double> loss(gp::tape<double>& t, std::size_t);
};

static_assert(gp::tape_objective<parabola> && !gp::makes_its_steps<parabola> && !gp::reduces_gradients<parabola>);
static_assert(gp::tape_objective<reduced_parabola> && gp::reduces_gradients<reduced_parabola>);
static_assert(gp::stepping_objective<two_players> && !gp::tape_objective<two_players>);
static_assert(!gp::objective<without_optimizer> && gp::gives_a_loss<without_optimizer>);

/// Runs a script of scores, entry i after iteration i + 1; what came out and the parameter that was kept.
gp::loop_state<double> play(const std::vector<double>& scores, gp::loop_options options, double& kept) {
  scripted objective;
  options.max_iterations = std::min(options.max_iterations, scores.size() * options.evaluate_every);
  auto state = gp::training_loop(
      gp::cpu{1}, objective,
      gp::keep_best(objective.x,
                    [&](std::size_t iteration, double) { return scores[iteration / options.evaluate_every - 1]; }),
      options);
  kept = objective.x.value(0, 0);
  return state;
}

}  // namespace

TEST_CASE("training loop: a loss on a tape goes down as worked out by hand", "[nn]") {
  parabola objective;
  std::vector<double> path, losses;
  const auto state = gp::training_loop(gp::cpu{1}, objective,
                                       gp::keep_best(objective.x,
                                                     [&](std::size_t iteration, double loss) {
                                                       CHECK(iteration == path.size() + 1);
                                                       path.push_back(objective.x.value(0, 0));
                                                       losses.push_back(loss);
                                                       return -std::abs(path.back() - 2);
                                                     }),
                                       {.max_iterations = 4});
  CHECK(path == std::vector<double>{5, 3.5, 2.75, 2.375});    // half of the way to 2 each time
  CHECK(losses == std::vector<double>{36, 9, 2.25, 0.5625});  // before the step
  CHECK(objective.x.value(0, 0) == 2.375);
  CHECK(state.iterations == 4);
  CHECK(state.best_iteration == 4);
  CHECK(state.best_score == -0.375);
}

TEST_CASE("training loop: gradients are reduced between the way back and the step", "[nn]") {
  reduced_parabola objective;
  gp::training_loop(gp::cpu{1}, objective, gp::keep_best(objective.x, [] { return 0.0; }),
                    {.max_iterations = 2, .keep_equals = true});
  // (gradient, x) before each step: 2 (x - 2); the step is a quarter of half of it
  CHECK(objective.seen == std::vector<double>{12, 8, 9, 6.5});
  CHECK(objective.x.value(0, 0) == 6.5 - 9.0 / 8);
}

TEST_CASE("training loop: two players make their steps themselves", "[nn]") {
  two_players objective;
  std::vector<double> losses;
  gp::training_loop(gp::cpu{1}, objective,
                    gp::keep_best(objective.y,
                                  [&](std::size_t, double loss) {
                                    losses.push_back(loss);
                                    return 0.0;
                                  }),
                    {.max_iterations = 3, .keep_equals = true});
  // (x, y): (1, 1), (0.5, 1.25), (-0.125, 1.1875), (-0.71875, 0.828125)
  CHECK(losses == std::vector<double>{1, 0.625, -0.125 * 1.1875});
  CHECK(objective.x.value(0, 0) == -0.71875);
  CHECK(objective.y.value(0, 0) == 0.828125);
}

TEST_CASE("training loop: which weights are kept, and when it stops", "[nn]") {
  double kept = -1;
  auto state = play({1, 3, 3, 2, 3, 2, 9}, {.patience = 4}, kept);
  CHECK(kept == 2);  // the first of equals
  CHECK(state.iterations == 6);
  CHECK(state.without_improvement == 4);

  state = play({1, 3, 3, 2, 3, 2, 2, 2, 9}, {.patience = 3, .keep_equals = true}, kept);
  CHECK(kept == 5);  // the last, and each of them starts the patience anew
  CHECK(state.iterations == 8);

  state = play({5, 6, 7}, {.warmup = 5, .evaluate_every = 2}, kept);
  CHECK(state.iterations == 6);
  CHECK(state.best_iteration == 6);  // 2 and 4 are before the warm-up

  state = play({4, 4}, {.max_iterations = 3, .warmup = 100, .evaluate_every = 2}, kept);
  CHECK(state.best_iteration == 3);  // judged once, at the end
  CHECK(kept == 3);
}

TEST_CASE("training loop: the weights at the beginning can be the best", "[nn]") {
  scripted objective;
  std::vector<double> scores{2, 1, 1.5};
  const auto run = [&](double later) {
    objective.x.value(0, 0) = 0;
    scores[2] = later;
    return gp::training_loop(gp::cpu{1}, objective,
                             gp::keep_best(objective.x,
                                           [&](std::size_t iteration, double loss) {
                                             CHECK(std::isnan(loss) == (iteration == 0));
                                             return scores[iteration];
                                           }),
                             {.max_iterations = 2, .judge_start = true});
  };
  CHECK(run(1.5).best_iteration == 0);
  CHECK(objective.x.value(0, 0) == 0);
  CHECK(run(2.5).best_iteration == 2);
  CHECK(objective.x.value(0, 0) == 2);
}

TEST_CASE("training loop: a state that was kept is gone on with", "[nn]") {
  scripted objective;
  gp::loop_options options{.max_iterations = 6, .evaluate_every = 4};
  gp::loop_state<double> state{.iterations = 2, .losses = {gp::cpu{1}, "test"}};
  state.losses.set_since_mean({10, 2});
  std::vector<std::size_t> seen;
  double mean = 0;
  gp::training_loop(gp::cpu{1}, objective,
                    gp::keep_best(objective.x,
                                  [&](std::size_t, double loss) {
                                    mean = loss;
                                    return 1.0;
                                  }),
                    options, state, [&](const gp::loop_state<double>& now) { seen.push_back(now.iterations); });
  CHECK(mean == (10 + 3 + 4) / 4.0);
  CHECK(seen == std::vector<std::size_t>{3, 4, 5, 6});
  CHECK(objective.x.value(0, 0) == 4);
  CHECK(state.losses.since_mean().sum == 11);  // of 5 and 6, which no evaluation followed
}

TEST_CASE("training loop: dropout is keyed by seed and iteration", "[nn]") {
  struct dropping : parabola {
    std::vector<std::uint32_t> bits;
    gp::variable<double> loss(gp::tape<double>& t, std::size_t iteration) {
      CHECK(t.training());
      bits.push_back(t.next_dropout_stream().bits(0)[0]);
      return parabola::loss(t, iteration);
    }
  };
  dropping objective;
  gp::training_loop(gp::cpu{1}, objective, gp::keep_best(objective.x, [] { return 0.0; }),
                    {.max_iterations = 2, .seed = 7});
  const gp::random_stream random(7, gp::purpose::dropout);
  CHECK(objective.bits ==
        std::vector<std::uint32_t>{random.fork(1).fork(0).bits(0)[0], random.fork(2).fork(0).bits(0)[0]});
}

TEST_CASE("training loop: what can't go on says why", "[nn]") {
  const auto never = [](auto& objective) { return gp::keep_best(objective.x, [] { return 0.0; }); };
  scripted objective;
  objective.bad_from = 3;
  const auto run = [&](gp::loop_options options) {
    gp::training_loop(gp::cpu{1}, objective, never(objective), options);
  };
  CHECK_THROWS_WITH(run({.name = "mine"}),
                    "mine: the loss became nan at iteration 3; try a smaller learning rate or weight decay");
  CHECK_THROWS_AS(run({}), gp::numeric_error);
  CHECK_THROWS_AS(run({.max_iterations = 0}), gp::argument_error);
  CHECK_THROWS_AS(run({.patience = 0}), gp::argument_error);
  CHECK_THROWS_AS(run({.evaluate_every = 0}), gp::argument_error);

  parabola far;  // on the host a loss on a tape is looked at before it does harm
  far.goal(0, 0) = std::nan("");
  CHECK_THROWS_AS(gp::training_loop(gp::cpu{1}, far, never(far)), gp::numeric_error);
  CHECK(far.x.value(0, 0) == 8);

  const gp::interrupt_scope scope;
  std::raise(SIGINT);
  parabola stopped;
  CHECK_THROWS_AS(gp::training_loop(gp::cpu{1}, stopped, never(stopped)), gp::interrupted_error);
  CHECK(stopped.x.value(0, 0) == 8);
}

TEST_CASE("training loop: its display tells loss and best score", "[nn]") {
  parabola objective;
  std::ostringstream out;
  gp::training_loop(gp::cpu{1}, objective, gp::keep_best(objective.x, [] { return 0.5; }),
                    {.name = "my training", .score = "luck", .max_iterations = 3, .progress = {.out = &out}});
  CHECK_THAT(out.str(), Catch::Contains("my training: 3/3") && Catch::Contains("loss 2.25, best luck 0.5 at 1"));
}
