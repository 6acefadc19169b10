// SPDX-License-Identifier: MIT
#include "graphpatcher/nn/optimizer.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <span>

#include "nn/layer_support.hpp"

namespace gp = graphpatcher;

namespace {

template <class T>
void give_gradient(gp::parameter<T>& p, const gp::matrix<T>& g) {
  const auto out = p.open_gradient();
  for (std::size_t i = 0; i < g.size(); ++i) {
    out.data()[i] += g.values()[i];
  }
}

/// Adam for one number, line by line as PyTorch documents it.
struct scalar_adam {
  double lr, beta1, beta2, eps, l2, decoupled;
  double m = 0, v = 0;
  int t = 0;

  double step(double p, double g) {
    ++t;
    p -= lr * decoupled * p;
    g += l2 * p;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    const double m_hat = m / (1 - std::pow(beta1, t));
    const double v_hat = v / (1 - std::pow(beta2, t));
    return p - lr * m_hat / (std::sqrt(v_hat) + eps);
  }
};

const gp::cpu exec{.threads = 2};

}  // namespace

TEST_CASE("the first Adam step has the length of the learning rate", "[nn]") {
  gp::parameter<double> p("p", 1, 2);
  p.value = {{1.0, -2.0}};
  gp::adam<double> optimizer({&p}, {.learning_rate = 0.1});
  give_gradient(p, gp::matrix<double>{{3.0, -0.5}});
  optimizer.step(exec);
  CHECK(p.value(0, 0) == Approx(0.9).epsilon(1e-8));
  CHECK(p.value(0, 1) == Approx(-1.9).epsilon(1e-8));
  CHECK_FALSE(p.has_gradient);
}

TEST_CASE("SGD with momentum and decay, by hand", "[nn]") {
  gp::parameter<double> p("p", 1, 1);
  p.value = {{2.0}};
  gp::sgd<double> optimizer({&p}, {.learning_rate = 0.5, .momentum = 0.5, .weight_decay = 0.1});
  give_gradient(p, gp::matrix<double>{{1.0}});
  optimizer.step(exec);  // g = 1.2, u = 1.2, p = 2 - 0.6
  CHECK(p.value(0, 0) == Approx(1.4));
  give_gradient(p, gp::matrix<double>{{1.0}});
  optimizer.step(exec);  // g = 1.14, u = 0.6 + 1.14, p = 1.4 - 0.87
  CHECK(p.value(0, 0) == Approx(0.53));

  gp::parameter<double> q("q", 1, 1);
  q.value = {{2.0}};
  gp::sgd<double> plain({&q}, {.learning_rate = 0.5});
  give_gradient(q, gp::matrix<double>{{1.0}});
  plain.step(exec);
  CHECK(q.value(0, 0) == 1.5);
}

