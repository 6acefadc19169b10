// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphpatcher/core/interrupt.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/methods/answers_so_far.hpp"

/// Propagation of answers as in APPNP (Klicpera et al., ICLR 2019), of a model that was not trained for it.
namespace graphpatcher {

/// How a node weighs its neighbours in propagated().
enum class propagation {
  mean,       ///< 1 / (1 + d_v), itself among them: rows that add up to 1 stay so
  symmetric,  ///< 1 / sqrt(d_v d_u), without itself
};

/// Z_0 = start, Z_{k+1} = alpha start + (1 - alpha) S Z_k, after `steps` steps; S is what `kind` says.
template <class T, graph_index I>
matrix<T> propagated(const cpu& exec, const csr_graph<I>& graph, const matrix<T>& start, double alpha,
                     std::size_t steps, propagation kind) {
  matrix<T> now = start, before(start.rows(), start.cols());
  const bool own = kind == propagation::mean;
  const auto degree = [&](std::size_t v) { return static_cast<double>(graph.degree(v)); };
  for (std::size_t step = 0; step < steps; ++step) {
    throw_if_interrupted("propagating answers");
    std::swap(before, now);
    parallel_for(exec, graph.nodes(), 64, [&](std::size_t first, std::size_t last) {
      std::vector<double> sum(start.cols());
      for (std::size_t v = first; v < last; ++v) {
        std::ranges::transform(before.row(v), sum.begin(),
                               [&](T value) { return own ? static_cast<double>(value) : 0; });
        for (const I u : graph.neighbors(v)) {
          const auto row = before.row(static_cast<std::size_t>(u));
          const double weight = own ? 1 : 1 / std::sqrt(degree(v) * degree(static_cast<std::size_t>(u)));
          for (std::size_t c = 0; c < sum.size(); ++c) {
            sum[c] += weight * static_cast<double>(row[c]);
          }
        }
        const double scale = (1 - alpha) / (own ? 1 + degree(v) : 1);
        for (std::size_t c = 0; c < sum.size(); ++c) {
          now(v, c) = static_cast<T>(alpha * static_cast<double>(start(v, c)) + scale * sum[c]);
        }
      }
    });
  }
  return now;
}

/// Ten steps over the edges, sharpened before or not; alpha is the likeliest on validation nodes, 1 among them.
struct propagate {
  static constexpr method_info info{"propagate", "answers propagated over the edges as in APPNP", method_role::control};

  template <class T, graph_index I>
  static void run(method_run<T, I>& run) {
    const cpu exec = run.exec.host();
    const auto own = answers_so_far(run);
    likeliest<T, I> choice(*run.data);
    choice.offer(own, "no");
    for (const bool sharpened : {false, true}) {
      const auto start = sharpened ? sharpen(exec, own, choice.temperature_of(own)) : own;
      for (const double alpha : {0.1, 0.2, 0.5, 0.8}) {
        choice.offer(propagated(exec, run.data->graph, start, alpha, 10, propagation::mean),
                     text("alpha ", alpha, sharpened ? ", sharpened" : ""));
      }
    }
    run.settings.set("propagate", choice.name());
    run.answer_with(choice.logits());
  }
};

}  // namespace graphpatcher
