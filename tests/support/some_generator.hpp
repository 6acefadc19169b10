// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>

#include "graphpatcher/patcher/generator.hpp"
#include "support/random_matrix.hpp"

namespace support {

/// A patch generator with random weights that keep numbers at the size of 1, and biases that are not 0.
inline graphpatcher::patch_generator<double> some_generator(std::size_t features, std::size_t hidden) {
  graphpatcher::patch_generator<double> generator({.features = features, .hidden = hidden});
  unsigned seed = 40;
  for (auto* p : generator.parameters()) {
    const double size = p->value.rows() == 1 ? 0.3 : 1.5 / std::sqrt(static_cast<double>(p->value.rows()));
    p->value = random_matrix<double>(p->value.rows(), p->value.cols(), seed++);
    for (double& value : p->value.values()) {
      value *= size;
    }
  }
  return generator;
}

}  // namespace support
