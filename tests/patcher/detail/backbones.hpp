// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "support/random_matrix.hpp"

/// One small backbone of every kind the fast path knows.
namespace backbones {

namespace gp = graphpatcher;

/// Random numbers below `size` for every parameter. Messages that GraphSAGE pools are all above 0, so that finite
/// differences meet no kink of ReLU in the first layer.
template <class Model>
Model randomised(Model model, double size) {
  unsigned seed = 1;
  for (auto* p : model.parameters()) {
    p->value = support::random_matrix<double>(p->value.rows(), p->value.cols(), seed++);
    for (double& value : p->value.values()) {
      value = size * value + (p->name.ends_with("fc_pool.bias") ? 2 : 0);
    }
  }
  return model;
}

/// Calls check(name, model).
template <class Check>
void for_each(std::size_t features, std::size_t classes, Check&& check) {
  using norm = gp::normalisation;
  const double size = 0.4;
  check("gcn, mean", randomised(gp::gcn_backbone<double>({.hidden = 8, .norm = norm::mean}, features, classes), size));
  check("gcn, symmetric",
        randomised(gp::gcn_backbone<double>({.hidden = 13, .norm = norm::symmetric}, features, classes), size));
  check("sage, mean",
        randomised(gp::sage_backbone<double>({.hidden = 9, .aggregator = gp::sage_aggregator::mean}, features, classes),
                   size));
  check("sage, pool",
        randomised(gp::sage_backbone<double>({.hidden = 3, .aggregator = gp::sage_aggregator::pool}, features, classes),
                   size));
  check("gat",
        randomised(gp::gat_backbone<double>({.hidden = 5, .heads = 3, .output_heads = 2}, features, classes), size));
}

}  // namespace backbones
