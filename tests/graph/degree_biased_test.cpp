// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "graphpatcher/graph/degree_biased.hpp"
#include "graphpatcher/graph/degrees.hpp"

using namespace graphpatcher;
using Catch::Matchers::Contains;

namespace {

using data_type = dataset<double, std::int32_t>;

double homophily(const data_type& data) {
  std::size_t same = 0;
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    for (const auto u : data.graph.neighbors(v)) {
      same += data.labels[v] == data.labels[static_cast<std::size_t>(u)];
    }
  }
  return static_cast<double>(same) / static_cast<double>(data.graph.entries());
}

matrix<double> dense_features(const data_type& data) {
  matrix<double> result(data.nodes(), data.features.cols());
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    for (std::size_t k = 0; k < data.features.sparse().row_columns(v).size(); ++k) {
      result(v, static_cast<std::size_t>(data.features.sparse().row_columns(v)[k])) =
          data.features.sparse().row_values(v)[k];
    }
  }
  return result;
}

/// One step of mean propagation with a self-loop.
matrix<double> averaged(const data_type& data, const matrix<double>& x) {
  matrix<double> result(x.rows(), x.cols());
  for (std::size_t v = 0; v < x.rows(); ++v) {
    auto row = result.row(v);
    std::ranges::copy(x.row(v), row.begin());
    for (const auto u : data.graph.neighbors(v)) {
      std::ranges::transform(row, x.row(static_cast<std::size_t>(u)), row.begin(), std::plus<>{});
    }
    for (double& value : row) {
      value /= static_cast<double>(data.graph.degree(v) + 1);
    }
  }
  return result;
}

std::vector<double> logits(const matrix<double>& x, const matrix<double>& weights, std::size_t v) {
  std::vector<double> result(weights.cols(), 0);
  for (std::size_t f = 0; f < x.cols(); ++f) {
    for (std::size_t c = 0; c < weights.cols(); ++c) {
      result[c] += x(v, f) * weights(f, c);
    }
  }
  return result;
}

/// A linear softmax classifier, by gradient descent on the training nodes. On
/// features averaged over two hops it is a GCN without its hidden layer.
matrix<double> trained(const data_type& data, const matrix<double>& x) {
  matrix<double> weights(x.cols(), data.classes);
  for (int iteration = 0; iteration < 200; ++iteration) {
    matrix<double> gradient(x.cols(), data.classes);
    for (const auto node : data.split.train) {
      const auto v = static_cast<std::size_t>(node);
      auto p = logits(x, weights, v);
      const double largest = *std::ranges::max_element(p);
      std::ranges::transform(p, p.begin(), [&](double value) { return std::exp(value - largest); });
      const double sum = std::accumulate(p.begin(), p.end(), 0.0);
      for (std::size_t c = 0; c < p.size(); ++c) {
        const double slope = p[c] / sum - (data.labels[v] == static_cast<std::int32_t>(c));
        for (std::size_t f = 0; f < x.cols(); ++f) {
          gradient(f, c) += slope * x(v, f) / static_cast<double>(data.split.train.size());
        }
      }
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights.data()[i] -= 100 * (gradient.data()[i] + 5e-4 * weights.data()[i]);
    }
  }
  return weights;
}

struct accuracies {
  double low = 0;
  double high = 0;
  double all = 0;
};

/// Percent of test nodes: lower third, upper third by degree, and all.
accuracies measured(const data_type& data, const matrix<double>& x) {
  const auto weights = trained(data, x);
  auto order = data.split.test;
  std::ranges::stable_sort(order, {}, [&](std::int32_t v) { return data.graph.degree(static_cast<std::size_t>(v)); });
  std::vector<double> right(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto scores = logits(x, weights, static_cast<std::size_t>(order[i]));
    const auto best = std::ranges::max_element(scores) - scores.begin();
    right[i] = best == data.labels[static_cast<std::size_t>(order[i])] ? 100 : 0;
  }
  const auto mean = [&](std::size_t begin, std::size_t end) {
    return std::accumulate(right.begin() + static_cast<std::ptrdiff_t>(begin),
                           right.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
           static_cast<double>(end - begin);
  };
  const std::size_t third = right.size() / 3;
  return {mean(0, third), mean(right.size() - third, right.size()), mean(0, right.size())};
}

}  // namespace

TEST_CASE("the embedded dataset is the same for the same seed and index type", "[degree_biased]") {
  const auto first = make_degree_biased<double, std::int32_t>();
  const auto again = make_degree_biased<double, std::int32_t>();
  const auto wide = make_degree_biased<float, std::int64_t>();
  CHECK(std::ranges::equal(first.graph.neighbors(), again.graph.neighbors()));
  CHECK(std::ranges::equal(first.features.sparse().values(), again.features.sparse().values()));
  CHECK(first.split.test == again.split.test);
  CHECK(std::ranges::equal(first.graph.neighbors(), wide.graph.neighbors()));
  CHECK(std::ranges::equal(first.features.sparse().columns(), wide.features.sparse().columns()));
  CHECK(std::ranges::equal(first.labels, wide.labels));
  CHECK(std::ranges::equal(first.split.train, wide.split.train));
  const auto other = make_degree_biased<double, std::int32_t>({.seed = 2});
  CHECK_FALSE(std::ranges::equal(first.graph.neighbors(), other.graph.neighbors()));
  CHECK_FALSE(std::ranges::equal(first.features.sparse().columns(), other.features.sparse().columns()));
  CHECK(first.split.train != other.split.train);
}

