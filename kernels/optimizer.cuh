// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/operands/optimizer_steps.hpp"
#include "kernels/runtime/quad.cuh"

/// A step of an optimiser over a whole list of parameters in one launch.
namespace graphpatcher::kernels {

struct optimizer_policy {
  int threads;

  static constexpr int most_threads = 256;
  static constexpr std::size_t parameter_bytes = 4096;  ///< what every device takes as arguments of a kernel
  static constexpr optimizer_policy for_capability(int) { return {256}; }  // bound by memory everywhere
};

/// Items as a kernel's argument: no copy to the device, nothing to keep until
/// the kernel has run. Item i owns the blocks [first_block[i], first_block[i + 1]).
template <class Item>
struct item_list {
  static constexpr std::size_t capacity = (optimizer_policy::parameter_bytes - 16) / (sizeof(Item) + sizeof(unsigned));

  unsigned count = 0;
  unsigned first_block[capacity + 1] = {};
  Item items[capacity];
};

inline __device__ bool aligned_to_pack(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

/// The elements that one thread updates.
template <class T>
struct element_range {
  std::size_t first;
  int count;  // 1 to 4

  __device__ quad<T> read(const T* array) const {
    return aligned_to_pack(array) ? load_quad<true>(array + first, count) : load_quad<false>(array + first, count);
  }
  __device__ void write(T* array, const quad<T>& values) const {
    if (aligned_to_pack(array)) {
      store_quad<true>(array + first, values, count);
    } else {
      store_quad<false>(array + first, values, count);
    }
  }
};

/// The equations of adam_item. Reads four arrays and writes three.
template <class T>
__device__ void update(const adam_item<T>& k, const element_range<T>& range) {
  auto p = range.read(k.value);
  const auto gradient = range.read(k.gradient);
  auto m = range.read(k.mean);
  auto v = range.read(k.square);
#pragma unroll
  for (int i = 0; i < quad_size; ++i) {
    const T g = k.gradient_scale * gradient[i] + k.l2 * p[i];
    m[i] += k.mean_rate * (g - m[i]);
    v[i] = k.beta2 * v[i] + k.square_rate * g * g;
    p[i] = k.keep * p[i] - k.step_size * m[i] / (sqrt(v[i]) * k.inverse_root_bias + k.eps);
  }
  range.write(k.mean, m);
  range.write(k.square, v);
  range.write(k.value, p);
}

/// The equations of sgd_item. Reads two or three arrays and writes one or two.
template <class T>
__device__ void update(const sgd_item<T>& k, const element_range<T>& range) {
  auto p = range.read(k.value);
  auto step = range.read(k.gradient);
#pragma unroll
  for (int i = 0; i < quad_size; ++i) {
    step[i] = k.gradient_scale * step[i] + k.l2 * p[i];
  }
  if (k.velocity != nullptr) {
    const auto velocity = range.read(k.velocity);
#pragma unroll
    for (int i = 0; i < quad_size; ++i) {
      step[i] = k.momentum * velocity[i] + step[i];
    }
    range.write(k.velocity, step);
  }
#pragma unroll
  for (int i = 0; i < quad_size; ++i) {
    p[i] -= k.lr * step[i];
  }
  range.write(k.value, p);
}

/// A block belongs to one item, which it finds by bisection; a thread updates
/// four neighbouring elements.
template <class Item, class T>
static __global__ void __launch_bounds__(optimizer_policy::most_threads)
    optimizer_kernel(const __grid_constant__ item_list<Item> list) {
  unsigned low = 0;
  unsigned high = list.count;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (blockIdx.x < list.first_block[middle] ? high : low) = middle;
  }
  const Item& item = list.items[low];
  const std::size_t block = blockIdx.x - list.first_block[low];
  const std::size_t first = (block * blockDim.x + threadIdx.x) * quad_size;
  if (first < item.size) {
    update(item, element_range<T>{first, quad_count(first, item.size)});
  }
}

/// One launch a list that fits into a kernel's arguments.
template <class T, class Item>
void launch_optimizer(const device& exec, std::span<const Item> items) {
  const auto policy = optimizer_policy::for_capability(context_of(exec).compute_capability());
  const std::size_t elements_a_block = static_cast<std::size_t>(policy.threads) * quad_size;
  item_list<Item> list;
  const auto launch = [&] {
    const unsigned grid = list.first_block[list.count];
    if (grid > 0) {
      optimizer_kernel<Item, T><<<grid, policy.threads, 0, stream_of(exec)>>>(list);
      check_launch("optimizer", grid, policy.threads);
    }
    list.count = 0;
  };
  for (const Item& item : items) {
    if (item.size == 0) {
      continue;
    }
    const std::size_t blocks = ceil_div(item.size, elements_a_block);
    if (list.count == list.capacity || list.first_block[list.count] + blocks > largest_grid) {
      launch();
    }
    list.items[list.count] = item;
    list.first_block[list.count + 1] = list.first_block[list.count] + static_cast<unsigned>(blocks);
    list.count += 1;
  }
  launch();
}

}  // namespace graphpatcher::kernels
