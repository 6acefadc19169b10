// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/error.hpp"
#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/builder.hpp"

namespace graphpatcher {

/// R-MAT (Chakrabarti, Zhan, Faloutsos, 2004): graphs of any size with skewed
/// degrees, for measuring speed. Defaults are Graph500's.
struct rmat_options {
  int scale = 16;                            ///< 2^scale nodes
  std::size_t edges = std::size_t{1} << 20;  ///< edges drawn; fewer are left once loops and repetitions are gone
  double a = 0.57;                           ///< low source, low target
  double b = 0.19;                           ///< low source, high target
  double c = 0.19;                           ///< high source, low target
  double d = 0.05;                           ///< high source, high target
  std::uint64_t seed = 1;
};

namespace detail {

template <graph_index I>
void check_rmat(const rmat_options& options) {
  expects(options.scale >= 0, "rmat: expected a scale of at least 0, got ", options.scale);
  constexpr int largest = std::numeric_limits<I>::digits - 1;
  expects<overflow_error>(options.scale <= largest, "rmat: 2^", options.scale, " nodes do not fit an index of ",
                          8 * sizeof(I), " bits, which takes a scale of at most ", largest);
  for (const double share : {options.a, options.b, options.c, options.d}) {
    expects(share >= 0 && share <= 1, "rmat: expected a, b, c, d in [0, 1], got ", share);
  }
  const double sum = options.a + options.b + options.c + options.d;
  expects(std::abs(sum - 1) < 1e-9, "rmat: expected a + b + c + d = 1, got ", sum);
}

}  // namespace detail

/// The edges as drawn. Edge e descends `scale` levels of the adjacency matrix;
/// level l takes the quadrant that 32 bits of Philox under the key (seed, e, l)
/// fall into, and so decides one bit of source and of target. Keyed by the
/// edge: the same list for any number of threads. Ids are not shuffled, so
/// small ids have the large degrees.
template <graph_index I>
std::vector<edge<I>> rmat_edges(const cpu& exec, const rmat_options& options) {
  detail::check_rmat<I>(options);
  const random_stream stream(options.seed, purpose::generator);
  const std::uint64_t below_a = probability_threshold(options.a);
  const std::uint64_t below_b = probability_threshold(options.a + options.b);
  const std::uint64_t below_c = probability_threshold(options.a + options.b + options.c);

  std::vector<edge<I>> edges(checked_product<edge<I>>("rmat: edges", options.edges));
  parallel_for(exec, edges.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      std::uint64_t source = 0;
      std::uint64_t target = 0;
      philox::counter_type word{};
      for (unsigned level = 0; level < static_cast<unsigned>(options.scale); ++level) {
        if (level % 4 == 0) {
          word = stream.bits(e, level / 4);
        }
        const std::uint64_t draw = word[level % 4];
        const bool high_source = draw >= below_b;
        const bool high_target = high_source ? draw >= below_c : draw >= below_a;
        source = 2 * source + high_source;
        target = 2 * target + high_target;
      }
      edges[e] = {static_cast<I>(source), static_cast<I>(target)};
    }
  });
  return edges;
}

/// An undirected simple R-MAT graph of 2^scale nodes.
template <graph_index I>
csr_graph<I> make_rmat(const cpu& exec, const rmat_options& options) {
  const auto edges = rmat_edges<I>(exec, options);
  return build_graph(std::size_t{1} << options.scale, edges);
}

}  // namespace graphpatcher
