// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "graphpatcher/autodiff/parameter.hpp"
#include "graphpatcher/core/philox.hpp"

/// First values of parameters. Each element is drawn by its own index, so a
/// parameter starts with the same bits whatever was made before it.
namespace graphpatcher {

/// Gain of layers that are followed by a ReLU.
inline constexpr double relu_gain = std::numbers::sqrt2;

/// Numbers of inputs and outputs an initialiser scales by.
struct fans {
  std::size_t in;
  std::size_t out;
};

/// A weight [in, out] has the fans of its shape.
template <class T>
fans fans_of(const parameter<T>& weight) {
  return {weight.value.rows(), weight.value.cols()};
}

/// A standard normal number for the counter `a` (Box-Muller). Both uniforms
/// have 53 bits and the first is never 0, so its logarithm is finite and the
/// tails reach as far as a double's do (8.5 standard deviations).
inline double standard_normal(const random_stream& random, std::uint64_t a) {
  const auto word = random.bits(a);
  const auto join = [](std::uint32_t high, std::uint32_t low) { return ((std::uint64_t{high} << 32) | low) >> 11; };
  const double radius = static_cast<double>(join(word[0], word[1]) + 1) * 0x1.0p-53;  // (0, 1]
  const double angle = static_cast<double>(join(word[2], word[3])) * 0x1.0p-53;       // [0, 1)
  return std::sqrt(-2.0 * std::log(radius)) * std::cos(2.0 * std::numbers::pi * angle);
}

/// U(-bound, bound).
template <class T>
void uniform(parameter<T>& p, const random_stream& random, double bound) {
  expects(bound >= 0 && std::isfinite(bound), "uniform: expected a finite bound >= 0, got ", bound);
  const auto values = p.value.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>((2.0 * random.uniform(i) - 1.0) * bound);
  }
}

/// N(mean, deviation^2).
template <class T>
void normal(parameter<T>& p, const random_stream& random, double mean, double deviation) {
  expects(deviation >= 0 && std::isfinite(mean) && std::isfinite(deviation),
          "normal: expected a finite mean and a finite deviation >= 0, got ", mean, " and ", deviation);
  const auto values = p.value.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(mean + deviation * standard_normal(random, i));
  }
}

/// U(+-gain * sqrt(6 / (in + out))).
template <class T>
void glorot_uniform(parameter<T>& p, const random_stream& random, double gain, fans size) {
  uniform(p, random, gain * std::sqrt(6.0 / static_cast<double>(size.in + size.out)));
}
template <class T>
void glorot_uniform(parameter<T>& p, const random_stream& random, double gain = 1.0) {
  glorot_uniform(p, random, gain, fans_of(p));
}

/// N(0, gain^2 * 2 / (in + out)).
template <class T>
void glorot_normal(parameter<T>& p, const random_stream& random, double gain, fans size) {
  normal(p, random, 0.0, gain * std::sqrt(2.0 / static_cast<double>(size.in + size.out)));
}
template <class T>
void glorot_normal(parameter<T>& p, const random_stream& random, double gain = 1.0) {
  glorot_normal(p, random, gain, fans_of(p));
}

/// U(+-1 / sqrt(in)): what PyTorch's Linear gives its weight and its bias.
template <class T>
void torch_uniform(parameter<T>& p, const random_stream& random, std::size_t fan_in) {
  uniform(p, random, 1.0 / std::sqrt(static_cast<double>(fan_in)));
}

}  // namespace graphpatcher
