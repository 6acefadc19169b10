// SPDX-License-Identifier: MIT
// <A x, y> = <x, A' y> for everything linear that a tape records, in each of its arguments: A' is what backward()
// gives. Both sides are sums of the same products a_ij x_j y_i in different orders, so they are apart by no more than
// rounding allows, measured in the sum of their absolute values (rounding.hpp).
#include <catch2/catch.hpp>

#include <deque>

#include "graphpatcher/autodiff/functions.hpp"
#include "graphpatcher/ops/gather.hpp"
#include "graphpatcher/ops/gemm.hpp"
#include "graphpatcher/ops/spmm.hpp"
#include "properties/arbitrary.hpp"
#include "properties/rounding.hpp"
#include "support/random_messages.hpp"

namespace gp = graphpatcher;
using arbitrary::node_id;
using variable = gp::variable<double>;
using tape = gp::tape<double>;

namespace {

const gp::cpu exec{2};

/// The constants of a linear function: numbers, or their absolute values where the size of its sums is asked for.
class constants {
public:
  constants(tape& t, unsigned seed, bool absolute) : tape_(&t), seed_(seed), absolute_(absolute) {}

  const gp::matrix<double>& numbers(std::size_t rows, std::size_t cols) {
    auto made = support::random_matrix<double>(rows, cols, seed_++);
    return held_.emplace_back(absolute_ ? rounding::absolute(std::move(made)) : std::move(made));
  }
  variable operator()(std::size_t rows, std::size_t cols) { return tape_->constant(numbers(rows, cols).view()); }
  tape& on() const { return *tape_; }
  bool absolute() const { return absolute_; }

private:
  tape* tape_;
  unsigned seed_;
  bool absolute_;
  std::deque<gp::matrix<double>> held_;
};

long double inner(gp::matrix_view<const double> a, gp::matrix_view<const double> b) {
  long double sum = 0;
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < a.cols(); ++c) {
      sum += static_cast<long double>(a(r, c)) * static_cast<long double>(b(r, c));
    }
  }
  return sum;
}

/// `linear(constants, x)` for an x of rows x cols; no number of it or of its adjoint goes through more than
/// `roundings`. The slope of sum(f(x) * y) is A' y.
template <class Linear>
void check_adjoint(std::size_t rows, std::size_t cols, std::size_t roundings, Linear&& linear) {
  const unsigned start = arbitrary::seed();
  struct both_sides {
    long double forward;
    long double back;
  };
  const auto sides = [&](bool absolute) {
    tape t(exec);
    constants c(t, start, absolute);
    const auto& numbers = c.numbers(rows, cols);
    const auto x = t.input(numbers.view());
    const auto result = linear(c, x);
    const auto y = c(result.rows(), result.cols());
    t.backward(gp::sum_all(gp::multiply(result, y)));
    return both_sides{inner(result.value(), y.value()), inner(numbers.view(), x.gradient())};
  };
  const auto got = sides(false);
  const auto size = sides(true).forward;
  const auto allowed = static_cast<long double>(rounding::apart(roundings + 4)) * size;
  RC_ASSERT(std::abs(got.forward - got.back) <= allowed);
}

/// One property for each function.
template <class Linear>
void linear(const char* name, Linear&& check) {
  rc::prop(name, std::forward<Linear>(check));
}

}  // namespace

