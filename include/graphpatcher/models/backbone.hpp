// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "graphpatcher/autodiff/node_features.hpp"
#include "graphpatcher/autodiff/tape.hpp"
#include "graphpatcher/graph/message_graph.hpp"
#include "graphpatcher/graph/whole_graph.hpp"
#include "graphpatcher/models/compiled.hpp"
#include "graphpatcher/models/finite_logits.hpp"
#include "graphpatcher/nn/placement.hpp"

namespace graphpatcher {

// What a GNN must offer to be trained, patched and evaluated by this library.
// The parts have names of their own so that a compiler's complaint about a
// model reads as what the model lacks.

/// `using scalar_type = float;` (or double): the type of its weights.
template <class Model>
concept has_scalar_type = requires {
  typename Model::scalar_type;
}
&&std::floating_point<typename Model::scalar_type>;

/// `std::size_t hops() const`: how far its answers see, the number of message-passing layers.
template <class Model>
concept tells_its_hops = requires(const Model& model) {
  { model.hops() } -> std::convertible_to<std::size_t>;
};

/// `std::size_t classes() const`: columns of its logits.
template <class Model>
concept tells_its_classes = requires(const Model& model) {
  { model.classes() } -> std::convertible_to<std::size_t>;
};

/// `parameter_list<scalar_type> parameters()`: pointers to its own, in a fixed order.
template <class Model>
concept lists_its_parameters = has_scalar_type<Model> && requires(Model& model) {
  { model.parameters() } -> std::same_as<parameter_list<typename Model::scalar_type>>;
};

/// `template <graph_index I> variable<T> forward(tape<T>&, const message_graph<I>&, const node_features<T, I>&) const`:
/// logits, whose first graph.targets() rows are the answers.
template <class Model, class I>
concept computes_logits = has_scalar_type<Model> &&
    requires(const Model& model, tape<typename Model::scalar_type>& t, const message_graph<I>& graph,
             const node_features<typename Model::scalar_type, I>& features) {
  { model.forward(t, graph, features) } -> std::same_as<variable<typename Model::scalar_type>>;
};

/// A graph neural network for node classification: a value (copies are
/// independent models) with the members above. Nothing has to be inherited.
template <class Model, class I = std::int32_t>
concept backbone = std::copyable<Model> && has_scalar_type<Model> && tells_its_hops<Model> &&
    tells_its_classes<Model> && lists_its_parameters<Model> && computes_logits<Model, I>;

/// A backbone that goes with features of type T on graphs with indices I.
template <class Model, class T, class I>
concept backbone_for = backbone<Model, I> && std::same_as<typename Model::scalar_type, T>;

/// Names of the first `count` nodes for dropout: their global ids, so that a
/// node's mask doesn't depend on where it stands.
template <graph_index I>
std::span<const I> node_keys(const message_graph<I>& graph, std::size_t count) {
  return std::span<const I>(graph.global_ids).first(count);
}

/// Logits of the targets, on a tape of the caller's: evaluation mode, weights
/// frozen. A gradient still flows to patches that want one.
template <class T, graph_index I, backbone_for<T, I> Model>
variable<T> frozen_forward(tape<T>& t, const Model& model, const message_graph<I>& graph,
                           const node_features<T, I>& features) {
  const auto frozen = t.freeze();
  const auto logits = model.forward(t, graph, features);
  expects<shape_error>(logits.rows() >= graph.targets() && logits.cols() == model.classes(),
                       "backbone: expected logits of at least ", graph.targets(), " targets and ", model.classes(),
                       " classes, got ", logits.rows(), " x ", logits.cols());
  return logits.rows() == graph.targets() ? logits : t.window(logits, 0, graph.targets());
}

namespace detail {

/// What predict() says, compiled where it is called.
template <class T, graph_index I, backbone_for<T, I> Model>
matrix<T> predict_here(const executor& exec, const Model& model, const message_graph<I>& graph,
                       const feature_table<T, I>& features) {
  const placed_model<Model> placed(exec, model);
  tape<T> t(exec);
  auto logits = to_host(exec, frozen_forward(t, *placed, graph, node_features<T, I>{&features, &graph, {}}).value());
  expects_finite_logits<T>(logits, "predict: logits", model);
  return logits;
}

}  // namespace detail

/// Logits of the targets of a message graph, targets x classes. Throws numeric_error
/// if one isn't finite.
template <class T, graph_index I, backbone_for<T, I> Model>
matrix<T> predict(const executor& exec, const Model& model, const message_graph<I>& graph,
                  const feature_table<T, I>& features) {
  if constexpr (compiled::holds<Model>) {
    return compiled::backbone_functions_of<T, I, compiled::built_in_t<Model>>().predict(exec, model, graph, features);
  } else {
    return detail::predict_here<T, I>(exec, model, graph, features);
  }
}

/// Logits of every node of a graph, nodes x classes.
template <class T, graph_index I, backbone_for<T, I> Model>
matrix<T> predict(const executor& exec, const Model& model, const csr_graph<I>& graph,
                  const feature_table<T, I>& features) {
  expects<shape_error>(features.rows() == graph.nodes(), "predict: expected features of ", graph.nodes(),
                       " nodes, got ", features.rows());
  return predict(exec, model, whole_graph(graph), features);
}

}  // namespace graphpatcher
