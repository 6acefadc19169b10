// SPDX-License-Identifier: MIT
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/patcher/detail/packed_rows.hpp"
#include "support/random_matrix.hpp"
#include "support/slope.hpp"
#include "support/slow_layers.hpp"

/// What every row layer must do, checked against the layer it stands for.
namespace row_layers {

namespace gp = graphpatcher;
using slow::dense;

/// Random numbers for every parameter, biases too.
template <class Layer>
Layer randomised(Layer layer, unsigned seed) {
  for (auto* p : layer.parameters()) {
    p->value = support::random_matrix<double>(p->value.rows(), p->value.cols(), seed++);
  }
  return layer;
}

/// The row layer of a layer, with the members that it may leave out.
template <class Row, class Layer>
gp::fast::packed_row<Row> packed(const Layer& layer) {
  return gp::fast::packed_row<Row>(Row(layer));
}

/// The messages of all rows of x.
template <class Row>
dense messages_of(const Row& row, const dense& x) {
  const dense linear = slow::product(x, row.weight());
  dense messages(x.rows(), row.width());
  messages.fill(1e30);  // finish() has to fill in what it adds
  for (std::size_t v = 0; v < x.rows(); ++v) {
    std::copy_n(linear.row(v).data(), linear.cols(), messages.row(v).data());
    row.finish(messages.row(v).data());
  }
  return messages;
}

/// A receiver: its own message and those of its sources, copies that may be changed one by one.
struct receiver {
  std::vector<double> own;
  std::vector<std::vector<double>> sources;
  std::vector<double> scales;
  std::vector<const double*> pointers;

  receiver(const dense& messages, std::size_t node, const std::vector<std::size_t>& from, std::vector<double> factors)
      : own(messages.row(node).begin(), messages.row(node).end()), scales(std::move(factors)) {
    for (const std::size_t source : from) {
      sources.emplace_back(messages.row(source).begin(), messages.row(source).end());
    }
    for (const auto& source : sources) {
      pointers.push_back(source.data());
    }
  }

  template <class Row>
  std::vector<double> output(const Row& row) const {
    using sources_type = gp::row_sources<double>;
    std::vector<double> out((row.outputs() + 7) / 8 * 8);
    std::vector<double> scratch;
    row.combine(sources_type{own.data(), pointers, scales}, out.data(), scratch);
    out.resize(row.outputs());
    return out;
  }
};

/// Five nodes: one whose messages come from itself alone, one with three sources, one with a repeated edge, one without
/// any source, one with all others.
inline slow::source_lists lists() {
  return {{0}, {1, 0, 2}, {2, 1, 1, 4}, {}, {4, 0, 1, 2, 3}};
}

/// Right scales of the sources of a node; none if the layer has none.
template <class Row>
std::vector<double> scales_of(const Row& row, const slow::source_lists& sources, std::size_t node) {
  std::vector<double> scales;
  for (const std::size_t source : sources[node]) {
    double degree = 0;
    for (const auto& list : sources) {
      degree += static_cast<double>(std::count(list.begin(), list.end(), source));
    }
    scales.push_back(1 / std::sqrt(degree));
  }
  return row.scales_sources() ? scales : std::vector<double>();
}

/// combine() gives the layer's rows.
template <class Row, class Layer>
void check_outputs(const Layer& layer) {
  const auto row = packed<Row>(layer);
  const dense x = support::random_matrix<double>(5, layer.inputs(), 3);
  const dense messages = messages_of(row, x);
  const auto sources = lists();
  const dense expected = slow::output(layer, x, sources);
  for (std::size_t node = 0; node < 5; ++node) {
    INFO("node " << node);
    const auto out = receiver(messages, node, sources[node], scales_of(row, sources, node)).output(row);
    for (std::size_t c = 0; c < layer.outputs(); ++c) {
      CHECK(out[c] == Approx(expected(node, c)).margin(1e-13));  // a hundred products of numbers below 1
    }
  }
}

/// The adjoint of combine(), for every source and the own row.
template <class Row, class Layer>
void check_combine_adjoint(const Layer& layer, const slow::source_lists& sources) {
  const auto row = packed<Row>(layer);
  const dense messages = messages_of(row, support::random_matrix<double>(5, layer.inputs(), 3));
  const dense g = support::random_matrix<double>(1, (layer.outputs() + 7) / 8 * 8, 9);
  for (std::size_t node = 0; node < 5; ++node) {
    receiver in(messages, node, sources[node], scales_of(row, sources, node));
    const auto value = [&] {
      const auto out = in.output(row);
      double sum = 0;
      for (std::size_t c = 0; c < out.size(); ++c) {
        sum += g(0, c) * out[c];
      }
      return sum;
    };
    for (std::size_t k = 0; k < sources[node].size(); ++k) {
      INFO("node " << node << ", source " << k);
      std::vector<double> g_source(row.width(), 0.5);  // added to
      std::vector<double> g_own(row.width(), 0.25);
      std::vector<double> scratch;
      row.combine_adjoint({in.own.data(), in.pointers, in.scales}, g.data(), k, g_source.data(), g_own.data(), scratch);
      for (std::size_t c = 0; c < row.width(); ++c) {
        CHECK(g_source[c] - 0.5 == Approx(support::slope(in.sources[k][c], value)).margin(support::slope_margin));
        CHECK(g_own[c] - 0.25 == Approx(support::slope(in.own[c], value)).margin(support::slope_margin));
      }
      std::vector<double> alone(row.width(), 0.5);
      row.combine_adjoint({in.own.data(), in.pointers, in.scales}, g.data(), k, alone.data(), nullptr, scratch);
      CHECK(alone == g_source);
      alone.assign(row.width(), 0.25);
      row.combine_adjoint({in.own.data(), in.pointers, in.scales}, g.data(), k, nullptr, alone.data(), scratch);
      CHECK(alone == g_own);
    }
  }
}

/// The adjoint of finish().
template <class Row, class Layer>
void check_finish_adjoint(const Layer& layer) {
  const auto row = packed<Row>(layer);
  dense linear = slow::product(support::random_matrix<double>(1, layer.inputs(), 3), row.weight());
  const dense weights = support::random_matrix<double>(1, row.width(), 11);
  std::vector<double> message(row.width());
  const auto value = [&] {
    std::copy_n(linear.data(), linear.cols(), message.data());
    row.finish(message.data());
    double sum = 0;
    for (std::size_t c = 0; c < message.size(); ++c) {
      sum += weights(0, c) * message[c];
    }
    return sum;
  };
  value();
  std::vector<double> gradient(weights.row(0).begin(), weights.row(0).end());
  row.finish_adjoint(message.data(), gradient.data());
  for (std::size_t c = 0; c < row.linear_width(); ++c) {
    INFO("column " << c);
    CHECK(gradient[c] == Approx(support::slope(linear(0, c), value)).margin(support::slope_margin));
  }
}

}  // namespace row_layers
