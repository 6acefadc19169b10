// SPDX-License-Identifier: MIT
// Every function on a tape, on a GPU as on the CPU: value and all gradients.
#include <catch2/catch.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cuda/support/gpu.hpp"
#include "graphpatcher/autodiff/functions.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using gp::test::gpu;

namespace {

template <class T>
struct function_case {
  std::string name;
  std::vector<gp::matrix<T>> inputs;
  std::function<gp::variable<T>(gp::tape<T>&, const std::vector<gp::variable<T>>&)> call;
  bool training = false;
};

/// Value, then the gradients of all inputs, of sum(function(inputs) * pattern).
template <class T>
std::vector<gp::matrix<T>> run(const gp::executor& exec, const function_case<T>& which) {
  gp::tape<T> t(exec);
  if (which.training) {
    t.train(gp::random_stream(5, gp::purpose::dropout));
  }
  std::vector<gp::matrix<T>> there;
  std::vector<gp::variable<T>> inputs;
  for (const auto& input : which.inputs) {
    there.push_back(input.copy_on(exec));
  }
  for (const auto& input : there) {
    inputs.push_back(t.input(input));
  }
  const auto result = which.call(t, inputs);
  const auto pattern = random_input::values<T>(result.rows(), result.cols(), 99).copy_on(exec);
  t.backward(sum_all(multiply(result, t.constant(pattern))));
  std::vector<gp::matrix<T>> out{gp::to_host(exec, result.value())};
  for (const auto& input : inputs) {
    out.push_back(gp::to_host(exec, input.gradient()));
  }
  return out;
}

template <class T>
void check_same(const function_case<T>& which, std::size_t terms) {
  const auto expected = run<T>(gp::cpu{1}, which);
  gp::test::for_each_schedule([&] {
    const auto got = run<T>(gpu(), which);
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
      INFO(which.name << (k == 0 ? ": value" : ": gradient of input ") << k);
      CHECK(gp::test::relative_difference(got[k], expected[k]) <= gp::test::rounding<T>(terms));
    }
  });
}

