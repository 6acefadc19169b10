// SPDX-License-Identifier: MIT
#include "graphpatcher/autodiff/pooled_messages.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "graphpatcher/autodiff/gradient_check.hpp"
#include "graphpatcher/autodiff/graph_functions.hpp"
#include "nn/layer_support.hpp"

namespace gp = graphpatcher;
using id32 = std::int32_t;
using gp_test::random_matrix;

namespace {

/// A pooling over features as wide as asked: three strips and more, or less than one.
template <class T>
struct pooling {
  gp::message_graph<id32> graph = gp_test::around(gp_test::small_graph<id32>(), {2, 8, 5}, 2);
  gp::feature_table<T, id32> table;
  gp::parameter<T> weight;
  gp::parameter<T> bias;

  explicit pooling(std::size_t features)
      : table(gp::sparse_from_dense<id32>(gp_test::sparse_looking_matrix<T>(9, features, 4).view())),
        weight("P", features, features),
        bias("p", 1, features) {
    gp_test::randomise<T>({&weight, &bias}, 5);
  }

  gp::node_features<T, id32> features() const { return {&table, &graph, {}}; }
  gp::variable<T> in_strips(gp::tape<T>& t, const gp::message_block<id32>& block) const {
    return gp::pooled_messages(block, features(), t.use(weight), t.use(bias));
  }
  gp::variable<T> as_a_whole(gp::tape<T>& t, const gp::message_block<id32>& block) const {
    const auto linear = gp::project(features(), t.use(weight), block.source_rows());
    return gp::segment_max(block, gp::relu(gp::add_bias(linear, t.use(bias))));
  }
};

}  // namespace

TEST_CASE("pooled messages in strips are the same bits as whole ones, gradients too", "[pooled_messages]") {
  pooling<float> pool(GENERATE(3, 256, 257, 600));
  const std::size_t hops = GENERATE(0, 1);
  const auto block = pool.graph.towards(hops);
  const auto r = random_matrix<float>(block.rows(), pool.bias.value.cols(), 6);
  gp::tape<float> whole;
  const auto expected = pool.as_a_whole(whole, block);
  whole.backward(gp_test::weighted_sum(expected, r));
  const auto weight_gradient = pool.weight.gradient;
  const auto bias_gradient = pool.bias.gradient;
  CHECK(gp_test::relative_difference(bias_gradient.view(), gp::matrix<float>(1, bias_gradient.cols()).view()) > 0);

  for (const int threads : {1, 2, 3}) {
    pool.weight.has_gradient = false;
    pool.bias.has_gradient = false;
    gp::tape<float> t(gp::cpu{threads});
    const auto y = pool.in_strips(t, block);
    t.backward(gp_test::weighted_sum(y, r));
    CHECK(gp_test::same_values(y.value(), expected.value()));
    CHECK(gp_test::same_values(pool.weight.gradient.view(), weight_gradient.view()));
    CHECK(gp_test::same_values(pool.bias.gradient.view(), bias_gradient.view()));
  }
}

TEST_CASE("pooled messages pass the gradient check", "[pooled_messages]") {
  pooling<double> pool(5);
  const auto block = pool.graph.towards(1);
  const auto r = random_matrix<double>(block.rows(), 5, 7);
  const auto build = [&](gp::tape<double>& t) { return gp_test::weighted_sum(pool.in_strips(t, block), r); };
  CHECK(gp::gradient_check({&pool.weight, &pool.bias}, build) < 1e-6);
}

TEST_CASE("pooled messages refuse patches and wrong shapes", "[pooled_messages]") {
  pooling<float> pool(5);
  const auto block = pool.graph.towards(1);
  gp::tape<float> t;
  const auto weight = t.use(pool.weight);
  const auto bias = t.use(pool.bias);
  auto patched = pool.features();
  patched.patches.push_back(weight);
  CHECK_THROWS_WITH(gp::pooled_messages(block, patched, weight, bias), Catch::Contains("without patches, got 1"));
  const gp::matrix<float> narrow(4, 5);
  CHECK_THROWS_AS(gp::pooled_messages(block, pool.features(), t.constant(narrow), bias), gp::shape_error);
  CHECK_THROWS_AS(gp::pooled_messages(block, pool.features(), weight, weight), gp::shape_error);
}
