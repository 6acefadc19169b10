// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <span>

#include "graphpatcher/core/parallel_for.hpp"
#include "graphpatcher/ops/optimizer_steps.hpp"

/// Steps of the optimisers. Each goes over memory once: blocks that stay in the
/// first-level cache, every element by one thread.
namespace graphpatcher::backend {

template <class T>
using array_map = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using const_array_map = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

inline constexpr std::size_t optimizer_block = 512;
template <class T>
using block_array = Eigen::Array<T, Eigen::Dynamic, 1, 0, optimizer_block, 1>;  // on the stack

/// Calls body(begin, count) for blocks of [0, size). Blocks start at the same
/// elements for any number of threads.
template <class Body>
void for_each_block(const cpu& exec, std::size_t size, Body&& body) {
  constexpr std::size_t blocks_a_piece = 32;
  parallel_for(exec, size, optimizer_block * blocks_a_piece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; at += optimizer_block) {
      body(at, std::min(optimizer_block, end - at));
    }
  });
}

template <class T>
void adam_step(const cpu& exec, std::span<const adam_item<T>> items) {
  for (const auto& k : items) {
    for_each_block(exec, k.size, [&](std::size_t at, std::size_t length) {
      const auto count = static_cast<Eigen::Index>(length);
      array_map<T> p(k.value + at, count), m(k.mean + at, count), v(k.square + at, count);
      const block_array<T> g = k.gradient_scale * const_array_map<T>(k.gradient + at, count) + k.l2 * p;
      m += k.mean_rate * (g - m);
      v = k.beta2 * v + k.square_rate * g * g;
      p = k.keep * p - k.step_size * m / (v.sqrt() * k.inverse_root_bias + k.eps);
    });
  }
}

/// Velocity starts at zero, which makes the first step's velocity the gradient
/// itself, as in PyTorch.
template <class T>
void sgd_step(const cpu& exec, std::span<const sgd_item<T>> items) {
  for (const auto& k : items) {
    for_each_block(exec, k.size, [&](std::size_t at, std::size_t length) {
      const auto count = static_cast<Eigen::Index>(length);
      array_map<T> p(k.value + at, count);
      block_array<T> g = k.gradient_scale * const_array_map<T>(k.gradient + at, count) + k.l2 * p;
      if (k.velocity != nullptr) {
        array_map<T> moving(k.velocity + at, count);
        moving = k.momentum * moving + g;
        g = moving;
      }
      p -= k.lr * g;
    });
  }
}

}  // namespace graphpatcher::backend
