// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/cuda/corrupted_logits.hpp"
#include "graphpatcher/graph/corruption.hpp"
#include "graphpatcher/graph/graph_view.hpp"
#include "kernels/corrupted_hubs.cuh"
#include "kernels/corrupted_pairs.cuh"

namespace graphpatcher::kernels {

struct sample_mean_policy {
  static constexpr int threads = 256;
};

/// mean(b, c) = 1 / samples · Σ_s probabilities(b · samples + s, c), in order of
/// s. A thread owns an element; neighbouring threads read neighbouring classes.
template <class T>
static __global__ void __launch_bounds__(sample_mean_policy::threads)
    sample_mean_kernel(const T* __restrict__ probabilities, std::size_t stride, std::size_t anchors,
                       std::uint32_t samples, std::size_t classes, T* __restrict__ mean, std::size_t mean_stride) {
  for (std::size_t i = grid_thread(); i < anchors * classes; i += grid_threads()) {
    const std::size_t anchor = i / classes;
    const std::size_t c = i % classes;
    T sum = 0;
    for (std::uint32_t s = 0; s < samples; ++s) {
      sum += probabilities[(anchor * samples + s) * stride + c];
    }
    mean[anchor * mean_stride + c] = sum / static_cast<T>(samples);
  }
}

/// How the columns of P are spread over a warp.
struct row_shape {
  int pack;
  int tiles;

