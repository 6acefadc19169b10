// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/row_model.hpp"

#include "patcher/detail/backbones.hpp"
#include "patcher/detail/row_layers.hpp"
#include "support/slow_patching.hpp"

namespace gp = graphpatcher;
namespace fast = gp::fast;
using slow::dense;

namespace {

/// A backbone that somebody derives may compute something else.
struct own_backbone : gp::gcn_backbone<double> {
  using gp::gcn_backbone<double>::gcn_backbone;
};

/// GraphSAGE's pooled messages above 0, where ReLU and maximum have slopes.
template <class Model>
Model without_kinks(Model model) {
  for (auto* p : model.parameters()) {
    for (double& value : p->value.values()) {
      value += p->name == "layers.0.fc_pool.bias" ? 20 : 0;
    }
  }
  return model;
}

}  // namespace

TEST_CASE("activations and their slopes by the value", "[patcher][fast]") {
  CHECK(fast::relu_activation::value(2.5) == 2.5);
  CHECK(fast::relu_activation::value(-2.5) == 0);
  CHECK(fast::relu_activation::slope(2.5) == 1);
  CHECK(fast::relu_activation::slope(0.0) == 0);
  CHECK(fast::elu_activation::value(2.5) == 2.5);
  CHECK(fast::elu_activation::value(-1e-20) == -1e-20);  // no digit is lost next to 0
  CHECK(fast::elu_activation::value(-1.0) == Approx(std::exp(-1.0) - 1).epsilon(1e-15));
  for (double x : {-3.0, -0.1, 0.2, 4.0}) {
    const double slope = fast::elu_activation::slope(fast::elu_activation::value(x));
    CHECK(slope == Approx(support::slope(x, [&] { return fast::elu_activation::value(x); })).margin(1e-9));
  }
}

TEST_CASE("only the backbones themselves have rows, trained or not", "[patcher][fast]") {
  static_assert(fast::has_rows<gp::gcn_backbone<float>>);
  static_assert(fast::has_rows<gp::sage_backbone<double>>);
  static_assert(fast::has_rows<gp::trained<gp::gat_backbone<float>>>);
  static_assert(!fast::has_rows<own_backbone>);
  static_assert(!fast::has_rows<int>);
  static_assert(std::same_as<fast::rows_type<gp::gat_backbone<float>>, fast::gat_rows<float>>);
  const gp::sage_backbone<double> model({.hidden = 9}, 5, 3);
  const auto rows = fast::rows_of(model);
  CHECK(rows.classes() == 3);
  CHECK(rows.first_weight.rows() == 5);
  CHECK(rows.second_weight.rows() == 9);
}

TEST_CASE("a message of layer 2 is the second product of the hidden row, and its adjoint the slope",
          "[patcher][fast]") {
  const dense x = support::random_matrix<double>(5, 6, 3);
  const slow::source_lists sources{{0}, {1, 0, 2}, {2, 1, 4}, {}, {4, 0, 1, 2, 3}};
  backbones::for_each<double>(6, 3, [&](const char* kind, const auto& given) {
    const auto model = without_kinks(given);
    const auto rows = fast::rows_of(model);
    const dense messages = row_layers::messages_of(rows.first, x);
    const dense expected = row_layers::messages_of(rows.second, slow::hidden(model, x, sources));
    for (std::size_t node = 0; node < 5; ++node) {
      INFO(kind << ", node " << node);
      row_layers::receiver in(messages, node, sources[node], row_layers::scales_of(rows.first, sources, node));
      fast::row_scratch<double> scratch;
      std::vector<double> message(rows.second.width());
      const auto make = [&] { rows.make_message({in.own.data(), in.pointers, in.scales}, message.data(), scratch); };
      make();
      for (std::size_t c = 0; c < message.size(); ++c) {
        CHECK(message[c] == Approx(expected(node, c)).margin(1e-12));  // a hundred products of numbers below 10
      }
      const std::vector<double> made = message;
      const dense g = support::random_matrix<double>(1, message.size(), 7);
      const auto value = [&] {
        make();
        double sum = 0;
        for (std::size_t c = 0; c < message.size(); ++c) {
          sum += g(0, c) * message[c];
        }
        return sum;
      };
      for (std::size_t k = 0; k < sources[node].size(); ++k) {
        std::vector<double> g_message(g.row(0).begin(), g.row(0).end());
        std::vector<double> g_source(rows.first.width(), 0.5);  // added to
        std::vector<double> g_own(rows.first.width(), 0.25);
        rows.make_message_adjoint({in.own.data(), in.pointers, in.scales}, made.data(), g_message.data(), k,
                                  g_source.data(), g_own.data(), scratch);
        for (std::size_t c = 0; c < rows.first.width(); ++c) {
          CHECK(g_source[c] - 0.5 == Approx(support::slope(in.sources[k][c], value)).margin(support::slope_margin));
          CHECK(g_own[c] - 0.25 == Approx(support::slope(in.own[c], value)).margin(support::slope_margin));
        }
      }
    }
  });
}