TEST_CASE("the embedded dataset has the sizes and the split it was asked for", "[degree_biased]") {
  const auto data = make_degree_biased<double, std::int32_t>();
  CHECK_NOTHROW(data.check());
  CHECK(data.nodes() == 2500);
  CHECK(data.graph.entries() == 10000);
  CHECK(is_symmetric(data.graph));
  CHECK(data.split.validation.size() == 500);
  CHECK(data.split.test.size() == 1000);
  std::vector<int> per_class(data.classes, 0);
  for (const auto v : data.split.train) {
    ++per_class[static_cast<std::size_t>(data.labels[static_cast<std::size_t>(v)])];
  }
  CHECK(per_class == std::vector<int>(7, 20));
}

TEST_CASE("the embedded dataset has power-law degrees and its homophily", "[degree_biased]") {
  for (const double wanted : {0.6, 0.8}) {
    const auto data = make_degree_biased<double, std::int32_t>({.homophily = wanted});
    // 5000 independent edges: five standard deviations.
    CHECK(std::abs(homophily(data) - wanted) < 5 * std::sqrt(wanted * (1 - wanted) / 5000));
  }
  const auto data = make_degree_biased<double, std::int32_t>();
  auto degrees = in_degrees(data.graph);
  std::ranges::sort(degrees);
  CHECK(degrees.front() >= 1);
  CHECK(degrees[degrees.size() / 2] <= 3);
  CHECK(std::ranges::count_if(degrees, [](auto d) { return d <= 2; }) > 800);
  CHECK(degrees.back() > 60);
  // The top 1 % of the nodes hold far more than 1 % of the edge ends.
  CHECK(std::accumulate(degrees.end() - 25, degrees.end(), 0) > 800);
  // Without spread the tail is gone.
  auto even = in_degrees(make_degree_biased<double, std::int32_t>({.spread = 1}).graph);
  CHECK(*std::ranges::max_element(even) < 20);
}

TEST_CASE("the embedded features are sparse rows that sum to one", "[degree_biased]") {
  const auto data = make_degree_biased<double, std::int32_t>();
  CHECK(data.features.cols() == 800);
  double furthest = 0;
  std::size_t fewest = 800;
  std::size_t most = 0;
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    const auto values = data.features.sparse().row_values(v);
    furthest = std::max(furthest, std::abs(std::accumulate(values.begin(), values.end(), 0.0) - 1));
    fewest = std::min(fewest, values.size());
    most = std::max(most, values.size());
  }
  CHECK(furthest < 1e-14);
  CHECK(fewest == 8);
  CHECK(most == 24);
}

TEST_CASE("low-degree nodes of the embedded dataset are harder, and features alone are weak", "[degree_biased]") {
  const auto data = make_degree_biased<double, std::int32_t>();
  const auto words = dense_features(data);
  const auto alone = measured(data, words);
  const auto propagated = measured(data, averaged(data, averaged(data, words)));
  CAPTURE(alone.low, alone.high, alone.all, propagated.low, propagated.high, propagated.all);
  CHECK(alone.all > 100.0 / 7 + 10);
  CHECK(propagated.all > alone.all + 25);
  CHECK(propagated.high > propagated.low + 8);
  // The words know nothing of the degree: five standard deviations of a difference of two thirds.
  CHECK(std::abs(alone.high - alone.low) < 5 * 100 * std::sqrt(2 * 0.25 / 333));
}

TEST_CASE("the embedded dataset refuses options that make none", "[degree_biased]") {
  const auto make = [](const degree_biased_options& options) { make_degree_biased<float, std::int32_t>(options); };
  CHECK_THROWS_AS(make({.classes = 1}), argument_error);
  CHECK_THROWS_AS(make({.nodes = 10}), argument_error);
  CHECK_THROWS_AS(make({.mean_degree = 1.5}), argument_error);
  CHECK_THROWS_AS(make({.mean_degree = std::nan("")}), argument_error);
  CHECK_THROWS_AS(make({.exponent = 1}), argument_error);
  CHECK_THROWS_AS(make({.spread = 0.5}), argument_error);
  CHECK_THROWS_AS(make({.homophily = 1.1}), argument_error);
  CHECK_THROWS_AS(make({.words_per_node = 0}), argument_error);
  CHECK_THROWS_AS(make({.words_per_node = 401}), argument_error);
  CHECK_THROWS_AS(make({.topic_words = 801}), argument_error);
  CHECK_THROWS_AS(make({.topic_share = -0.1}), argument_error);
  CHECK_THROWS_AS(make({.nodes = 1500}), argument_error);
  CHECK_THROWS_WITH(make({.nodes = 1500}), Contains("ask for more nodes"));
}
