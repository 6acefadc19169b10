// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "graphpatcher/core/executor.hpp"
#include "graphpatcher/core/level.hpp"
#include "graphpatcher/core/matrix.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/graph/feature_table.hpp"
#include "graphpatcher/graph/message_graph.hpp"
#include "graphpatcher/models/unwrapped.hpp"

/// Whole algorithms for the backbones of this library, as functions that
/// graphpatcher::compiled fills once for each instruction level: a loop over small
/// operations is only as fast as the file that it is compiled in.
namespace graphpatcher {

struct training_history;
struct fit_options;
template <class T>
class tape;
template <class T>
class variable;
template <class T, graph_index I>
struct node_features;

namespace compiled {

/// The backbone of this library that a model is, void for others. A class derived
/// from one may compute something else.
template <class Model>
struct built_in {
  using type = void;
};
template <class Model>
using built_in_t = typename built_in<unwrapped_t<Model>>::type;

/// Whether a model is one of this library.
template <class Model>
inline constexpr bool is_built_in = !std::is_void_v<built_in_t<Model>>;

/// Whether a call for this model goes to graphpatcher::compiled, on any executor: what
/// is there calls a device's operations through the tables of its backend.
template <class Model>
inline constexpr bool holds = GP_CALLS_COMPILED&& is_built_in<Model>;

template <class T, graph_index I, class Backbone>
struct backbone_functions {
  training_history (*fit)(const executor& exec, const dataset<T, I>& data, Backbone& model, const fit_options& options);
  matrix<T> (*predict)(const executor& exec, const Backbone& model, const message_graph<I>& graph,
                       const feature_table<T, I>& features);
  variable<T> (*forward)(const Backbone& model, tape<T>& t, const message_graph<I>& graph,
                         const node_features<T, I>& features);
};

/// Of the level that was chosen, for float and double, std::int32_t and std::int64_t.
template <class T, graph_index I, class Model>
const backbone_functions<T, I, Model>& backbone_functions_of();

}  // namespace compiled
}  // namespace graphpatcher
