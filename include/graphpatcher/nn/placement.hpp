// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "graphpatcher/autodiff/parameter.hpp"
#include "graphpatcher/core/executor.hpp"

/// Where a model's parameters are. Users hold models in host memory; functions
/// that run on a GPU make a copy there and bring results back.
namespace graphpatcher {

/// Moves all parameters of a model to the memory of an executor. Gradients that
/// were collected are dropped.
template <class Model>
void move_to(const executor& target, Model& model) {
  for (auto* p : model.parameters()) {
    p->move_to(target);
  }
}

/// A model of the host where an executor can use it: itself on the host, a copy
/// on a GPU. The model must outlive it.
template <class Model>
class placed_model {
public:
  placed_model(const executor& target, const Model& model) : model_(&model) {
    if (!target.on_host()) {
      copy_.emplace(model);
      move_to(target, *copy_);
    }
  }

  placed_model(const executor&, const Model&&) = delete;

  const Model& operator*() const noexcept { return copy_ ? *copy_ : *model_; }

private:
  const Model* model_;
  std::optional<Model> copy_;
};

}  // namespace graphpatcher
