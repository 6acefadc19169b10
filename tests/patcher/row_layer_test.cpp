// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/row_layer.hpp"

#include <catch2/catch.hpp>

#include "own_backbone/gin.hpp"
#include "support/random_matrix.hpp"

namespace {

struct half_finished : gin_row<float> {
  using gin_row<float>::gin_row;
  void finish(float*) const {}
};
struct finished : half_finished {
  using half_finished::half_finished;
  void finish_adjoint(const float*, float*) const {}
};
/// combine() changes the layer.
struct restless : gin_row<float> {
  using gin_row<float>::gin_row;
  void combine(const gp::row_sources<float>&, float*, std::vector<float>&) {}
};
struct wordless {
  std::size_t outputs() const { return 1; }
};

}  // namespace

TEST_CASE("a row layer is known by its members, and what it lacks has a name", "[patcher][fast]") {
  static_assert(gp::row_layer<gin_row<float>>);
  static_assert(gp::row_layer<finished>);
  static_assert(!gp::finishes_both_ways<half_finished>);
  static_assert(!gp::row_layer<half_finished>);
  static_assert(!gp::combines_messages<restless>);
  static_assert(gp::combines_back<restless>);
  static_assert(!gp::row_layer<restless>);
  static_assert(!gp::has_linear_weight<wordless>);
  static_assert(gp::tells_its_outputs<wordless>);
  static_assert(!gp::row_layer<wordless>);
  static_assert(!gp::may_scale_sources<gin_row<float>>);
  static_assert(!gp::widens_messages<gin_row<float>>);
  static_assert(!gp::row_layer<int>);
  CHECK(gp::padded(9) == 16);
}

TEST_CASE("a linear layer of one row is the layer's row, and its adjoint the transpose", "[patcher][fast]") {
  gp::linear<double> layer(5, 3, {}, gp::random_stream(1, gp::purpose::initialisation));
  const auto x = support::random_matrix<double>(1, 5, 3);
  const auto g = support::random_matrix<double>(1, 3, 4);
  const auto check = [&] {
    const gp::row_linear<double> row(layer);
    CHECK(row.outputs() == 3);
    std::vector<double> y(8, 7.0);
    row.forward(x.data(), y.data());
    std::vector<double> g_x(8, 0.5);  // added to
    row.adjoint(g.data(), g_x.data());
    for (std::size_t c = 0; c < 3; ++c) {
      double expected = layer.has_bias() ? layer.bias.value(0, c) : 0;
      for (std::size_t k = 0; k < 5; ++k) {
        expected += x(0, k) * layer.weight.value(k, c);
        g_x[k] -= g(0, c) * layer.weight.value(k, c);
      }
      CHECK(y[c] == Approx(expected).epsilon(1e-14));
    }
    for (const double rest : g_x) {
      CHECK(rest == Approx(0.5).epsilon(1e-14));
    }
  };
  check();
  layer = gp::linear<double>(5, 3, {.bias = false}, gp::random_stream(1, gp::purpose::initialisation));
  check();
}

TEST_CASE("columns are padded with zeros, and only where they have to be", "[patcher][fast]") {
  const auto padded = gp::pad_columns(gp::matrix<float>{{1, 2}, {3, 4}});
  CHECK(padded.cols() == 8);
  CHECK(padded(1, 1) == 4);
  CHECK(padded(1, 2) == 0);
  CHECK(gp::pad_columns(gp::matrix<float>(3, 8)).cols() == 8);
  CHECK(gp::pad_columns(gp::matrix<float>(3, 0)).cols() == 0);
}
