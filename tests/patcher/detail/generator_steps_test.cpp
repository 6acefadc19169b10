// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/generator_steps.hpp"

#include <catch2/catch.hpp>

#include "support/compare.hpp"
#include "support/random_matrix.hpp"
#include "support/slope.hpp"
#include "support/threads.hpp"

namespace gp = graphpatcher;
namespace fast = gp::fast;
using dense = gp::matrix<double>;
using node_id = std::int32_t;
using support::random_matrix;

namespace {

/// Three anchors with 0, 1 and 4 neighbours. Only the lengths matter here.
fast::encoder_graph<node_id> three_anchors() {
  fast::encoder_graph<node_id> graph;
  graph.anchors = {{0, 1, 3, 8}, {0, 0, 0, 0, 0, 0, 0, 0}};
  return graph;
}

/// Everything that steps read: base and neighbours of the anchors, bias, and the patches' products e_1, e_2, ...
struct inputs {
  fast::encoder_base<double> encoder;
  dense bias;
  std::vector<dense> encoded;
  bool loop;

  inputs(std::size_t width, std::size_t steps, bool with_loop)
      : encoder{random_matrix<double>(3, width, 1), random_matrix<double>(3, width, 2), {}},
        bias(random_matrix<double>(1, width, 3)),
        loop(with_loop) {
    for (std::size_t m = 0; m + 1 < steps; ++m) {
      encoded.push_back(random_matrix<double>(3, width, static_cast<unsigned>(10 + m)));
    }
  }

  std::vector<gp::matrix_view<const double>> views(std::size_t patches) const {
    std::vector<gp::matrix_view<const double>> list;
    for (std::size_t k = 0; k < patches; ++k) {
      list.push_back(encoded[k].view());
    }
    return list;
  }

  /// The formula of join_patches(), number by number.
  dense expected(std::size_t patches) const {
    const std::size_t sources[] = {1, 2, 5};
    dense out(3, bias.cols());
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::size_t c = 0; c < bias.cols(); ++c) {
        const auto n = static_cast<double>(sources[b] + patches);
        double base = encoder.base(b, c);
        double patches_hidden = 0;
        for (std::size_t k = 0; k < patches; ++k) {
          base += encoded[k](b, c);
          patches_hidden += std::max((loop ? encoded[k](b, c) : 0) + bias(0, c), 0.0);
        }
        const double own = std::max(base / n + bias(0, c), 0.0);
        out(b, c) = (own + encoder.neighbors(b, c) + patches_hidden) / n;
      }
    }
    return out;
  }
};

}  // namespace

TEST_CASE("patches join an anchor, by hand", "[patcher][fast]") {
  const auto graph = three_anchors();
  const fast::encoder_base<double> encoder{{{3}, {4}, {10}}, {{0}, {1}, {2}}, {}};
  const double bias[] = {-1};
  const dense e1{{2}, {-10}, {5}};
  const dense e2{{7}, {2}, {-1}};
  const std::vector<gp::matrix_view<const double>> both{e1.view(), e2.view()};
  dense a(3, 1);
  dense out(3, 1);
  fast::join_patches<double, node_id>(gp::cpu{}, graph, encoder, 0, bias, {both, false}, a, out);
  // an anchor without neighbours: n = 3, a = relu((3 + 9) / 3 - 1); a patch's hidden row is relu(-1) = 0
  CHECK(a(0, 0) == 3);
  CHECK(out(0, 0) == 1);
  // one neighbour: n = 4, a = relu((4 - 8) / 4 - 1) = 0
  CHECK(a(1, 0) == 0);
  CHECK(out(1, 0) == 0.25);
  fast::join_patches<double, node_id>(gp::cpu{}, graph, encoder, 0, bias, {both, true}, a, out);
  // with loops, patches have relu(2 - 1) and relu(7 - 1)
  CHECK(a(0, 0) == 3);
  CHECK(out(0, 0) == Approx((3 + 1 + 6) / 3.0).epsilon(1e-15));
  // the rows from the second anchor on
  dense a_rest(2, 1);
  dense out_rest(2, 1);
  const std::vector<gp::matrix_view<const double>> rest{e1.view().middle_rows(1, 3), e2.view().middle_rows(1, 3)};
  fast::join_patches<double, node_id>(gp::cpu{}, graph, encoder, 1, bias, {rest, true}, a_rest, out_rest);
  CHECK(support::same_bits(a_rest, a.view().middle_rows(1, 3)));
  CHECK(support::same_bits(out_rest, out.view().middle_rows(1, 3)));
}