template <class T>
std::vector<gp::matrix<T>> values(std::initializer_list<std::pair<std::size_t, std::size_t>> shapes) {
  std::vector<gp::matrix<T>> result;
  for (const auto& [rows, cols] : shapes) {
    result.push_back(random_input::distinct_values<T>(rows, cols, static_cast<unsigned>(result.size() + 1)));
  }
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("dense functions on a GPU", "[cuda]", float, double) {
  using T = TestType;
  using list = const std::vector<gp::variable<T>>&;
  const std::vector<int> ids{3, 0, 3, 32, 7, 0};
  const std::vector<function_case<T>> cases{
      {"matmul", values<T>({{33, 20}, {20, 7}}), [](auto&, list x) { return matmul(x[0], x[1]); }},
      {"add_bias", values<T>({{33, 20}, {1, 20}}), [](auto&, list x) { return add_bias(x[0], x[1]); }},
      {"add", values<T>({{5, 129}, {5, 129}}), [](auto&, list x) { return add(x[0], x[1]); }},
      {"subtract", values<T>({{5, 129}, {5, 129}}), [](auto&, list x) { return subtract(x[0], x[1]); }},
      {"multiply", values<T>({{5, 129}, {5, 129}}), [](auto&, list x) { return multiply(x[0], x[1]); }},
      {"scale", values<T>({{300, 3}}), [](auto&, list x) { return scale(x[0], T(-0.5)); }},
      {"concat_cols", values<T>({{33, 5}, {33, 12}}), [](auto&, list x) { return concat_cols(x[0], x[1]); }},
      {"rows", values<T>({{33, 5}}), [](auto&, list x) { return rows(x[0], 3, 30); }},
      {"gather_rows", values<T>({{33, 9}}),
       [&](auto&, list x) { return gather_rows(x[0], std::span<const int>(ids)); }},
      // distinct_values add up to zero but for rounding; these don't
      {"mean_all", {random_input::values<T>(33, 70, 5)}, [](auto&, list x) { return mean_all(x[0]); }},
      {"relu", values<T>({{33, 20}}), [](auto&, list x) { return relu(x[0]); }},
      {"elu", values<T>({{33, 20}}), [](auto&, list x) { return elu(x[0], T(0.7)); }},
      {"leaky_relu", values<T>({{33, 20}}), [](auto&, list x) { return leaky_relu(x[0]); }},
      {"prelu, one slope", values<T>({{33, 20}, {1, 1}}), [](auto&, list x) { return prelu(x[0], x[1]); }},
      {"prelu, a slope a column", values<T>({{33, 20}, {1, 20}}), [](auto&, list x) { return prelu(x[0], x[1]); }},
      {"dropout", values<T>({{33, 20}}), [](auto&, list x) { return dropout(x[0], T(0.4)); }, true},
      {"layer_norm", values<T>({{33, 70}, {1, 70}, {1, 70}}),
       [](auto&, list x) { return layer_norm(x[0], x[1], x[2]); }},
      {"softmax", values<T>({{33, 7}}), [](auto&, list x) { return softmax(x[0]); }},
      {"log_softmax", values<T>({{33, 70}}), [](auto&, list x) { return log_softmax(x[0]); }},
  };
  for (const auto& which : cases) {
    check_same(which, 400);
  }
}

TEMPLATE_TEST_CASE("batch norm on a GPU, in training and after it", "[cuda]", float, double) {
  using T = TestType;
  for (const bool training : {true, false}) {
    const function_case<T> which{"batch_norm", values<T>({{50, 20}, {1, 20}, {1, 20}}),
                                 [](auto&, const auto& x) {
                                   gp::batch_statistics<T> running(20);
                                   return batch_norm(x[0], x[1], x[2], running);
                                 },
                                 training};
    check_same(which, 400);
  }
}

TEMPLATE_TEST_CASE("graph functions on a GPU", "[cuda]", float, double) {
  using T = TestType;
  using list = const std::vector<gp::variable<T>>&;
  const auto graph = random_input::messages<int>(80, 1);
  const auto block = graph.towards(1);
  const auto n = block.source_rows();
  const std::vector<int> cuts{0, 2, 2, 30, 33};
  std::vector<function_case<T>> cases{
      {"segment_max", values<T>({{n, 21}}), [&](auto&, list x) { return segment_max(block, x[0]); }},
      {"head_dot", values<T>({{33, 24}, {1, 24}}), [](auto&, list x) { return head_dot(x[0], x[1], 4); }},
      {"attention", values<T>({{n, 24}, {1, 24}, {1, 24}}),
       [&](auto&, list x) {
         const auto left = head_dot(x[0], x[1], 4);
         const auto right = head_dot(rows(x[0], 0, block.rows()), x[2], 4);
         return weighted_aggregate(block, edge_softmax(block, edge_scores(block, left, right)), x[0]);
       }},
  };
  for (const auto how : {gp::normalisation::sum, gp::normalisation::mean, gp::normalisation::symmetric}) {
    cases.push_back(
        {"aggregate", values<T>({{n, 40}}), [&, how](auto&, list x) { return aggregate(block, x[0], how); }});
  }
  for (const auto how : {gp::reduction::sum, gp::reduction::mean, gp::reduction::max}) {
    cases.push_back({"segment_reduce", values<T>({{33, 40}}),
                     [&, how](auto&, list x) { return segment_reduce(std::span<const int>(cuts), x[0], how); }});
  }
  for (const auto& which : cases) {
    check_same(which, 600);
  }
}

TEMPLATE_TEST_CASE("losses on a GPU", "[cuda]", float, double) {
  using T = TestType;
  using list = const std::vector<gp::variable<T>>&;
  const std::vector<int> rows{4, 0, 4, 32};
  const std::vector<int> labels{1, 6, 2, 0};
  const std::vector<T> weights(33, T(0.25));
  const auto logits = random_input::values<T>(66, 7, 3);
  gp::matrix<T> targets(66, 7);
  gp::softmax(gp::cpu{1}, logits, targets.view());
  const auto targets_there = targets.copy_on(gpu());
  const auto targets_on = [&](gp::tape<T>& t) { return t.exec().on_host() ? targets.view() : targets_there.view(); };
  const std::vector<function_case<T>> cases{
      {"cross_entropy", values<T>({{33, 7}}),
       [&](auto&, list x) { return cross_entropy(x[0], std::span<const int>(rows), std::span<const int>(labels)); }},
      {"kl_divergence", values<T>({{33, 7}}),
       [&](auto& t, list x) { return kl_divergence<T>(targets_on(t), x[0], T(1e-6), T(0.5), 2); }},
      {"kl_divergence, row weights", values<T>({{33, 7}}),
       [&](auto& t, list x) {
         return kl_divergence<T>(targets_on(t).middle_rows(0, 33), x[0], T(0), std::span<const T>(weights));
       }},
  };
  for (const auto& which : cases) {
    check_same(which, 600);
  }
}
