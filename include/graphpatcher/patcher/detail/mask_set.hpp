// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/graph/corruption.hpp"

namespace graphpatcher::fast::inline GP_LEVEL {

/// The masks of one anchor, a bit a neighbour, each different one once. The
/// bits are those of corrupt() for the same options.
class mask_set {
public:
  std::size_t size() const noexcept { return weights_.size(); }
  /// Share of a mask in the mean over the samples.
  double weight(std::size_t mask) const noexcept { return weights_[mask]; }
  /// Which mask a sample drew.
  std::size_t of_sample(std::size_t sample) const noexcept { return of_sample_[sample]; }
  std::size_t samples() const noexcept { return of_sample_.size(); }
  bool keeps(std::size_t mask, std::size_t neighbor) const noexcept {
    return (bits_[mask * words_ + neighbor / 64] >> (neighbor % 64) & 1) != 0;
  }

  /// `stream` is that of (seed, iteration, step): see corruption_stream().
  template <graph_index I>
  void draw(const random_stream& stream, const corruption_options& options, I anchor, std::span<const I> neighbors) {
    words_ = (neighbors.size() + 63) / 64;
    if (options.estimator == estimator::exact && neighbors.size() <= exact_degree) {
      enumerate(neighbors.size(), options.strength);
      return;
    }
    const std::uint64_t threshold = probability_threshold(options.strength);
    bits_.assign(options.samples * words_, 0);
    for (std::size_t n = 0; n < neighbors.size(); ++n) {
      for (std::size_t sample = 0; sample < options.samples; sample += 4) {
        const auto draws = neighbor_draws(stream, static_cast<std::uint64_t>(anchor),
                                          static_cast<std::uint64_t>(neighbors[n]), sample / 4);
        for (std::size_t word = 0; word < std::min<std::size_t>(4, options.samples - sample); ++word) {
          bits_[(sample + word) * words_ + n / 64] |= std::uint64_t{draws[word] >= threshold} << (n % 64);
        }
      }
    }
    merge(options.samples);
  }

private:
  /// Keeps the first of equal masks.
  void merge(std::size_t samples) {
    weights_.clear();
    of_sample_.resize(samples);
    for (std::size_t sample = 0; sample < samples; ++sample) {
      const auto drawn = bits_.begin() + static_cast<std::ptrdiff_t>(sample * words_);
      std::size_t mask = 0;
      while (mask < weights_.size() && !std::equal(drawn, drawn + static_cast<std::ptrdiff_t>(words_),
                                                   bits_.begin() + static_cast<std::ptrdiff_t>(mask * words_))) {
        ++mask;
      }
      if (mask == weights_.size()) {
        std::copy_n(drawn, words_, bits_.begin() + static_cast<std::ptrdiff_t>(mask * words_));
        weights_.push_back(0);
      }
      weights_[mask] += 1.0 / static_cast<double>(samples);
      of_sample_[sample] = mask;
    }
  }

  /// All 2^d masks with a probability above zero, t^dropped (1 - t)^kept each.
  void enumerate(std::size_t degree, double strength) {
    bits_.clear();
    weights_.clear();
    of_sample_.clear();
    for (std::uint64_t mask = 0; mask < (std::uint64_t{1} << degree); ++mask) {
      double probability = 1;
      for (std::size_t n = 0; n < degree; ++n) {
        probability *= (mask >> n & 1) != 0 ? 1.0 - strength : strength;
      }
      if (probability > 0) {
        of_sample_.push_back(weights_.size());
        weights_.push_back(probability);
        bits_.insert(bits_.end(), words_, mask);
      }
    }
  }

  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<double> weights_;
  std::vector<std::size_t> of_sample_;
};

/// The draws of one step of one iteration.
inline random_stream corruption_stream(const corruption_options& options) {
  return random_stream(options.seed, purpose::corruption).fork(options.iteration).fork(options.step);
}

}  // namespace graphpatcher::fast::inline GP_LEVEL
