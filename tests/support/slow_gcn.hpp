// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graphpatcher/graph/feature_table.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "support/slow_answers.hpp"

namespace slow {

/// A two-layer GCN over a feature table as corrupted_logits() takes it: X W1
/// number by number. The model must outlive it.
template <class T>
struct projected_gcn {
  const gp::gcn_backbone<T>& model;
  gp::matrix<T> projected;

  template <class I>
  projected_gcn(const gp::gcn_backbone<T>& backbone, const gp::feature_table<T, I>& features)
      : model(backbone), projected(features.rows(), backbone.layers[0].outputs()) {
    const auto& weight = model.layers[0].weight.value;
    for (std::size_t v = 0; v < features.rows(); ++v) {
      features.for_each_nonzero(v, [&](std::size_t column, T value) {
        for (std::size_t h = 0; h < projected.cols(); ++h) {
          projected(v, h) += value * weight(column, h);
        }
      });
    }
  }

  gp::frozen_gcn<T> frozen() const {
    const auto& first = model.layers[0];
    const auto& last = model.layers[1];
    return {projected.view(), first.bias.value.row(0), last.weight.value.view(), last.bias.value.row(0), last.norm};
  }
};

}  // namespace slow
