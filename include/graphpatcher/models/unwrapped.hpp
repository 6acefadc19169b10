// SPDX-License-Identifier: MIT
#pragma once

namespace graphpatcher {

/// The model that a wrapper is. trained<Model> and restored<Model, Config> keep
/// something beside a model and compute what it computes, so they go the way
/// that it goes. Any other model is its own; a class derived from a model, too,
/// because it may compute something else. For a wrapper of yours:
///
///   template <class Model>
///   struct graphpatcher::unwrapped<my_wrapper<Model>> : graphpatcher::unwrapped<Model> {};
template <class Model>
struct unwrapped {
  using type = Model;
};
template <class Model>
using unwrapped_t = typename unwrapped<Model>::type;

}  // namespace graphpatcher