  std::size_t columns() const { return static_cast<std::size_t>(warp_size * pack * tiles); }
};

/// Tiles of a row that is too long for one: at most 256 columns at a time.
template <class T>
constexpr int many_tiles(int pack) {
  return pack == full_pack<T> ? 2 : 4;
}

/// The narrowest pack with which a warp reads a row at once. Longer rows take
/// the widest pack, or single numbers if they are not aligned for it.
template <class T, class S>
row_shape shape_for(matrix_view<const S> projected) {
  const std::size_t cols = projected.cols();
  for (int pack = 1; pack <= full_pack<T>; pack *= 2) {
    if (cols <= static_cast<std::size_t>(warp_size * pack) &&
        fits_pack(pack, projected.data(), projected.stride(), cols)) {
      return {pack, 1};
    }
  }
  const int pack = fits_pack(full_pack<T>, projected.data(), projected.stride(), cols) ? full_pack<T> : 1;
  return {pack, many_tiles<T>(pack)};
}

/// Whether probabilities need memory of their own: their mean is wanted, they are not.
template <class T>
bool needs_workspace(const corrupted_answers<T>& answers) {
  return answers.mean_probabilities.data() != nullptr && answers.probabilities.data() == nullptr;
}

template <class T, class S, class I>
backend::corrupted_logits_plan plan_pairs(const frozen_gcn<T, S>& model, std::size_t anchors, std::size_t samples,
                                          const corrupted_answers<T>& answers) {
  const std::size_t pairs = anchors * samples;
  const std::size_t blocks = ceil_div(pairs, corrupted_logits_policy::warps);
  expects<overflow_error>(blocks <= largest_grid && samples <= largest_grid, "corrupted_logits: ", pairs,
                          " (anchor, sample) pairs are more than one launch takes, ",
                          largest_grid * corrupted_logits_policy::warps, "; split the anchors");
  expects<overflow_error>(model.hidden() <= largest_grid && model.classes() <= largest_grid,
                          "corrupted_logits: expected fewer than 2^31 hidden columns and classes");
  const std::size_t probabilities = needs_workspace(answers) ? pairs * model.classes() : 0;
  return {pairs, corrupted_logits_policy::warps, blocks,
          ceil_div(model.hidden(), shape_for<T, S>(model.projected).columns()),
          anchors * sizeof(I) + probabilities * sizeof(T)};
}

template <int Pack, int Tiles, class T, class S, class I>
void launch_pairs(const device& exec, std::size_t blocks, const pair_arguments<T, S, I>& arguments) {
  constexpr int threads = corrupted_logits_policy::threads;
  const auto grid = static_cast<unsigned>(blocks);
  corrupted_logits_kernel<T, S, I, Pack, Tiles><<<grid, threads, 0, stream_of(exec)>>>(arguments);
  check_launch("corrupted_logits", grid, threads);
}

template <class T, class S, class I>
void launch_hubs(const device& exec, const pair_arguments<T, S, I>& arguments) {
  constexpr int threads = corrupted_hubs_policy::threads;
  const auto grid = static_cast<unsigned>(ceil_div(arguments.pairs, corrupted_hubs_policy::warps));
  corrupted_hubs_kernel<T, S, I><<<grid, threads, 0, stream_of(exec)>>>(arguments);
  check_launch("corrupted_hubs", grid, threads);
}

/// The launch for the shape of the rows.
template <class T, class S, class I>
void launch_pairs(const device& exec, std::size_t blocks, row_shape shape, const pair_arguments<T, S, I>& arguments) {
  with_pack<T>(shape.pack, [&](auto pack) {
    if (shape.tiles == 1) {
      return launch_pairs<pack.value, 1>(exec, blocks, arguments);
    }
    if constexpr (pack.value == 1 || pack.value == full_pack<T>) {
      launch_pairs<pack.value, many_tiles<T>(pack.value)>(exec, blocks, arguments);
    }
  });
}

template <class T, class S, class I>
void run_pairs(const device& exec, const graph_view<I>& graph, const frozen_gcn<T, S>& model,
               std::span<const I> anchors, const corruption_options& options, const corrupted_answers<T>& answers) {
  const auto plan = plan_pairs<T, S, I>(model, anchors.size(), options.samples, answers);
  const backend::device_array<I> ids(exec, anchors);
  const backend::device_array<T> workspace(exec, needs_workspace(answers) ? plan.pairs * model.classes() : 0);
  const auto samples = static_cast<std::uint32_t>(options.samples);
  const matrix_view<T> probabilities =
      needs_workspace(answers) ? matrix_view<T>(workspace.data(), plan.pairs, model.classes()) : answers.probabilities;
  const matrix_view<T> scores = answers.logits.data() != nullptr ? answers.logits : probabilities;
  if (scores.data() == nullptr) {
    return;  // nothing is wanted
  }
  const pair_arguments<T, S, I> arguments{
      .graph = {graph.offsets.data(), graph.neighbors.data(), graph.in_degrees.data()},
      .projected = model.projected.data(),
      .projected_stride = model.projected.stride(),
      .hidden_bias = model.hidden_bias.data(),
      .weight = model.weight.data(),
      .weight_stride = model.weight.stride(),
      .bias = model.bias.data(),
      .hidden = static_cast<int>(model.hidden()),
      .classes = static_cast<int>(model.classes()),
      .symmetric = model.norm == normalisation::symmetric,
      .draws = corruption_draws::of(options),
      .anchors = ids.data(),
      .pairs = plan.pairs,
      .samples = samples,
      .scores = scores.data(),
      .scores_stride = scores.stride(),
      .probabilities = probabilities.data(),
      .probabilities_stride = probabilities.stride(),
  };
  launch_pairs(exec, plan.blocks, shape_for<T, S>(model.projected), arguments);
  if (graph.largest_degree > warp_degree) {
    launch_hubs(exec, arguments);
  }
  if (const auto mean = answers.mean_probabilities; mean.data() != nullptr) {
    constexpr int threads = sample_mean_policy::threads;
    const unsigned blocks = grid_for(mean.size(), threads);
    sample_mean_kernel<T><<<blocks, threads, 0, stream_of(exec)>>>(
        probabilities.data(), probabilities.stride(), anchors.size(), samples, mean.cols(), mean.data(), mean.stride());
    check_launch("sample_mean", blocks, threads);
  }
}

}  // namespace graphpatcher::kernels
