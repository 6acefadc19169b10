// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graphpatcher/autodiff/dense_functions.hpp"
#include "graphpatcher/autodiff/gradient_check.hpp"
#include "graphpatcher/autodiff/graph_functions.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using namespace random_input;
using gp::variable;

namespace {

using tape = gp::tape<double>;

gp::parameter<double> parameter_of(gp::matrix<double> value) {
  gp::parameter<double> p("p", value.rows(), value.cols());
  p.value = std::move(value);
  return p;
}

/// A loss that tells all components of y apart.
variable<double> spread(const variable<double>& y, const gp::matrix<double>& r) {
  return gp::sum_all(gp::multiply(y, y.owner().constant(r)));
}

}  // namespace

TEST_CASE("aggregate: the adjoint, every normalisation, whole graphs and prefixes") {
  const auto graph = messages<std::int32_t>(16, 1);
  for (const auto& block : blocks(graph)) {
    auto x = parameter_of(values<double>(16, 3, 2));  // more rows than a prefix reads
    const auto r = values<double>(block.rows(), 3, 3);
    for (const auto how : {gp::normalisation::sum, gp::normalisation::mean, gp::normalisation::symmetric}) {
      const auto build = [&](tape& t) { return spread(gp::aggregate(block, t.use(x), how), r); };
      CHECK(gp::gradient_check({&x}, build) < 1e-6);
    }
  }
}

TEST_CASE("aggregate: the mean by hand, an empty row gives 0") {
  const auto graph = messages<std::int32_t>(16, 1);
  const auto x = values<double>(16, 2, 2);
  tape t;
  const auto y = gp::aggregate(graph.all(), t.constant(x), gp::normalisation::mean);
  CHECK(y.rows() == 16);
  CHECK_FALSE(y.needs_gradient());
  CHECK(y.value()(1, 0) == 0);
  double sum = 0;
  for (std::int32_t e = 0; e < graph.offsets[1]; ++e) {
    sum += x(static_cast<std::size_t>(graph.sources[static_cast<std::size_t>(e)]), 1);
  }
  CHECK(y.value()(0, 1) == Approx(sum / graph.offsets[1]));
}

TEST_CASE("segment_max: the adjoint goes to the winner, repeated edges count once") {
  const auto graph = messages<std::int64_t>(16, 2);
  for (const auto& block : blocks(graph)) {
    auto x = parameter_of(distinct_values<double>(16, 3, 4));
    const auto r = values<double>(block.rows(), 3, 5);
    CHECK(gp::gradient_check({&x}, [&](tape& t) { return spread(gp::segment_max(block, t.use(x)), r); }) < 1e-6);
  }
}

TEST_CASE("segment_reduce: the adjoint of each reduction") {
  const std::vector<std::int32_t> offsets{0, 3, 3, 4, 9};
  auto x = parameter_of(distinct_values<double>(9, 2, 6));
  const auto r = values<double>(4, 2, 7);
  for (const auto how : {gp::reduction::sum, gp::reduction::mean, gp::reduction::max}) {
    const auto build = [&](tape& t) {
      return spread(gp::segment_reduce(std::span<const std::int32_t>(offsets), t.use(x), how), r);
    };
    CHECK(gp::gradient_check({&x}, build) < 1e-6);
  }
}

TEST_CASE("head_dot: the adjoint") {
  auto z = parameter_of(values<double>(5, 6, 1));
  auto l = parameter_of(values<double>(1, 6, 2));
  const auto r = values<double>(5, 2, 3);
  CHECK(gp::gradient_check({&z, &l}, [&](tape& t) { return spread(gp::head_dot(t.use(z), t.use(l), 2), r); }) < 1e-6);
}

