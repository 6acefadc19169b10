// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/packed_rows.hpp"

#include "graphpatcher/patcher/detail/rows_of.hpp"
#include "patcher/detail/backbones.hpp"
#include "patcher/detail/row_layers.hpp"
#include "support/slow_patching.hpp"

namespace gp = graphpatcher;
namespace fast = gp::fast;
using slow::dense;

namespace {

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

namespace {

/// A row layer with the least that it can have: a sum, the weight one column wide.
struct plain_row {
  using scalar_type = double;
  gp::matrix<double> weight{{2}, {3}};

  std::size_t outputs() const { return 1; }
  gp::matrix<double> linear_weight() const { return weight; }
  void combine(const gp::row_sources<double>& in, double* out, std::vector<double>&) const {
    out[0] = 0;
    for (const double* const row : in.rows) {
      out[0] += row[0];
    }
    scales_seen = in.scales.size();
  }
  void combine_adjoint(const gp::row_sources<double>&, const double* g, std::size_t, double* g_source, double*,
                       std::vector<double>&) const {
    if (g_source != nullptr) {
      g_source[0] += g[0];
    }
  }
  mutable std::size_t scales_seen = 0;
};

/// And one that has all of it: a message is [x W, its negative].
struct full_row : plain_row {
  std::size_t message_width = 16;
  std::size_t width() const { return message_width; }
  bool scales_sources() const { return true; }
  void finish(double* message) const { std::transform(message, message + 8, message + 8, std::negate<>()); }
  void finish_adjoint(const double*, double* g) const { g[0] -= g[8]; }
};

}  // namespace

TEST_CASE("what a row layer leaves out has the defaults, and its weight is padded", "[patcher][fast]") {
  const fast::packed_row plain{plain_row()};
  CHECK(plain.inputs() == 2);
  CHECK(plain.linear_width() == 8);
  CHECK(plain.width() == 8);
  CHECK(plain.weight()(1, 0) == 3);
  CHECK(plain.weight()(1, 7) == 0);
  CHECK_FALSE(plain.scales_sources());
  std::vector<double> message{5, 1};
  plain.finish(message.data());
  plain.finish_adjoint(message.data(), message.data());
  CHECK(message == std::vector<double>{5, 1});

  const fast::packed_row full{full_row()};
  CHECK(full.width() == 16);
  CHECK(full.scales_sources());
  std::vector<double> wide{7, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9};
  full.finish(wide.data());
  CHECK(wide[8] == -7);
  full.finish_adjoint(wide.data(), wide.data());
  CHECK(wide[0] == 14);
}

TEST_CASE("a layer that wants no scales gets none, whatever the other wants", "[patcher][fast]") {
  plain_row layer;
  const std::vector<double> message{5};
  const std::vector<const double*> rows{message.data()};
  const std::vector<double> scales{0.5};
  std::vector<double> scratch;
  double out[8];
  const auto seen = [&](const auto& row) {
    row.combine({message.data(), rows, scales}, out, scratch);
    return row.layer().scales_seen;
  };
  CHECK(seen(fast::packed_row(layer)) == 0);
  CHECK(seen(fast::packed_row(full_row())) == 1);
}

TEST_CASE("layers that don't fit are refused", "[patcher][fast]") {
  full_row odd;
  odd.message_width = 12;
  CHECK_THROWS_WITH(fast::packed_row(odd),
                    "row layer: expected messages of 8 columns or more, a multiple of 8, got width() = 12");
  odd.message_width = 0;
  CHECK_THROWS_AS(fast::packed_row(odd), gp::shape_error);
  CHECK_THROWS_WITH(fast::packed_rows(gp::row_model(plain_row(), plain_row())),
                    "row_model: expected a second layer of 1 inputs, as the first has outputs, got a weight of 2 rows");
}
