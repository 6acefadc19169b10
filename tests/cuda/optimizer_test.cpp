// SPDX-License-Identifier: MIT
// Steps of the optimisers on a GPU, as on the CPU.
#include <catch2/catch.hpp>
#include <deque>
#include <limits>
#include <vector>

#include "cuda/support/twin.hpp"
#include "graphpatcher/nn/optimizer.hpp"

namespace gp = graphpatcher;
using gp::executor;
using gp::test::gpu;
using gp::test::margins;
using gp::test::rounding;
using gp::test::twin;

namespace {

/// A parameter with all that an optimiser keeps beside it. Odd ones start on no
/// multiple of 16 bytes.
template <class T>
struct item {
  std::size_t size;
  twin<T> value, gradient, mean, square;

  item(std::size_t count, unsigned number)
      : size(count),
        value(1, count, number, {number % 2, 0}),
        gradient(1, count, number + 1000, {number % 2, 0}),
        mean(1, count, number + 2000, {number % 2, 0}),
        square(gp::test::positive<T>(1, count, number + 3000), {number % 2, 0}) {}
};

/// More items than one launch takes (48 or fewer), of sizes around a block's
/// 1024 elements and far above it; one has none.
template <class T>
std::deque<item<T>> many_items() {
  std::deque<item<T>> result;
  for (const std::size_t size : {5000, 0, 1, 3, 31, 32, 33, 1023, 1024, 1025, 2049}) {
    result.emplace_back(size, static_cast<unsigned>(result.size()));
  }
  while (result.size() < 120) {
    result.emplace_back(1 + result.size() % 40, static_cast<unsigned>(result.size()));
  }
  return result;
}

template <class T>
void check_same(std::deque<item<T>>& items, double tolerance) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    INFO("item " << i << " of " << items[i].size << " elements");
    CHECK(items[i].value.difference() <= tolerance);
    CHECK(items[i].mean.difference() <= tolerance);
    CHECK(items[i].square.difference() <= tolerance);
  }
}

/// The value of a model of three parameters after five steps; one of them takes
/// no part in two of the steps.
template <class T, class Optimizer, class Options>
std::vector<gp::matrix<T>> trained(const executor& exec, Options options) {
  std::vector<gp::parameter<T>> model;
  gp::parameter_list<T> parameters;
  for (const std::size_t width : {1, 40, 300}) {
    model.emplace_back("p", 5, width);
    model.back().value = gp::test::positive<T>(5, width, static_cast<unsigned>(width));
    model.back().move_to(exec);
  }
  for (auto& p : model) {
    parameters.push_back(&p);
  }
  Optimizer optimizer(parameters, options);
  for (unsigned step = 0; step < 5; ++step) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (i == 1 && step % 2 == 1) {
        continue;
      }
      model[i].open_gradient();
      model[i].gradient = random_input::values<T>(5, model[i].value.cols(), step + 1).copy_on(exec);
    }
    optimizer.step(exec, T(0.5));
  }
  std::vector<gp::matrix<T>> result;
  for (const auto& p : model) {
    result.push_back(p.value.copy_on(gp::cpu{}));
  }
  return result;
}

template <class T, class Optimizer, class Options>
void check_trained(Options options) {
  const auto expected = trained<T, Optimizer>(gp::cpu{1}, options);
  const auto got = trained<T, Optimizer>(gpu(), options);
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(gp::test::relative_difference(got[i], expected[i]) <= rounding<T>(5 * 12));  // a dozen roundings a step
  }
}

}  // namespace

TEMPLATE_TEST_CASE("optimisers on a GPU: a step of Adam over many parameters", "[cuda]", float, double) {
  using T = TestType;
  gp::test::for_each_schedule([] {
    auto items = many_items<T>();
    const auto step = [&](const auto& on) {
      std::vector<gp::adam_item<T>> list;
      for (auto& k : items) {
        const T decay = static_cast<T>(list.size() % 3) * T(0.01);
        list.push_back({k.size, k.value.row_on(on).data(), k.gradient.row_on(on).data(), k.mean.row_on(on).data(),
                        k.square.row_on(on).data(), T(0.5), decay, T(1) - decay, T(0.1), T(0.999), T(0.001), T(0.01),
                        T(1.1), T(1e-8)});
      }
      gp::backend::adam_step<T>(on, list);
    };
    step(gp::cpu{1});
    step(gpu());
    // A dozen roundings an element; squares start above 0.5, so that no root of a small one enlarges them.
    check_same(items, rounding<T>(12));
  });
  gp::backend::adam_step<T>(gpu(), {});
}

TEMPLATE_TEST_CASE("optimisers on a GPU: a step of gradient descent over many parameters", "[cuda]", float, double) {
  using T = TestType;
  gp::test::for_each_schedule([] {
    auto items = many_items<T>();
    const auto step = [&](const auto& on) {
      std::vector<gp::sgd_item<T>> list;
      for (auto& k : items) {
        const bool momentum = list.size() % 3 != 0;
        list.push_back({k.size, k.value.row_on(on).data(), k.gradient.row_on(on).data(),
                        momentum ? k.mean.row_on(on).data() : nullptr, T(0.5), T(0.01), T(0.1), T(0.9)});
      }
      gp::backend::sgd_step<T>(on, list);
    };
    step(gp::cpu{1});
    step(gpu());
    check_same(items, rounding<T>(8));
  });
}

TEMPLATE_TEST_CASE("optimisers on a GPU: several steps of each", "[cuda]", float, double) {
  using T = TestType;
  check_trained<T, gp::sgd<T>>(gp::sgd_options{.learning_rate = 0.1});
  check_trained<T, gp::sgd<T>>(gp::sgd_options{.learning_rate = 0.1, .momentum = 0.9, .weight_decay = 0.01});
  check_trained<T, gp::adam<T>>(gp::adam_options{.learning_rate = 0.01, .weight_decay = 0.01});
  check_trained<T, gp::adamw<T>>(gp::adamw_options{.learning_rate = 0.01, .weight_decay = 0.1});
}
