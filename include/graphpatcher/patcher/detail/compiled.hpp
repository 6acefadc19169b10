// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>

#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/compiled.hpp"
#include "graphpatcher/patcher/config.hpp"
#include "graphpatcher/patcher/detail/frozen_answers.hpp"
#include "graphpatcher/patcher/frozen_options.hpp"
#include "graphpatcher/patcher/patching_options.hpp"

/// Training a patcher and patching with it, as functions of graphpatcher::compiled
/// (models/compiled.hpp says when they are called).
namespace graphpatcher {

template <class T>
struct trained_patcher;
template <class T>
struct training_watch;
template <class T>
class patch_generator;
enum class fixed_patch;

namespace detail {

/// Patching a fixed set of anchors again and again; see node_patching.
template <class T>
class patching_work {
public:
  virtual ~patching_work() = default;
  virtual patch_path path() const noexcept = 0;
  virtual patched_predictions<T> run(const patch_generator<T>& generator) = 0;
};

}  // namespace detail

namespace compiled {

template <class T, graph_index I, class Backbone>
struct patcher_functions {
  trained_patcher<T> (*train)(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                              const patcher_config& config, const training_watch<T>& watch);
  std::unique_ptr<detail::patching_work<T>> (*make_patching)(const executor& exec, const csr_graph<I>& graph,
                                                             const feature_table<T, I>& features, const Backbone& model,
                                                             std::span<const I> anchors,
                                                             const patching_options& options);
  patched_predictions<T> (*patch_fixed)(const executor& exec, const csr_graph<I>& graph,
                                        const feature_table<T, I>& features, const Backbone& model, fixed_patch kind,
                                        std::span<const I> anchors, const patching_options& options);
  matrix<T> (*spread)(const executor& exec, const dataset<T, I>& data, const Backbone& model,
                      const spread_options& options);
  std::shared_ptr<const detail::frozen_answers<T, I>> (*make_frozen)(const executor& exec, const Backbone& model,
                                                                     const csr_graph<I>& graph,
                                                                     const feature_table<T, I>& features,
                                                                     const frozen_options& options);
};

/// Of the level that was chosen, for float and double, std::int32_t and std::int64_t.
template <class T, graph_index I, class Model>
const patcher_functions<T, I, Model>& patcher_functions_of();

}  // namespace compiled
}  // namespace graphpatcher