TEST_CASE("patches join anchors of any degree, in any number, and the adjoint is the slope", "[patcher][fast]") {
  const auto graph = three_anchors();
  for (const bool loop : {false, true}) {
    for (const auto& [width, steps, first] : {std::tuple{1, 1, 0}, {3, 4, 0}, {3, 4, 3}, {70, 3, 0}, {64, 2, 1}}) {
      INFO("width " << width << ", " << steps << " steps from " << first << (loop ? ", loops" : ""));
      const auto count = static_cast<std::size_t>(steps);
      inputs in(static_cast<std::size_t>(width), count, loop);
      const std::size_t cols = in.bias.cols();
      const std::size_t trained = count - static_cast<std::size_t>(first);
      dense a(3 * trained, cols);
      for (std::size_t m = 0; m < count; ++m) {
        dense activated(3, cols);
        dense out(3, cols);
        const auto views = in.views(m);
        fast::join_patches<double, node_id>(gp::cpu{2}, graph, in.encoder, 0, in.bias.row(0), {views, loop}, activated,
                                            out);
        CHECK(support::largest_difference(out, in.expected(m)) < 1e-14);  // a dozen numbers below 1
        for (std::size_t b = 0; m + trained >= count && b < 3; ++b) {
          std::ranges::copy(activated.row(b), a.row(3 * (m + trained - count) + b).begin());
        }
      }

      const auto g = random_matrix<double>(3 * trained, cols, 20);
      const auto value = [&] {
        double sum = 0;
        for (std::size_t m = count - trained; m < count; ++m) {
          const auto out = in.expected(m);
          for (std::size_t b = 0; b < 3; ++b) {
            for (std::size_t c = 0; c < cols; ++c) {
              sum += g(3 * (m + trained - count) + b, c) * out(b, c);
            }
          }
        }
        return sum;
      };
      dense g_base(3, cols);
      dense g_neighbors(3, cols);
      dense g_encoded(3 * (count - 1), cols);
      dense g_bias(1, cols);
      g_bias.fill(0.25);  // added to; the others are written
      g_base.fill(9);
      g_neighbors.fill(9);
      g_encoded.fill(9);
      const auto views = in.views(count - 1);
      fast::join_patches_adjoint<double, node_id>(gp::cpu{2}, graph, in.bias.row(0), {views, loop}, count - trained, a,
                                                  g, {g_base, g_neighbors, g_encoded, g_bias.row(0)});
      for (std::size_t c = 0; c < cols; c += cols < 10 ? 1 : 9) {
        const auto slope_at = [&](double& x) { return Approx(support::slope(x, value)).margin(support::slope_margin); };
        CHECK(g_bias(0, c) - 0.25 == slope_at(in.bias(0, c)));
        for (std::size_t b = 0; b < 3; ++b) {
          CHECK(g_base(b, c) == slope_at(in.encoder.base(b, c)));
          CHECK(g_neighbors(b, c) == slope_at(in.encoder.neighbors(b, c)));
          for (std::size_t k = 0; k + 1 < count; ++k) {
            CHECK(g_encoded(3 * k + b, c) == slope_at(in.encoded[k](b, c)));
          }
        }
      }
    }
  }
}

TEST_CASE("rows are activated, with what is there of bias, further terms and dropout", "[patcher][fast]") {
  const fast::drop_rule<node_id> keep_all{gp::random_stream(0, gp::purpose::dropout), 0, {}};
  dense y{{1, -2}, {-3, 4}};
  fast::activate_rows<double, node_id>(gp::cpu{}, {}, {}, keep_all, y);
  CHECK(support::same_bits(y, dense{{1, 0}, {0, 4}}));
  const double bias[] = {1, -5};
  fast::activate_rows<double, node_id>(gp::cpu{}, bias, {}, keep_all, y);
  CHECK(support::same_bits(y, dense{{2, 0}, {1, 0}}));
  const dense extra{{-3, 6}, {0.5, 5}};
  fast::activate_rows<double, node_id>(gp::cpu{}, bias, extra, keep_all, y);
  CHECK(support::same_bits(y, dense{{0, 1}, {2.5, 0}}));
}

TEST_CASE("dropout keeps and scales, and is keyed by the anchor, not by its row", "[patcher][fast]") {
  const std::vector<node_id> keys{7, 3, 7};
  const gp::random_stream stream(5, gp::purpose::dropout);
  dense y(3, 100);
  y.fill(2);
  fast::activate_rows<double, node_id>(gp::cpu{2}, {}, {}, {stream, 0.75, keys}, y);
  std::size_t kept = 0;
  for (const double value : y.values()) {
    CHECK((value == 0 || value == 8));
    kept += value == 8 ? 1 : 0;
  }
  CHECK(kept > 30);  // 75 of 300 on the mean, six deviations of 7.5 from either bound
  CHECK(kept < 120);
  CHECK(support::same_bits(y.view().middle_rows(0, 1), y.view().middle_rows(2, 3)));
  CHECK_FALSE(support::same_bits(y.view().middle_rows(0, 1), y.view().middle_rows(1, 2)));
  dense alone(1, 100);
  alone.fill(2);
  fast::activate_rows<double, node_id>(gp::cpu{}, {}, {}, {stream, 0.75, std::span(keys).subspan(1, 1)}, alone);
  CHECK(support::same_bits(alone, y.view().middle_rows(1, 2)));
}

TEST_CASE("the adjoint of activated rows passes what was kept, and adds up the bias's", "[patcher][fast]") {
  const dense y{{0, 2, 3}, {1, 0, 5}};
  dense g{{1, 10, 100}, {2, 20, 200}};
  dense g_bias{{0.5, 0, 0}};
  fast::activate_rows_adjoint<double>(gp::cpu{}, y, 4, g, g_bias.row(0));
  CHECK(support::same_bits(g, dense{{0, 40, 400}, {8, 0, 800}}));
  CHECK(support::same_bits(g_bias, dense{{8.5, 40, 1200}}));
}

TEST_CASE("sums over many rows have the same bits for any number of threads", "[patcher][fast]") {
  const auto y = random_matrix<float>(500, 131, 1);
  support::same_for_any_threads([&](const gp::cpu& exec) {
    auto g = random_matrix<float>(500, 131, 2);
    gp::matrix<float> sums(1, 131);
    fast::activate_rows_adjoint<float>(exec, y, 1.25f, g, sums.row(0));
    return std::vector{std::move(g), std::move(sums)};
  });
}