TEST_CASE("adjoints of dense functions", "[properties]") {
  const auto n = [] { return arbitrary::size(1, 40); };
  linear("matmul, the left factor", [&] {
    const std::size_t rows = n(), depth = n(), cols = n();
    check_adjoint(rows, depth, depth + cols, [&](auto& c, auto x) { return gp::matmul(x, c(depth, cols)); });
  });
  linear("matmul, the right factor", [&] {
    const std::size_t rows = n(), depth = n(), cols = n();
    check_adjoint(depth, cols, depth + rows, [&](auto& c, auto x) { return gp::matmul(c(rows, depth), x); });
  });
  linear("add_bias, the bias", [&] {
    const std::size_t rows = n(), cols = n();
    const gp::matrix<double> zeros(rows, cols);
    check_adjoint(1, cols, rows + 1, [&](auto& c, auto x) { return gp::add_bias(c.on().constant(zeros.view()), x); });
  });
  linear("add, subtract, scale, multiply and concat_cols, an argument twice", [&] {
    const std::size_t rows = n(), cols = n();
    check_adjoint(rows, cols, 8, [&](auto& c, auto x) {
      const auto scaled = gp::scale(x, c.absolute() ? 0.7 : -0.7);
      const auto changed = c.absolute() ? gp::add(x, scaled) : gp::subtract(scaled, x);
      return gp::concat_cols(gp::multiply(changed, c(rows, cols)), gp::add(x, x));
    });
  });
  linear("rows", [&] {
    const std::size_t rows = n(), begin = arbitrary::size(0, rows - 1);
    const std::size_t end = arbitrary::size(begin + 1, rows);
    check_adjoint(rows, n(), 2, [&](auto&, auto x) { return gp::rows(x, begin, end); });
  });
  linear("gather_rows, whose adjoint scatters", [&] {
    const std::size_t rows = n();
    const auto ids = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<node_id>>(rc::gen::inRange<node_id>(0, static_cast<node_id>(rows))));
    check_adjoint(rows, n(), ids.size(),
                  [&](auto&, auto x) { return gp::gather_rows(x, std::span<const node_id>(ids)); });
  });
  linear("sum_all and mean_all", [&] {
    const std::size_t rows = n(), cols = n();
    check_adjoint(rows, cols, rows * cols + 2, [&](auto&, auto x) { return gp::sum_all(x); });
    check_adjoint(rows, cols, rows * cols + 4, [&](auto&, auto x) { return gp::mean_all(x); });
  });
  linear("dropout with the masks of a stream", [&] {
    const std::uint64_t seed = arbitrary::seed();
    check_adjoint(n(), n(), 4, [&](auto& c, auto x) {
      c.on().train(gp::random_stream(seed, gp::purpose::dropout));
      return gp::dropout(x, 0.4);
    });
  });
  linear("head_dot, either argument", [&] {
    const std::size_t rows = n(), heads = arbitrary::size(1, 4), width = arbitrary::size(1, 6);
    check_adjoint(rows, heads * width, width + 2,
                  [&](auto& c, auto x) { return gp::head_dot(x, c(1, heads * width), heads); });
    check_adjoint(1, heads * width, width + rows,
                  [&](auto& c, auto x) { return gp::head_dot(c(rows, heads * width), x, heads); });
  });
}

TEST_CASE("adjoints of functions on graphs", "[properties]") {
  // Rows of 0 to 3 * nodes edges, some of them twice (support/random_messages.hpp); whole, and as layers are given it.
  const auto messages = [] { return random_input::messages<node_id>(arbitrary::size(8, 24), arbitrary::seed()); };
  linear("aggregate, normalised in every way", [&] {
    const auto graph = messages();
    for (const auto& block : random_input::blocks(graph)) {
      for (const auto how : {gp::normalisation::sum, gp::normalisation::mean, gp::normalisation::symmetric}) {
        check_adjoint(block.source_rows(), 5, graph.sources.size() + 8,
                      [&](auto&, auto x) { return gp::aggregate(block, x, how); });
      }
    }
  });
  linear("weighted_aggregate, the weights and the rows", [&] {
    const auto graph = messages();
    const std::size_t heads = arbitrary::size(1, 3);
    for (const auto& block : random_input::blocks(graph)) {
      const std::size_t cols = heads * 3;
      check_adjoint(block.source_rows(), cols, graph.sources.size() + 4,
                    [&](auto& c, auto z) { return gp::weighted_aggregate(block, c(block.edges(), heads), z); });
      check_adjoint(block.edges(), heads, graph.sources.size() + 4, [&](auto& c, auto alpha) {
        return gp::weighted_aggregate(block, alpha, c(block.source_rows(), cols));
      });
    }
  });
  linear("segment_reduce, sums and means", [&] {
    const auto lengths = *rc::gen::nonEmpty(rc::gen::container<std::vector<node_id>>(rc::gen::inRange<node_id>(0, 6)));
    std::vector<node_id> offsets{0};
    for (const node_id length : lengths) {
      offsets.push_back(offsets.back() + length);
    }
    const auto rows = static_cast<std::size_t>(offsets.back());
    RC_PRE(rows > 0);
    for (const auto how : {gp::reduction::sum, gp::reduction::mean}) {
      check_adjoint(rows, 3, 10,
                    [&](auto&, auto x) { return gp::segment_reduce(std::span<const node_id>(offsets), x, how); });
    }
  });
  linear("features times weights, of a table, of nodes and of their patches", [&] {
    const auto graph = messages();
    auto table = arbitrary::features(graph.nodes());
    const auto sizes = rounding::absolute_features(table);
    const std::size_t width = table.cols();
    const std::size_t most = width + graph.nodes() + 4;
    check_adjoint(width, 4, most, [&](auto& c, auto w) { return gp::matmul(c.absolute() ? sizes : table, w); });
    check_adjoint(width, 4, most, [&](auto& c, auto w) {
      return gp::project(gp::node_features<double, node_id>{c.absolute() ? &sizes : &table, &graph, {}}, w,
                         graph.nodes());
    });
  });
}

