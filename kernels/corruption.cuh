// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphpatcher/core/philox.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "kernels/runtime/launch.cuh"

namespace graphpatcher::kernels {

/// The random bits of one corruption: which neighbours an anchor loses in which
/// sample. A value without state: whoever asks gets the same answer.
struct corruption_draws {
  random_stream stream;
  std::uint64_t threshold;  ///< a neighbour is dropped if 32 random bits are below

  static corruption_draws of(const corruption_options& options) {
    return {random_stream(options.seed, purpose::corruption).fork(options.iteration).fork(options.step),
            probability_threshold(options.strength)};
  }

  /// Draws of samples 4 · block .. 4 · block + 3.
  __device__ philox::counter_type four(std::uint64_t anchor, std::uint64_t neighbor, std::uint32_t block) const {
    return graphpatcher::neighbor_draws(stream, anchor, neighbor, block);
  }
  __device__ bool drops(std::uint64_t anchor, std::uint64_t neighbor, std::uint32_t sample) const {
    const auto draws = four(anchor, neighbor, sample / 4);
    const std::uint32_t pair[2] = {sample & 1 ? draws[1] : draws[0], sample & 1 ? draws[3] : draws[2]};
    return (sample & 2 ? pair[1] : pair[0]) < threshold;
  }
};

struct corruption_policy {
  static constexpr int threads = 256;  ///< a block: one anchor a warp
};

/// keep[s · total + offsets[b] + n] = 1 if neighbour n of anchor b survives sample s.
///
/// A warp owns an anchor, a lane every 32nd neighbour: neighbouring lanes write
/// neighbouring bytes. Reads 4 bytes a neighbour, writes one a sample, and
/// computes a Philox block for every four samples.
template <class I>
static __global__ void __launch_bounds__(corruption_policy::threads)
    corruption_masks_kernel(corruption_draws draws, const I* __restrict__ anchors, const I* __restrict__ hop_offsets,
                            const I* __restrict__ nodes, const std::uint64_t* __restrict__ offsets, std::size_t egos,
                            std::size_t hops, std::uint32_t samples, std::uint8_t* __restrict__ keep) {
  const std::uint32_t lane = threadIdx.x % warp_size;
  const std::uint64_t total = offsets[egos];
  for (std::size_t b = grid_thread() / warp_size; b < egos; b += grid_threads() / warp_size) {
    const I* const neighbors = nodes + hop_offsets[b * (hops + 1) + 1];
    const auto count = static_cast<std::uint32_t>(offsets[b + 1] - offsets[b]);
    std::uint8_t* const kept = keep + offsets[b];
    for (std::uint32_t n = lane; n < count; n += warp_size) {
      for (std::uint32_t sample = 0; sample < samples; sample += 4) {
        const auto four =
            draws.four(static_cast<std::uint64_t>(anchors[b]), static_cast<std::uint64_t>(neighbors[n]), sample / 4);
#pragma unroll
        for (std::uint32_t word = 0; word < 4; ++word) {
          if (sample + word < samples) {
            kept[(sample + word) * total + n] = four[word] >= draws.threshold;
          }
        }
      }
    }
  }
}

}  // namespace graphpatcher::kernels
