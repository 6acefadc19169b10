// SPDX-License-Identifier: MIT
#include "kernels/corruption.cuh"

#include <limits>

#include "graphpatcher/cuda/corruption.hpp"

namespace graphpatcher {

template <graph_index I>
device_corruption_masks corrupt(const cuda& exec, const device_ego_batch<I>& batch, corruption_options options) {
  expects(options.strength >= 0.0 && options.strength <= 1.0, "corruption: expected a strength in [0, 1], got ",
          options.strength);
  expects(options.samples >= 1 && options.samples <= std::numeric_limits<std::int32_t>::max(),
          "corruption: expected 1 to 2^31 - 1 samples, got ", options.samples);
  expects(options.estimator == estimator::sampled,
          "corruption: expected estimator::sampled on a GPU; draw exact masks with a cpu executor");
  device_corruption_masks masks{options.samples, batch.neighbor_offsets,
                                buffer<std::uint8_t>(exec, options.samples * batch.neighbors, contents::anything)};
  if (masks.keep.size() > 0) {
    constexpr int threads = kernels::corruption_policy::threads;
    const unsigned blocks = kernels::grid_for(batch.size(), threads / kernels::warp_size);
    kernels::corruption_masks_kernel<I><<<blocks, threads, 0, stream_of(exec)>>>(
        kernels::corruption_draws::of(options), batch.anchors.data(), batch.hop_offsets.data(), batch.nodes.data(),
        masks.offsets.data(), batch.size(), batch.hops, static_cast<std::uint32_t>(options.samples), masks.keep.data());
    check_launch("corruption_masks", blocks, threads);
  }
  return masks;
}

template device_corruption_masks corrupt(const cuda&, const device_ego_batch<std::int32_t>&, corruption_options);

}  // namespace graphpatcher
