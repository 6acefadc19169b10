// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "graphpatcher/graph/csr_graph.hpp"
#include "graphpatcher/nn/gat.hpp"
#include "graphpatcher/nn/gcn.hpp"
#include "graphpatcher/nn/sage.hpp"

/// Frozen layers over every node of a small graph, number by number as nn/ defines them: slow and obvious.
namespace slow {

namespace gp = graphpatcher;
using dense = gp::matrix<double>;

/// sources[i]: who sends to node i, in the order in which messages are aggregated. Degrees are those of these lists.
using source_lists = std::vector<std::vector<std::size_t>>;

/// Everybody itself, then its neighbours; loops of the data are left out, repeated edges count.
template <class I>
source_lists sources_of(const gp::csr_graph<I>& graph) {
  source_lists sources(graph.nodes());
  for (std::size_t v = 0; v < graph.nodes(); ++v) {
    sources[v].push_back(v);
    for (const I u : graph.neighbors(v)) {
      if (static_cast<std::size_t>(u) != v) {
        sources[v].push_back(static_cast<std::size_t>(u));
      }
    }
  }
  return sources;
}

inline dense product(const dense& a, const dense& b) {
  dense out(a.rows(), b.cols());
  for (std::size_t r = 0; r < a.rows(); ++r) {
    for (std::size_t c = 0; c < b.cols(); ++c) {
      for (std::size_t k = 0; k < a.cols(); ++k) {
        out(r, c) += a(r, k) * b(k, c);
      }
    }
  }
  return out;
}

inline dense with_bias(dense x, const dense& bias) {
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t c = 0; c < x.cols(); ++c) {
      x(r, c) += bias(0, c);
    }
  }
  return x;
}

template <class F>
dense each(dense x, F&& f) {
  std::transform(x.values().begin(), x.values().end(), x.values().begin(), f);
  return x;
}
inline dense relu(dense x) {
  return each(std::move(x), [](double value) { return std::max(value, 0.0); });
}
inline dense elu(dense x) {
  return each(std::move(x), [](double value) { return value > 0 ? value : std::exp(value) - 1; });
}

inline dense output(const gp::gcn_layer<double>& layer, const dense& x, const source_lists& sources) {
  std::vector<double> out_degree(x.rows(), 0.0);
  for (const auto& row : sources) {
    for (const std::size_t j : row) {
      ++out_degree[j];
    }
  }
  const bool symmetric = layer.norm == gp::normalisation::symmetric;
  const dense z = product(x, layer.weight.value);
  dense out(x.rows(), z.cols());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const double degree = std::max(1.0, static_cast<double>(sources[i].size()));
    for (const std::size_t j : sources[i]) {
      const double scale = symmetric ? 1 / std::sqrt(degree * out_degree[j]) : 1 / degree;
      for (std::size_t c = 0; c < z.cols(); ++c) {
        out(i, c) += scale * z(j, c);
      }
    }
  }
  return with_bias(out, layer.bias.value);
}

inline dense output(const gp::sage_layer<double>& layer, const dense& x, const source_lists& sources) {
  const bool pool = layer.aggregator == gp::sage_aggregator::pool;
  const dense messages = pool ? relu(with_bias(product(x, layer.pool_weight.value), layer.pool_bias.value)) : x;
  dense aggregated(x.rows(), messages.cols());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const std::size_t j : sources[i]) {
      for (std::size_t c = 0; c < messages.cols(); ++c) {
        double& to = aggregated(i, c);
        to = pool ? std::max(to, messages(j, c)) : to + messages(j, c) / static_cast<double>(sources[i].size());
      }
    }
  }
  const dense from_sources = product(aggregated, layer.neigh_weight.value);
  dense out = with_bias(product(x, layer.self_weight.value), layer.self_bias.value);
  std::transform(out.values().begin(), out.values().end(), from_sources.values().begin(), out.values().begin(),
                 std::plus<>());
  return out;
}

inline dense output(const gp::gat_layer<double>& layer, const dense& x, const source_lists& sources) {
  const dense z = product(x, layer.weight.value);
  const std::size_t heads = layer.options.heads;
  const std::size_t width = z.cols() / heads;
  dense every_head(x.rows(), z.cols());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::size_t h = 0; h < heads; ++h) {
      std::vector<double> weights;
      double sum = 0;
      for (const std::size_t j : sources[i]) {
        double score = 0;
        for (std::size_t c = h * width; c < (h + 1) * width; ++c) {
          score += layer.attention_left.value(0, c) * z(j, c) + layer.attention_right.value(0, c) * z(i, c);
        }
        weights.push_back(std::exp(score > 0 ? score : layer.options.slope * score));
        sum += weights.back();
      }
      for (std::size_t k = 0; k < sources[i].size(); ++k) {
        for (std::size_t c = h * width; c < (h + 1) * width; ++c) {
          every_head(i, c) += weights[k] / sum * z(sources[i][k], c);
        }
      }
    }
  }
  every_head = with_bias(every_head, layer.bias.value);
  if (layer.options.merge == gp::head_merge::concat) {
    return every_head;
  }
  dense out(x.rows(), width);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t c = 0; c < z.cols(); ++c) {
      out(i, c % width) += every_head(i, c) / static_cast<double>(heads);
    }
  }
  return out;
}

}  // namespace slow
