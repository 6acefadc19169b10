// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cuda/support/schedules.hpp"
#include "graphpatcher/core/cuda.hpp"
#include "graphpatcher/core/device_memory.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "support/random_matrix.hpp"

/// What tests of the CUDA backend share: one executor, matrices that go there
/// and back, and the comparison with the CPU's results.
namespace graphpatcher::test {

inline const cuda& gpu() {
  static const cuda exec;
  return exec;
}

template <class T>
matrix<T> to_gpu(const matrix<T>& host) {
  return host.copy_on(gpu());
}

template <class T>
std::vector<T> to_host(std::span<const T> device) {
  std::vector<T> host(device.size());
  backend::download(gpu(), host.data(), device.data(), device.size_bytes());
  return host;
}
template <class T>
matrix<T> to_host(const matrix<T>& device) {
  return device.copy_on(cpu{});
}

/// Largest |a - b| over all elements, as a share of the largest |b|; infinity if
/// one is NaN and the other is not, or if shapes differ.
template <class T>
double relative_difference(const matrix<T>& a, const matrix<T>& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    return infinity;
  }
  double most = 0;
  double scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a.values()[i]);
    const auto y = static_cast<double>(b.values()[i]);
    if (std::isnan(x) != std::isnan(y)) {
      return infinity;
    }
    if (!std::isnan(x) && x != y) {
      most = std::max(most, std::abs(x - y));
    }
    scale = std::isfinite(y) ? std::max(scale, std::abs(y)) : scale;
  }
  return most == 0 ? 0 : most / scale;
}

/// What two ways of computing the same may differ by, as a share of the largest
/// result: orders of adding up n terms, or fused and separate multiplications,
/// differ by at most about n roundings; functions such as exp by a few more.
template <class T>
double rounding(std::size_t terms) {
  return static_cast<double>(terms + 4) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

}  // namespace graphpatcher::test