TEST_CASE("products of the kernels and their transposes", "[properties]") {
  rc::prop("gemm, gemm_abt and gemm_atb_add", [] {
    const std::size_t rows = arbitrary::size(1, 70), depth = arbitrary::size(1, 70), cols = arbitrary::size(1, 70);
    const unsigned start = arbitrary::seed();
    long double products[3];
    long double size = 0;
    for (const bool absolute : {true, false}) {
      tape t(exec);
      constants c(t, start, absolute);
      const auto &a = c.numbers(rows, depth), &b = c.numbers(depth, cols), &y = c.numbers(rows, cols);
      gp::matrix<double> ab(rows, cols), yb(rows, depth), ay(depth, cols);
      gp::gemm<double>(exec, a, b, ab);
      gp::gemm_abt<double>(exec, y, b, yb);
      gp::gemm_atb_add<double>(exec, a, y, ay);
      products[0] = inner(ab.view(), y.view());
      products[1] = inner(a.view(), yb.view());
      products[2] = inner(b.view(), ay.view());
      size = absolute ? products[0] : size;
    }
    const auto allowed = static_cast<long double>(rounding::apart(rows + depth + cols + 4)) * size;
    RC_ASSERT(std::abs(products[0] - products[1]) <= allowed);
    RC_ASSERT(std::abs(products[0] - products[2]) <= allowed);
  });
  rc::prop("spmm with scales on both sides and weights of edges", [] {
    const auto graph = random_input::messages<node_id>(arbitrary::size(8, 24), arbitrary::seed());
    const unsigned start = arbitrary::seed();
    for (const auto& block : random_input::blocks(graph)) {
      long double forward = 0, back = 0, size = 0;
      for (const bool absolute : {true, false}) {
        tape t(exec);
        constants c(t, start, absolute);
        const auto &left = c.numbers(1, block.rows()), &right = c.numbers(1, block.source_rows());
        const auto &weights = c.numbers(block.edges(), 2), &x = c.numbers(block.source_rows(), 6);
        const auto& y = c.numbers(block.rows(), 6);
        const gp::spmm_scales<double> scales{left.row(0), right.row(0), weights.view()};
        gp::matrix<double> out(block.rows(), 6), gradient(block.source_rows(), 6);
        gp::spmm<double, node_id>(exec, block, scales, x, out);
        gp::spmm_adjoint<double, node_id>(exec, block, scales, y, gradient);
        forward = inner(out.view(), y.view());
        back = inner(x.view(), gradient.view());
        size = absolute ? forward : size;
      }
      RC_ASSERT(std::abs(forward - back) <= static_cast<long double>(rounding::apart(graph.sources.size() + 8)) * size);
    }
  });
}
