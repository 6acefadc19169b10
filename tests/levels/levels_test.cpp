// SPDX-License-Identifier: MIT
// graphpatcher::compiled: every level that this processor has computes the same, to rounding between levels and to the
// bit within one.
#include "graphpatcher/core/levels.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/eval/evaluate.hpp"
#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/loss.hpp"
#include "graphpatcher/ops/spmm.hpp"

namespace gp = graphpatcher;

namespace {

/// Puts the level of before back.
struct level_guard {
  std::string before{gp::level_in_use()};
  ~level_guard() { gp::use_level(before); }
};

template <class T>
gp::matrix<T> numbers(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  gp::matrix<T> result(rows, cols);
  const gp::random_stream random(seed, gp::purpose::initialisation);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) {
      result(r, c) = static_cast<T>(random.uniform(r, c)) - T(0.5);
    }
  }
  return result;
}

template <class T>
double largest_difference(const gp::matrix<T>& a, const gp::matrix<T>& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a.values()[i]) - static_cast<double>(b.values()[i])));
  }
  return largest;
}

/// What a training and a patching of it come to on `threads` threads.
template <class Config, class T, class I>
std::vector<gp::matrix<T>> trained_and_patched(const gp::dataset<T, I>& data, const Config& config, int threads) {
  const gp::cpu exec{threads};
  const auto model = gp::train_backbone(exec, data, config, {.max_epochs = 3});
  const auto patcher = gp::train_patcher(
      exec, data, model,
      {.hidden = 16, .samples = 3, .max_iterations = 4, .warmup = 1, .evaluate_every = 2, .quiet = true});
  const auto patched =
      gp::patch_nodes(exec, data.graph, data.features, model, patcher.generator, data.split.test, {.patches = 2});
  auto result = patched.logits;
  result.push_back(gp::predict(exec, model, data.graph, data.features));
  return result;
}

template <class T, class I>
gp::dataset<T, I> few_nodes() {
  return gp::make_degree_biased<T, I>({.nodes = 200,
                                       .classes = 3,
                                       .vocabulary = 60,
                                       .words_per_node = 6,
                                       .topic_words = 20,
                                       .train_per_class = 5,
                                       .validation = 30,
                                       .test = 50,
                                       .seed = 5});
}

template <class Config, class T, class I>
void same_bits_for_threads(const Config& config) {
  const level_guard guard;
  const auto data = few_nodes<T, I>();
  for (const auto level : gp::levels_available()) {
    INFO("level " << level);
    gp::use_level(level);
    const auto one = trained_and_patched(data, config, 1);
    const auto three = trained_and_patched(data, config, 3);
    REQUIRE(one.size() == 4);
    for (std::size_t k = 0; k < one.size(); ++k) {
      CHECK(largest_difference(one[k], three[k]) == 0.0);
    }
  }
}

}  // namespace

TEST_CASE("the level in use is one that the processor has, and can be chosen") {
  const level_guard guard;
  const auto names = gp::levels_available();
  REQUIRE_FALSE(names.empty());
  CHECK(names.front() == "baseline");
  for (const auto name : names) {
    gp::use_level(name);
    CHECK(gp::level_in_use() == name);
  }
  CHECK_THROWS_WITH(gp::use_level("v9"), Catch::Contains("expected baseline, v3 or v4, got 'v9'"));
  CHECK(gp::level_in_use() == names.back());
}

TEST_CASE("products of every level agree with sums in double") {
  const level_guard guard;
  const auto a = numbers<float>(33, 65, 1);
  const auto b = numbers<float>(65, 29, 2);
  gp::matrix<double> expected(33, 29);
  for (std::size_t r = 0; r < 33; ++r) {
    for (std::size_t c = 0; c < 29; ++c) {
      for (std::size_t k = 0; k < 65; ++k) {
        expected(r, c) += static_cast<double>(a(r, k)) * static_cast<double>(b(k, c));
      }
    }
  }
  for (const auto level : gp::levels_available()) {
    gp::use_level(level);
    gp::matrix<float> c(33, 29);
    gp::gemm<float>(gp::cpu{2}, a, b, c);
    for (std::size_t i = 0; i < c.size(); ++i) {  // 65 roundings of sums below 65 / 4
      CHECK(std::abs(static_cast<double>(c.values()[i]) - expected.values()[i]) < 65 * 16.25 * 6e-8);
    }
  }
}

TEST_CASE("a training and its patches are the same bits for any number of threads, at every level") {
  same_bits_for_threads<gp::gcn_config, float, std::int32_t>({.hidden = 8, .seed = 3});
  same_bits_for_threads<gp::sage_config, float, std::int64_t>({.hidden = 8, .seed = 3});
  same_bits_for_threads<gp::gat_config, double, std::int32_t>({.hidden = 4, .heads = 2, .seed = 3});
}

TEST_CASE("a model of one level answers at another, to rounding") {
  const level_guard guard;
  const auto data = few_nodes<double, std::int64_t>();
  const gp::cpu exec{2};
  const auto model = gp::train_backbone(exec, data, gp::gcn_config{.hidden = 8, .seed = 1}, {.max_epochs = 5});
  std::vector<gp::matrix<double>> answers;
  for (const auto level : gp::levels_available()) {
    gp::use_level(level);
    answers.push_back(gp::predict(exec, model, data.graph, data.features));
  }
  for (const auto& answer : answers) {
    CHECK(largest_difference(answers.front(), answer) < 1e-12);
  }
}

TEST_CASE("what a level throws is caught by its type outside") {
  const level_guard guard;
  const auto data = few_nodes<float, std::int32_t>();
  for (const auto level : gp::levels_available()) {
    gp::use_level(level);
    CHECK_THROWS_AS(gp::train_backbone(gp::cpu{1}, data, gp::gcn_config{.hidden = 8}, {.max_epochs = 0}),
                    gp::argument_error);
    CHECK_THROWS_AS(
        gp::train_backbone(gp::cpu{2}, data, gp::gcn_config{.hidden = 8}, {.learning_rate = 1e38, .max_epochs = 5}),
        gp::numeric_error);
  }
}
