// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphpatcher/core/buffer.hpp"
#include "graphpatcher/cuda/ego_graphs.hpp"
#include "graphpatcher/graph/corruption.hpp"

/// Corruption masks on the GPU (kernels/corruption.cu), for callers who want to
/// see them: corrupted_logits() draws the same bits by itself. Compiled for
/// I = std::int32_t.
namespace graphpatcher {

/// corruption_masks in device memory: the same layout, the same bits. Every
/// sample has the weight 1 / samples.
struct device_corruption_masks {
  std::size_t samples = 0;
  buffer<std::uint64_t> offsets;
  buffer<std::uint8_t> keep;
};

/// Draws which neighbours of each anchor survive; estimator::sampled only.
template <graph_index I>
device_corruption_masks corrupt(const cuda& exec, const device_ego_batch<I>& batch, corruption_options options);

/// A copy on the host; waits for the device.
inline corruption_masks to_host(const cuda& exec, const device_corruption_masks& masks) {
  static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
  corruption_masks result;
  result.samples = masks.samples;
  result.offsets.resize(masks.offsets.size());
  result.keep.resize(masks.keep.size());
  result.weights.assign(masks.samples * (masks.offsets.size() - 1), 1.0 / static_cast<double>(masks.samples));
  backend::download(exec, result.offsets.data(), masks.offsets.data(), masks.offsets.bytes());
  backend::download(exec, result.keep.data(), masks.keep.data(), masks.keep.bytes());
  return result;
}

}  // namespace graphpatcher
