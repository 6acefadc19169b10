// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/check_rows.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/autodiff/activation_functions.hpp"
#include "own_backbone/gin.hpp"
#include "patcher/detail/backbones.hpp"
#include "patcher/detail/odd_graphs.hpp"

using toy::node_id;

namespace {

/// GIN's rows with one mistake.
enum class mistake { none, answer, gradient, not_a_number };

template <mistake Which>
struct wrong_row : gin_row<double> {
  using gin_row<double>::gin_row;

  void combine(const gp::row_sources<double>& in, double* out, std::vector<double>& scratch) const {
    gin_row<double>::combine(in, out, scratch);
    out[0] *= Which == mistake::answer ? 1.01 : Which == mistake::not_a_number ? std::nan("") : 1;
  }
  void combine_adjoint(const gp::row_sources<double>& in, const double* g, std::size_t k, double* g_source,
                       double* g_own, std::vector<double>& scratch) const {
    std::vector<double> bent(g, g + gp::padded(outputs()));
    bent[0] *= Which == mistake::gradient ? 1.01 : 1;
    gin_row<double>::combine_adjoint(in, bent.data(), k, g_source, g_own, scratch);
  }
};

template <mistake Which>
struct wrong_gin : gin_backbone<double> {
  using gin_backbone<double>::gin_backbone;
  auto rows() const { return gp::row_model(wrong_row<Which>(layers[0]), wrong_row<Which>(layers[1])); }
};

template <class Model>
gp::rows_difference difference_of() {
  const auto model = backbones::shaken(Model(12, 6, 3, gp::random_stream(1, gp::purpose::initialisation)));
  return gp::check_rows(model, toy::make<double>());
}

/// A symmetric graph convolution, whose sources are scaled, then GraphSAGE, which wants no scales, and between them an
/// activation that takes numbers only and has a slope of its own.
struct leak {
  double slope_below;
  double value(double x) const { return x > 0 ? x : slope_below * x; }
  double slope(double y) const { return y > 0 ? 1 : slope_below; }
};
struct mixed_backbone {
  using scalar_type = double;
  gp::gcn_layer<double> first;
  gp::sage_layer<double> last;

  mixed_backbone()
      : first(12, 9, gp::normalisation::symmetric, gp::random_stream(1, gp::purpose::initialisation)),
        last(9, 3, {.aggregator = gp::sage_aggregator::mean}, gp::random_stream(2, gp::purpose::initialisation)) {}

  std::size_t hops() const { return 2; }
  std::size_t classes() const { return 3; }
  gp::parameter_list<double> parameters() {
    auto list = first.parameters();
    const auto more = last.parameters();
    list.insert(list.end(), more.begin(), more.end());
    return list;
  }
  auto rows() const {
    return gp::row_model(gp::fast::gcn_row<double>(first), gp::fast::sage_row<double>(last), leak{0.3});
  }
  template <gp::graph_index I>
  gp::variable<double> forward(gp::tape<double>& t, const gp::message_graph<I>& graph,
                               const gp::node_features<double, I>& x) const {
    return last.forward(t, graph.towards(0), gp::leaky_relu(first.forward(t, graph.towards(1), x), 0.3));
  }
};

}  // namespace

TEST_CASE("rows of every backbone agree with it on every graph", "[patcher][fast]") {
  for (const auto& [name, graph] : odd::graphs()) {
    const auto data = odd::data_on<double>(graph);
    const auto check = [&, &title = name](const char* kind, const auto& model) {
      INFO(title << ", " << kind);
      const auto difference = gp::check_rows(model, data);
      CHECK(difference.answers < 1e-9);
      CHECK(difference.gradients < 1e-9);
    };
    backbones::for_each<double>(12, 3, check);
    check("gin", backbones::shaken(gin_backbone<double>(12, 13, 3, gp::random_stream(1, gp::purpose::initialisation))));
    check("gcn and sage", backbones::shaken(mixed_backbone()));
  }
}

TEST_CASE("wrong rows are found", "[patcher][fast]") {
  CHECK(difference_of<wrong_gin<mistake::none>>().answers < 1e-9);
  CHECK(difference_of<wrong_gin<mistake::none>>().gradients < 1e-9);
  CHECK(difference_of<wrong_gin<mistake::answer>>().answers > 1e-4);
  CHECK(difference_of<wrong_gin<mistake::gradient>>().answers < 1e-9);
  CHECK(difference_of<wrong_gin<mistake::gradient>>().gradients > 1e-4);
  CHECK(std::isinf(difference_of<wrong_gin<mistake::not_a_number>>().answers));
}

TEST_CASE("rows that can't be taken are refused with the reason", "[patcher][fast]") {
  const auto data = toy::make<double>();
  CHECK_THROWS_WITH(gp::check_rows(gp::gcn_backbone<double>({.layers = 3}, 12, 3), data),
                    Catch::Contains("2 layers, this one has 3"));
  struct no_rows : gp::gcn_backbone<double> {
    using gp::gcn_backbone<double>::gcn_backbone;
  };
  CHECK_THROWS_WITH(gp::check_rows(no_rows({}, 12, 3), data), Catch::Contains("no member rows()"));
}
