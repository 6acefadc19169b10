// SPDX-License-Identifier: MIT
#include "graphpatcher/ops/optimizer.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace gp = graphpatcher;

TEMPLATE_TEST_CASE("a step of Adam, by hand", "[ops]", float, double) {
  using T = TestType;
  std::vector<T> value{1, -2, 4};
  const std::vector<T> gradient{2, 0, -8};
  std::vector<T> mean{0, 4, 0};
  std::vector<T> square{0, 16, 0};
  const gp::adam_item<T> item{.size = 3,
                              .value = value.data(),
                              .gradient = gradient.data(),
                              .mean = mean.data(),
                              .square = square.data(),
                              .gradient_scale = T(0.5),
                              .l2 = 0,
                              .keep = T(0.5),
                              .mean_rate = T(0.5),
                              .beta2 = T(0.75),
                              .square_rate = T(0.25),
                              .step_size = 2,
                              .inverse_root_bias = 2,
                              .eps = 1};
  const std::vector<gp::adam_item<T>> items{item};
  gp::adam_step<T>(gp::cpu{}, items);
  // g = 1, 0, -4;  m = 1/2, 2, -2;  v = 1/4, 12, 4
  CHECK(mean == std::vector<T>{T(0.5), 2, -2});
  CHECK(square == std::vector<T>{T(0.25), 12, 4});
  CHECK(value[0] == Approx(0.5 - 2 * 0.5 / (0.5 * 2 + 1)).epsilon(1e-6));
  CHECK(value[1] == Approx(-1 - 2 * 2 / (std::sqrt(12.0) * 2 + 1)).epsilon(1e-6));
  CHECK(value[2] == Approx(2 + 2 * 2 / (2.0 * 2 + 1)).epsilon(1e-6));
}

TEMPLATE_TEST_CASE("a step of gradient descent for two parameters, with and without momentum", "[ops]", float, double) {
  using T = TestType;
  std::vector<T> first{1, 2};
  std::vector<T> second{8};
  std::vector<T> velocity{4};
  const std::vector<T> gradient{2, -4};
  const std::vector<gp::sgd_item<T>> items{{.size = 2,
                                            .value = first.data(),
                                            .gradient = gradient.data(),
                                            .velocity = nullptr,
                                            .gradient_scale = T(0.5),
                                            .l2 = 1,
                                            .lr = T(0.25),
                                            .momentum = 0},
                                           {.size = 1,
                                            .value = second.data(),
                                            .gradient = gradient.data(),
                                            .velocity = velocity.data(),
                                            .gradient_scale = 1,
                                            .l2 = 0,
                                            .lr = T(0.5),
                                            .momentum = T(0.75)}};
  gp::sgd_step<T>(gp::cpu{}, items);
  CHECK(first == std::vector<T>{T(0.5), 2});  // g = 1 + 1, -2 + 2
  CHECK(velocity == std::vector<T>{5});
  CHECK(second == std::vector<T>{T(5.5)});
}