TEST_CASE("attention: the adjoint of each function, and of all of them together") {
  const auto graph = messages<std::int32_t>(14, 3);
  const std::size_t heads = 2;
  for (const auto& block : blocks(graph)) {
    auto el = parameter_of(distinct_values<double>(14, heads, 1));
    auto er = parameter_of(distinct_values<double>(14, heads, 2));
    for (double& value : er.value.values()) {
      value += 0.013;  // no sum at the kink
    }
    auto scores = parameter_of(values<double>(block.edges(), heads, 3));
    auto z = parameter_of(values<double>(14, heads * 3, 4));
    auto l = parameter_of(values<double>(1, heads * 3, 5));
    auto m = parameter_of(values<double>(1, heads * 3, 6));
    const auto edge_r = values<double>(block.edges(), heads, 7);
    const auto row_r = values<double>(block.rows(), heads * 3, 8);
    CHECK(gp::gradient_check({&el, &er}, [&](tape& t) {
            return spread(gp::edge_scores(block, t.use(el), t.use(er)), edge_r);
          }) < 1e-6);
    CHECK(gp::gradient_check({&scores},
                             [&](tape& t) { return spread(gp::edge_softmax(block, t.use(scores)), edge_r); }) < 1e-6);
    CHECK(gp::gradient_check({&scores, &z}, [&](tape& t) {
            return spread(gp::weighted_aggregate(block, t.use(scores), t.use(z)), row_r);
          }) < 1e-6);
    CHECK(gp::gradient_check({&z, &l, &m}, [&](tape& t) {
            const auto zs = t.use(z);
            const auto alpha = gp::edge_softmax(
                block, gp::edge_scores(block, gp::head_dot(zs, t.use(l), heads), gp::head_dot(zs, t.use(m), heads)));
            return spread(gp::weighted_aggregate(block, alpha, zs), row_r);
          }) < 1e-6);
  }
}

TEST_CASE("graph functions: frozen inputs get no gradient, the others do") {
  const auto graph = messages<std::int32_t>(14, 3);
  const auto block = graph.towards(0);
  const auto scores = values<double>(block.edges(), 2, 1);
  const auto z = values<double>(14, 6, 2);
  tape t;
  const auto fixed = t.constant(scores);
  const auto wanted = t.input(z);
  t.backward(gp::sum_all(gp::weighted_aggregate(block, fixed, wanted)));
  CHECK_FALSE(fixed.needs_gradient());
  double moved = 0;
  for (std::size_t j = 0; j < block.source_rows(); ++j) {
    moved += std::abs(wanted.gradient()(j, 0));
  }
  CHECK(moved > 0);
  for (std::size_t j = block.source_rows(); j < 14; ++j) {
    CHECK(wanted.gradient()(j, 0) == 0);
  }
}

TEST_CASE("graph functions: what does not fit is refused") {
  const auto graph = messages<std::int32_t>(14, 3);
  const auto block = graph.towards(0);
  const gp::matrix<double> few(block.source_rows() - 1, 4);
  const gp::matrix<double> enough(block.source_rows(), 4);
  const gp::matrix<double> edges(block.edges(), 3);
  const gp::matrix<double> no_heads(block.edges(), 0);
  tape t;
  CHECK_THROWS_AS(gp::aggregate(block, t.constant(few), gp::normalisation::sum), gp::shape_error);
  CHECK_THROWS_AS(gp::segment_max(block, t.constant(few)), gp::shape_error);
  CHECK_THROWS_AS(gp::weighted_aggregate(block, t.constant(edges), t.constant(enough)), gp::shape_error);
  CHECK_THROWS_AS(gp::weighted_aggregate(block, t.constant(no_heads), t.constant(enough)), gp::shape_error);
  CHECK_THROWS_AS(gp::edge_softmax(block, t.constant(enough)), gp::shape_error);
  CHECK_THROWS_AS(gp::edge_scores(block, t.constant(few), t.constant(enough)), gp::shape_error);
  CHECK_THROWS_AS(gp::head_dot(t.constant(enough), t.constant(enough), 2), gp::shape_error);
  CHECK_THROWS_AS(gp::head_dot(t.constant(enough), t.constant(enough), 0), gp::shape_error);
  CHECK_THROWS_AS(gp::segment_reduce(std::span<const std::int32_t>{}, t.constant(enough), gp::reduction::sum),
                  gp::shape_error);
  const gp::message_graph<std::int32_t> empty;
  CHECK_THROWS_AS(gp::aggregate(empty.all(), t.constant(enough), gp::normalisation::mean), gp::shape_error);
}
