// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphpatcher/core/checked_size.hpp"
#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/ego_batch.hpp"

namespace graphpatcher {

/// How the expectation over corrupted ego-graphs is taken.
enum class estimator {
  sampled,  ///< L independent draws
  exact,    ///< anchors of degree <= 3: all of their at most 8 masks, each with its probability; others sampled
};

/// Anchors up to this degree are enumerated by estimator::exact.
inline constexpr std::size_t exact_degree = 3;

struct corruption_options {
  double strength = 0.3;    ///< probability with which each neighbour of an anchor is dropped, in [0, 1]
  std::size_t samples = 1;  ///< L, draws an anchor
  std::uint64_t seed = 0;
  std::uint64_t iteration = 0;  ///< draws of different iterations and steps are independent
  std::uint64_t step = 0;
  graphpatcher::estimator estimator = estimator::sampled;
};

/// Which neighbours of each anchor survive, for several samples, over an ego
/// batch; nothing of the ego-graphs is copied.
///
///   keep[sample * offsets.back() + offsets[b] + n]: 1 if neighbour n of anchor
///   b survives in that sample; `offsets` are running sums of the degrees.
///   weights[b * samples + sample]: share of a sample in its anchor's mean;
///   0 means that the sample does not exist (estimator::exact).
struct corruption_masks {
  std::size_t samples = 0;
  std::vector<std::size_t> offsets;
  std::vector<std::uint8_t> keep;
  std::vector<double> weights;

  std::span<const std::uint8_t> kept(std::size_t ego, std::size_t sample) const noexcept {
    return std::span<const std::uint8_t>(keep).subspan(sample * offsets.back() + offsets[ego],
                                                       offsets[ego + 1] - offsets[ego]);
  }
  double weight(std::size_t ego, std::size_t sample) const noexcept { return weights[ego * samples + sample]; }
};

/// Throws unless the masks are of these ego-graphs, as far as their sizes tell.
template <graph_index I>
void expects_masks_of(const ego_batch<I>& batch, const corruption_masks& masks, const char* name) {
  bool fits = masks.offsets.size() == batch.size() + 1 && masks.offsets.front() == 0;
  for (std::size_t b = 0; fits && b < batch.size(); ++b) {
    fits = masks.offsets[b + 1] - masks.offsets[b] == batch.neighbors(b).size();
  }
  expects<shape_error>(fits, name, ": expected masks of these ", batch.size(),
                       " ego-graphs, got those of another batch");
  expects<shape_error>(masks.keep.size() == checked_product(name, masks.samples, masks.offsets.back()) &&
                           masks.weights.size() == checked_product(name, masks.samples, batch.size()),
                       name, ": expected masks and weights of ", masks.samples, " samples, got ", masks.keep.size(),
                       " and ", masks.weights.size());
}

/// Draws of (anchor, neighbour): sample s is word s % 4 of the Philox block
/// with counter (anchor | neighbour, high halves | s / 4).
constexpr philox::counter_type neighbor_draws(const random_stream& stream, std::uint64_t anchor, std::uint64_t neighbor,
                                              std::uint64_t block) noexcept {
  const std::uint64_t low = (anchor << 32) | (neighbor & 0xFFFFFFFFull);
  const std::uint64_t high = ((anchor >> 32) << 48) | (((neighbor >> 32) & 0xFFFFull) << 32) | block;
  return stream.bits(low, high);
}

namespace detail {

/// All 2^d masks of one anchor, probability t^dropped (1 - t)^kept each.
inline void enumerate_masks(std::size_t ego, std::size_t degree, double strength, corruption_masks& masks) {
  for (std::size_t sample = 0; sample < masks.samples; ++sample) {
    double probability = sample < (std::size_t{1} << degree) ? 1.0 : 0.0;
    for (std::size_t n = 0; n < degree; ++n) {
      const bool survives = ((sample >> n) & 1) != 0;
      masks.keep[sample * masks.offsets.back() + masks.offsets[ego] + n] = survives;
      probability *= survives ? 1.0 - strength : strength;
    }
    masks.weights[ego * masks.samples + sample] = probability;
  }
}

}  // namespace detail

/// Draws which neighbours of each anchor survive: T(G, t) as masks. Keyed by
/// (seed, iteration, step, anchor, neighbour, sample), never by a position, so
/// the bits are the same for any batch and any thread count.
template <graph_index I>
corruption_masks corrupt(const cpu& exec, const ego_batch<I>& batch, corruption_options options) {
  expects(options.strength >= 0.0 && options.strength <= 1.0, "corruption: expected a strength in [0, 1], got ",
          options.strength);
  expects(options.samples >= 1, "corruption: expected at least 1 sample, got 0");
  const bool exact = options.estimator == estimator::exact;
  corruption_masks masks;
  masks.samples = exact ? std::max(options.samples, std::size_t{1} << exact_degree) : options.samples;
  masks.offsets.push_back(0);
  for (std::size_t b = 0; b < batch.size(); ++b) {
    masks.offsets.push_back(masks.offsets.back() + batch.neighbors(b).size());
  }
  masks.keep.resize(checked_product<std::uint8_t>("corruption: masks", masks.samples, masks.offsets.back()));
  masks.weights.resize(checked_product<double>("corruption: weights", masks.samples, batch.size()));

  const auto stream = random_stream(options.seed, purpose::corruption).fork(options.iteration).fork(options.step);
  const std::uint64_t threshold = probability_threshold(options.strength);
  parallel_for(exec, batch.size(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      const auto neighbors = batch.neighbors(b);
      if (exact && neighbors.size() <= exact_degree) {
        detail::enumerate_masks(b, neighbors.size(), options.strength, masks);
        continue;
      }
      for (std::size_t sample = 0; sample < options.samples; ++sample) {
        masks.weights[b * masks.samples + sample] = 1.0 / static_cast<double>(options.samples);
      }
      for (std::size_t n = 0; n < neighbors.size(); ++n) {
        for (std::size_t sample = 0; sample < options.samples; sample += 4) {
          const auto draws = neighbor_draws(stream, static_cast<std::uint64_t>(batch.anchors[b]),
                                            static_cast<std::uint64_t>(neighbors[n]), sample / 4);
          for (std::size_t word = 0; word < 4 && sample + word < options.samples; ++word) {
            masks.keep[(sample + word) * masks.offsets.back() + masks.offsets[b] + n] = draws[word] >= threshold;
          }
        }
      }
    }
  });
  return masks;
}

}  // namespace graphpatcher
