// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "graphpatcher/core/level.hpp"
#include "graphpatcher/models/backbone.hpp"
#include "graphpatcher/models/unwrapped.hpp"
#include "graphpatcher/patcher/fixed_patches.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"

namespace graphpatcher {

template <class T>
class gcn_backbone;
template <class T>
class sage_backbone;
template <class T>
class gat_backbone;

namespace detail {

/// A backbone of any kind, and what is asked of it.
template <class T, graph_index I>
class held_backbone {
public:
  virtual ~held_backbone() = default;
  virtual std::unique_ptr<held_backbone> clone() const = 0;
  virtual bool take(const held_backbone& other) = 0;
  virtual std::size_t hops() const = 0;
  virtual std::size_t classes() const = 0;
  virtual parameter_list<T> parameters() = 0;
  virtual variable<T> forward(tape<T>& t, const message_graph<I>& graph, const node_features<T, I>& features) const = 0;
  virtual trained_patcher<T> train_patcher(const executor& exec, const dataset<T, I>& data,
                                           const patcher_config& config) const = 0;
  virtual std::vector<matrix<T>> patch(const executor& exec, const dataset<T, I>& data,
                                       const patch_generator<T>& generator, std::span<const I> nodes,
                                       const patching_options& options) const = 0;
  virtual std::vector<matrix<T>> patch(const executor& exec, const dataset<T, I>& data, fixed_patch kind,
                                       std::span<const I> nodes, const patching_options& options) const = 0;
  virtual patch_path path(const executor& exec, const patching_options& options) const = 0;
};

/// One of this kind.
template <class T, graph_index I, class Model>
class held_model final : public held_backbone<T, I> {
public:
  explicit held_model(Model model) : model_(std::move(model)) {}

  std::unique_ptr<held_backbone<T, I>> clone() const override { return std::make_unique<held_model>(model_); }
  bool take(const held_backbone<T, I>& other) override {
    const auto* const same = dynamic_cast<const held_model*>(&other);
    if (same != nullptr) {
      model_ = same->model_;
    }
    return same != nullptr;
  }
  std::size_t hops() const override { return model_.hops(); }
  std::size_t classes() const override { return model_.classes(); }
  parameter_list<T> parameters() override { return model_.parameters(); }
  variable<T> forward(tape<T>& t, const message_graph<I>& graph, const node_features<T, I>& features) const override {
    if constexpr (compiled::holds<Model>) {
      using known = compiled::built_in_t<Model>;
      return compiled::backbone_functions_of<T, I, known>().forward(model_, t, graph, features);
    } else {
      return model_.forward(t, graph, features);
    }
  }
  trained_patcher<T> train_patcher(const executor& exec, const dataset<T, I>& data,
                                   const patcher_config& config) const override {
    return graphpatcher::train_patcher(exec, data, model_, config);
  }
  std::vector<matrix<T>> patch(const executor& exec, const dataset<T, I>& data, const patch_generator<T>& generator,
                               std::span<const I> nodes, const patching_options& options) const override {
    return patch_nodes(exec, data.graph, data.features, model_, generator, nodes, options).logits;
  }
  std::vector<matrix<T>> patch(const executor& exec, const dataset<T, I>& data, fixed_patch kind,
                               std::span<const I> nodes, const patching_options& options) const override {
    return patch_nodes(exec, data.graph, data.features, model_, kind, nodes, options).logits;
  }
  patch_path path(const executor& exec, const patching_options& options) const override {
    return choose_path(options.path, why_not_fast(exec, model_, options.degree, options.edge));
  }

private:
  Model model_;
};

template <class T, graph_index I, class Model>
std::unique_ptr<held_backbone<T, I>> hold(const Model& model) {
  return std::make_unique<held_model<T, I, Model>>(model);
}

#if GP_HAS_INSTANCES
GP_EXTERN template std::unique_ptr<held_backbone<float, std::int32_t>> hold(const gcn_backbone<float>&);
GP_EXTERN template std::unique_ptr<held_backbone<float, std::int64_t>> hold(const gcn_backbone<float>&);
GP_EXTERN template std::unique_ptr<held_backbone<double, std::int32_t>> hold(const gcn_backbone<double>&);
GP_EXTERN template std::unique_ptr<held_backbone<double, std::int64_t>> hold(const gcn_backbone<double>&);
GP_EXTERN template std::unique_ptr<held_backbone<float, std::int32_t>> hold(const sage_backbone<float>&);
GP_EXTERN template std::unique_ptr<held_backbone<float, std::int64_t>> hold(const sage_backbone<float>&);
GP_EXTERN template std::unique_ptr<held_backbone<double, std::int32_t>> hold(const sage_backbone<double>&);
GP_EXTERN template std::unique_ptr<held_backbone<double, std::int64_t>> hold(const sage_backbone<double>&);
GP_EXTERN template std::unique_ptr<held_backbone<float, std::int32_t>> hold(const gat_backbone<float>&);
GP_EXTERN template std::unique_ptr<held_backbone<float, std::int64_t>> hold(const gat_backbone<float>&);
GP_EXTERN template std::unique_ptr<held_backbone<double, std::int32_t>> hold(const gat_backbone<double>&);
GP_EXTERN template std::unique_ptr<held_backbone<double, std::int64_t>> hold(const gat_backbone<double>&);
#endif

}  // namespace detail

/// A backbone of any kind behind one type, so that a method is written and
/// compiled once and may put a backbone of another kind in the place of the one
/// that it was given. A value, and a backbone itself: it can be trained by fit()
/// and asked by predict(). Patches go through its members, which take the path
/// that the backbone inside can take.
template <class T, graph_index I>
class some_backbone {
public:
  using scalar_type = T;

