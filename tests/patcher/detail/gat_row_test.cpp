// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/gat_row.hpp"

#include "patcher/detail/row_layers.hpp"

namespace gp = graphpatcher;
using gp::head_merge;
using layer_type = gp::gat_layer<double>;
using row_type = gp::fast::gat_row<double>;
using row_layers::packed;

namespace {

layer_type made(std::size_t in, std::size_t width, std::size_t heads, head_merge merge) {
  return layer_type(in, width, {.heads = heads, .merge = merge, .slope = 0.25},
                    gp::random_stream(1, gp::purpose::initialisation));
}

}  // namespace

TEST_CASE("attention over two messages, by hand", "[patcher][fast]") {
  layer_type attention = made(1, 1, 2, head_merge::concat);
  attention.weight.value = {{1, 2}};
  attention.attention_left.value = {{1, 0.5}};
  attention.attention_right.value = {{3, -4}};
  attention.bias.value = {{0, 10}};
  const auto messages = row_layers::messages_of(packed<row_type>(attention), slow::dense{{1}, {-1}});
  // z = [1, 2] and [-1, -2]; left = z · l, right = z · r, a head
  CHECK(messages(0, 8) == 1);
  CHECK(messages(0, 9) == 1);
  CHECK(messages(1, 8) == -1);
  CHECK(messages(0, 16) == 3);
  CHECK(messages(0, 17) == -8);
  CHECK(messages(1, 17) == 8);
  const auto out = row_layers::receiver(messages, 0, {0, 1}, {}).output(packed<row_type>(attention));
  const double first = std::exp(4.0) / (std::exp(4.0) + std::exp(2.0));                     // of 1 + 3 and -1 + 3
  const double second = std::exp(-7 * 0.25) / (std::exp(-7 * 0.25) + std::exp(-9 * 0.25));  // of 1 - 8 and -1 - 8
  CHECK(out[0] == Approx(first - (1 - first)).epsilon(1e-14));
  CHECK(out[1] == Approx(2 * second - 2 * (1 - second) + 10).epsilon(1e-14));

  attention.options.merge = head_merge::mean;
  const auto merged = row_layers::receiver(messages, 0, {0, 1}, {}).output(packed<row_type>(attention));
  REQUIRE(merged.size() == 1);
  CHECK(merged[0] == Approx((out[0] + out[1]) / 2).epsilon(1e-14));
  CHECK(row_layers::receiver(messages, 0, {}, {}).output(packed<row_type>(attention)) == std::vector<double>{5});
}

TEST_CASE("scores far from each other don't overflow", "[patcher][fast]") {
  layer_type attention = made(1, 1, 1, head_merge::concat);
  attention.weight.value = {{1}};
  attention.attention_left.value = {{1}};
  attention.attention_right.value = {{0}};
  attention.bias.value = {{0}};
  const auto messages = row_layers::messages_of(packed<row_type>(attention), slow::dense{{2000}, {1}, {-4000}});
  CHECK(row_layers::receiver(messages, 0, {1, 0, 2}, {}).output(packed<row_type>(attention)) ==
        std::vector<double>{2000});
}

TEST_CASE("rows of attention are the layer's, and their adjoints the slopes", "[patcher][fast]") {
  for (const auto merge : {head_merge::concat, head_merge::mean}) {
    for (const auto& [in, width, heads] : {std::tuple{3, 1, 1}, {5, 3, 3}, {4, 1, 9}, {2, 11, 2}}) {
      INFO((merge == head_merge::mean ? "mean " : "concat ") << in << " x " << width << ", " << heads << " heads");
      const auto random = row_layers::randomised(made(in, width, heads, merge), static_cast<unsigned>(width));
      row_layers::check_outputs<row_type>(random);
      row_layers::check_combine_adjoint<row_type>(random, row_layers::lists());
      row_layers::check_finish_adjoint<row_type>(random);
    }
  }
}
