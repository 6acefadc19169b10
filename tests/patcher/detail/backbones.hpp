// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <random>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"

/// One small backbone of every kind the fast path knows.
namespace backbones {

namespace gp = graphpatcher;

/// Larger weights and biases off zero: every part of a model matters.
template <class Model>
Model shaken(Model model, double scale = 1.5) {
  unsigned seed = 1;
  for (auto* p : model.parameters()) {
    std::mt19937 random(seed++);
    std::uniform_real_distribution<double> off(-0.3, 0.3);
    for (auto& value : p->value.values()) {
      value = static_cast<typename Model::scalar_type>(scale * static_cast<double>(value) + off(random));
    }
  }
  return model;
}

/// Calls check(name, model) for every kind of backbone the fast path knows, of two layers.
template <class T, class Check>
void for_each(std::size_t features, std::size_t classes, Check&& check) {
  using norm = gp::normalisation;
  check("gcn, mean", shaken(gp::gcn_backbone<T>({.hidden = 8, .norm = norm::mean}, features, classes)));
  check("gcn, symmetric", shaken(gp::gcn_backbone<T>({.hidden = 13, .norm = norm::symmetric}, features, classes)));
  check("sage, mean",
        shaken(gp::sage_backbone<T>({.hidden = 9, .aggregator = gp::sage_aggregator::mean}, features, classes)));
  check("sage, pool",
        shaken(gp::sage_backbone<T>({.hidden = 9, .aggregator = gp::sage_aggregator::pool}, features, classes)));
  check("gat", shaken(gp::gat_backbone<T>({.hidden = 5, .heads = 3, .output_heads = 2}, features, classes)));
}

}  // namespace backbones