TEMPLATE_TEST_CASE("Adam and AdamW follow the written-out rule", "[nn]", float, double) {
  using T = TestType;
  const double tolerance = std::is_same_v<T, float> ? 2e-6 : 1e-13;
  const std::size_t size = 1300;  // two whole blocks and a part
  const bool decoupled = GENERATE(false, true);
  gp::parameter<T> p("p", 1, size);
  p.value = gp_test::random_matrix<T>(1, size, 1);
  const scalar_adam fresh{0.01, 0.8, 0.95, 1e-6, decoupled ? 0 : 0.3, decoupled ? 0.3 : 0};
  std::vector<scalar_adam> reference(size, fresh);
  std::vector<double> expected(p.value.values().begin(), p.value.values().end());
  gp::adam<T> adam({&p}, {.learning_rate = 0.01, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-6, .weight_decay = 0.3});
  gp::adamw<T> adamw({&p}, {.learning_rate = 0.01, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-6, .weight_decay = 0.3});
  for (std::uint64_t step = 0; step < 5; ++step) {
    const auto g = gp_test::random_matrix<T>(1, size, 10 + step);
    give_gradient(p, g);
    decoupled ? adamw.step(exec, T(0.5)) : adam.step(exec, T(0.5));
    for (std::size_t i = 0; i < size; ++i) {
      expected[i] = reference[i].step(expected[i], 0.5 * double(g(0, i)));
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < size; ++i) {
    worst = std::max(worst, std::abs(p.value(0, i) - expected[i]));
  }
  CHECK(worst < tolerance);
}

TEST_CASE("defaults are PyTorch's", "[nn]") {
  CHECK(gp::adam_options{}.weight_decay == 0.0);
  CHECK(gp::adamw_options{.learning_rate = 1.0}.weight_decay == 0.01);
  CHECK(gp::adam_options{}.eps == 1e-8);
}

TEST_CASE("a parameter without a gradient is left alone, a zero gradient is not", "[nn]") {
  gp::parameter<double> used("used", 1, 1), unused("unused", 1, 1), zero("zero", 1, 1);
  used.value = unused.value = zero.value = {{1.0}};
  gp::adamw<double> optimizer({&used, &unused, &zero}, {.learning_rate = 0.1, .weight_decay = 0.5});
  give_gradient(used, gp::matrix<double>{{1.0}});
  give_gradient(zero, gp::matrix<double>{{0.0}});
  optimizer.step(exec);
  CHECK(unused.value(0, 0) == 1.0);
  CHECK(zero.value(0, 0) == Approx(0.95).epsilon(1e-14));
  CHECK(used.value(0, 0) == Approx(0.85).epsilon(1e-7));
  // its first step, when it comes, is a first step: bias correction counts its own steps
  give_gradient(unused, gp::matrix<double>{{7.0}});
  optimizer.step(exec);
  CHECK(unused.value(0, 0) == Approx(0.85).epsilon(1e-7));
  CHECK(zero.value(0, 0) == Approx(0.95).epsilon(1e-14));
}

TEST_CASE("gradients add up until a step, or are dropped", "[nn]") {
  gp::parameter<double> p("p", 1, 1);
  gp::sgd<double> optimizer({&p}, {.learning_rate = 1.0});
  give_gradient(p, gp::matrix<double>{{1.0}});
  give_gradient(p, gp::matrix<double>{{3.0}});
  optimizer.step(exec, 0.5);
  CHECK(p.value(0, 0) == -2.0);
  give_gradient(p, gp::matrix<double>{{5.0}});
  optimizer.clear_gradients();
  optimizer.step(exec);
  CHECK(p.value(0, 0) == -2.0);
}

TEMPLATE_TEST_CASE("steps are the same bits for any number of threads", "[nn]", float, double) {
  using T = TestType;
  const std::size_t rows = 301, cols = 257;
  const auto run = [&](int threads) {
    gp::parameter<T> p("p", rows, cols);
    p.value = gp_test::random_matrix<T>(rows, cols, 3);
    gp::adamw<T> optimizer({&p}, {.learning_rate = 0.01});
    for (std::uint64_t step = 0; step < 3; ++step) {
      give_gradient(p, gp_test::random_matrix<T>(rows, cols, 40 + step));
      optimizer.step(gp::cpu{.threads = threads});
    }
    return p.value;
  };
  const auto one = run(1);
  CHECK(gp_test::same_values(one.view(), run(2).view()));
  CHECK(gp_test::same_values(one.view(), run(5).view()));
}

TEMPLATE_TEST_CASE("a step with a gradient that is a product has the bits of the product, then the step", "[nn]", float,
                   double) {
  using T = TestType;
  const auto [rows, cols, batch] = GENERATE(table<std::size_t, std::size_t, std::size_t>(
      {{1, 1, 1}, {7, 5, 3}, {200, 130, 192}, {61, 2100, 9}, {300, 17, 400}}));
  CAPTURE(rows, cols, batch);
  const auto x = gp_test::random_matrix<T>(batch, rows, 50);
  const auto dy = gp_test::random_matrix<T>(batch, cols, 51);
  const auto extra = gp_test::random_matrix<T>(rows, cols, 52);
  struct parameter_state {
    gp::matrix<T> value, mean, square;
  };
  const parameter_state start{gp_test::random_matrix<T>(rows, cols, 53), gp_test::random_matrix<T>(rows, cols, 54),
                              gp::matrix<T>(rows, cols)};
  const auto item_of = [&](parameter_state& s, const T* gradient) {
    return gp::adam_item<T>{rows * cols, s.value.data(), gradient, s.mean.data(), s.square.data(), T(0.5), T(0.01),
                            T(0.999),    T(0.1),         T(0.99),  T(0.01),       T(0.003),        T(1.2), T(1e-8)};
  };
  for (const bool with_extra : {false, true}) {
    auto apart = start;
    auto gradient = with_extra ? extra : gp::matrix<T>(rows, cols);
    gp::backend::gemm<T>(gp::cpu{1}, {x, true}, {dy, false}, gradient, with_extra);
    const auto item = item_of(apart, gradient.data());
    gp::backend::adam_step<T>(gp::cpu{1}, std::span<const gp::adam_item<T>>(&item, 1));
    for (const int threads : {1, 2, 3}) {
      auto fused = start;
      gp::backend::gemm_adam_step<T>(gp::cpu{threads}, {x, true}, {dy, false},
                                     with_extra ? extra.view() : gp::matrix_view<const T>{}, item_of(fused, nullptr));
      CHECK(gp_test::same_values(fused.value.view(), apart.value.view()));
      CHECK(gp_test::same_values(fused.mean.view(), apart.mean.view()));
      CHECK(gp_test::same_values(fused.square.view(), apart.square.view()));
    }
  }
}

TEST_CASE("optimizers name bad options", "[nn]") {
  gp::parameter<double> p("p", 1, 1);
  CHECK_THROWS_AS(gp::adam<double>({&p}, {.learning_rate = -1.0}), gp::argument_error);
  CHECK_THROWS_AS(gp::adam<double>({&p}, {.beta1 = 1.0}), gp::argument_error);
  CHECK_THROWS_AS(gp::adamw<double>({&p}, {.learning_rate = std::nan("")}), gp::argument_error);
  CHECK_THROWS_AS(gp::sgd<double>({&p}, {.momentum = 1.5}), gp::argument_error);
  CHECK_THROWS_AS(gp::sgd<double>({nullptr}), gp::argument_error);
  CHECK_THROWS_WITH(gp::adam<double>({&p}, {.weight_decay = -0.5}), "adam: expected weight_decay >= 0, got -0.5");
}