  template <class Model>
  requires(!std::same_as<Model, some_backbone> && backbone_for<Model, T, I>)
      some_backbone(const Model& model)  // NOLINT
      : inside_(detail::hold<T, I, unwrapped_t<Model>>(model)) {}
  some_backbone(const some_backbone& other) : inside_(other.inside_ ? other.inside_->clone() : nullptr) {}
  some_backbone(some_backbone&&) noexcept = default;
  some_backbone& operator=(some_backbone&&) noexcept = default;
  /// Element by element where both are of one kind: pointers to parameters stay valid.
  some_backbone& operator=(const some_backbone& other) {
    if (!inside_ || !other.inside_ || !inside_->take(*other.inside_)) {
      inside_ = std::move(some_backbone(other).inside_);
    }
    return *this;
  }
  ~some_backbone() = default;

  std::size_t hops() const { return inside().hops(); }
  std::size_t classes() const { return inside().classes(); }
  parameter_list<T> parameters() { return inside().parameters(); }
  variable<T> forward(tape<T>& t, const message_graph<I>& graph, const node_features<T, I>& features) const {
    return inside().forward(t, graph, features);
  }

  trained_patcher<T> train_patcher(const executor& exec, const dataset<T, I>& data,
                                   const patcher_config& config) const {
    return inside().train_patcher(exec, data, config);
  }
  /// Logits with 0, 1, ..., options.patches patches, of a network or fixed ones.
  std::vector<matrix<T>> patch(const executor& exec, const dataset<T, I>& data, const patch_generator<T>& generator,
                               std::span<const I> nodes, const patching_options& options) const {
    return inside().patch(exec, data, generator, nodes, options);
  }
  std::vector<matrix<T>> patch(const executor& exec, const dataset<T, I>& data, fixed_patch kind,
                               std::span<const I> nodes, const patching_options& options) const {
    return inside().patch(exec, data, kind, nodes, options);
  }
  /// The path that patching takes.
  patch_path path(const executor& exec, const patching_options& options) const { return inside().path(exec, options); }

private:
  detail::held_backbone<T, I>& inside() const {
    expects(inside_ != nullptr, "some_backbone: this one is empty: it was moved from");
    return *inside_;
  }

  std::unique_ptr<detail::held_backbone<T, I>> inside_;
};

}  // namespace graphpatcher
