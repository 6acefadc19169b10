// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/sage_row.hpp"

#include "patcher/detail/row_layers.hpp"

namespace gp = graphpatcher;
using gp::sage_aggregator;
using layer_type = gp::sage_layer<double>;
using row_type = gp::fast::sage_row<double>;
using row_layers::packed;

namespace {

layer_type made(std::size_t in, std::size_t out, sage_aggregator aggregator) {
  return layer_type(in, out, {.aggregator = aggregator}, gp::random_stream(1, gp::purpose::initialisation));
}

/// Two pooled messages, [2, 0] and [1, 3], and what they do to a row with the own feature x.
layer_type pool_by_hand() {
  layer_type pool = made(2, 1, sage_aggregator::pool);
  pool.pool_weight.value = {{1, 0}, {0, 1}};
  pool.pool_bias.value = {{1, -1}};
  pool.neigh_weight.value = {{10}, {100}};
  pool.self_weight.value = {{1}, {1}};
  pool.self_bias.value = {{0.5}};
  return pool;
}

}  // namespace

TEST_CASE("GraphSAGE's rows by hand", "[patcher][fast]") {
  const slow::dense x{{1, 0}, {0, 4}};
  const layer_type pool = pool_by_hand();
  const auto messages = row_layers::messages_of(packed<row_type>(pool), x);
  CHECK(messages(0, 0) == 2);
  CHECK(messages(0, 1) == 0);  // relu(0 - 1)
  CHECK(messages(1, 1) == 3);
  // max([2, 0], [1, 3]) = [2, 3]; 20 + 300 + own (1 + 0) + 0.5
  CHECK(row_layers::receiver(messages, 0, {0, 1}, {}).output(packed<row_type>(pool)) == std::vector<double>{321.5});
  CHECK(row_layers::receiver(messages, 1, {}, {}).output(packed<row_type>(pool)) == std::vector<double>{4.5});

  layer_type mean = made(2, 1, sage_aggregator::mean);
  mean.neigh_weight.value = {{2}, {4}};
  mean.self_weight.value = {{1}, {-1}};
  mean.self_bias.value = {{0.5}};
  const auto averaged = row_layers::messages_of(packed<row_type>(mean), x);
  // (2 + 16) / 2 + own (0 - 4) + 0.5
  CHECK(row_layers::receiver(averaged, 1, {1, 0}, {}).output(packed<row_type>(mean)) == std::vector<double>{5.5});
}

TEST_CASE("a tie of the maximum has its gradient at the first source", "[patcher][fast]") {
  const layer_type pool = pool_by_hand();
  const auto messages = row_layers::messages_of(packed<row_type>(pool), slow::dense{{1, 3}, {1, 3}});
  const row_layers::receiver in(messages, 0, {0, 1}, {});
  const double g[8] = {1};
  std::vector<double> scratch;
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> gradient(packed<row_type>(pool).width());
    packed<row_type>(pool).combine_adjoint({in.own.data(), in.pointers, {}}, g, k, gradient.data(), nullptr, scratch);
    CHECK(gradient[0] == (k == 0 ? 10 : 0));
    CHECK(gradient[1] == (k == 0 ? 100 : 0));
  }
}

TEST_CASE("rows of GraphSAGE are the layer's, and their adjoints the slopes", "[patcher][fast]") {
  for (const auto aggregator : {sage_aggregator::mean, sage_aggregator::pool}) {
    for (const auto& [in, out] : {std::pair{3, 1}, {8, 8}, {11, 13}}) {
      INFO((aggregator == sage_aggregator::mean ? "mean " : "pool ") << in << " x " << out);
      auto random = row_layers::randomised(made(in, out, aggregator), static_cast<unsigned>(out));
      row_layers::check_outputs<row_type>(random);
      row_layers::check_finish_adjoint<row_type>(random);
      // away from the kinks of ReLU and maximum: every message above 0, none equal
      for (double& weight : random.pool_weight.value.values()) {
        weight /= 10;
      }
      std::ranges::fill(random.pool_bias.value.values(), 2.0);
      row_layers::check_combine_adjoint<row_type>(random, {{0}, {1, 0, 2}, {2, 1, 4}, {}, {4, 0, 1, 2, 3}});
    }
  }
}
