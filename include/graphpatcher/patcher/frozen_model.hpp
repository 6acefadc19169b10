// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "graphpatcher/core/emptied_by_move.hpp"
#include "graphpatcher/graph/dataset.hpp"
#include "graphpatcher/models/check_backbone.hpp"
#include "graphpatcher/ops/answer_checks.hpp"
#include "graphpatcher/patcher/detail/make_frozen_answers.hpp"
#include "graphpatcher/patcher/frozen_options.hpp"

namespace graphpatcher {

/// A trained backbone on a graph whose features stay as they are: its answers on
/// corrupted ego-graphs, thousands in one call. What doesn't depend on the masks
/// is computed once, when it is made.
///
///   gp::frozen_model frozen(exec, model, data);   // gp::cpu or gp::cuda, any backbone
///   frozen.answer(anchors, {.strength = 0.3, .samples = 10, .seed = 7}, {.logits = out.view()});
///
/// An answer is what the model says of an anchor v in its ego-graph, as far as
/// the model sees, without the neighbours that a mask drops:
/// f(T(G(v), strength))[v], degrees those of the whole graph less what is dropped
/// (degree_mode::graph). Masks are those of corrupt() for the same options; with
/// strength 0 every sample is the whole ego-graph.
///
/// The best path is taken: path() says which, why() why. All paths give the same
/// numbers to rounding; on the processor the same bits for any number of threads
/// and any split of the anchors.
///
/// Model, graph and features must outlive it and must not change: a model that is
/// trained further needs a new one. A cheap handle: copies share what was
/// computed, a move leaves it empty. Answers that aren't finite are a numeric_error
/// on the processor; on a GPU they stay there and nobody looks at them.
template <class T, graph_index I>
class frozen_model {
public:
  template <backbone_for<T, I> Backbone>
  frozen_model(const executor& exec, const Backbone& model, const csr_graph<I>& graph,
               const feature_table<T, I>& features, const frozen_options& options = {})
      : nodes_(graph.nodes()), classes_(model.classes()) {
    check_executor(exec);
    expects<shape_error>(features.rows() == nodes_, "frozen_model: expected features of ", nodes_, " nodes, got ",
                         features.rows());
    expects(classes_ >= 1, "frozen_model: expected a model with at least 1 class, got none; was it moved from?");
    if constexpr (!compiled::is_built_in<Backbone>) {
      check_backbone(exec, model, graph, features);
    }
    answers_ = detail::make_frozen_answers<T, I, Backbone>(exec, model, graph, features, options);
  }

  template <backbone_for<T, I> Backbone>
  frozen_model(const executor& exec, const Backbone& model, const dataset<T, I>& data,
               const frozen_options& options = {})
      : frozen_model(exec, model, data.graph, data.features, options) {}

  // It keeps pointers to these: a temporary would be gone before the first answer.
  template <class Backbone>
  frozen_model(const executor&, const Backbone&&, const csr_graph<I>&, const feature_table<T, I>&,
               const frozen_options& = {}) = delete;
  template <class Backbone>
  frozen_model(const executor&, const Backbone&, const csr_graph<I>&&, const feature_table<T, I>&,
               const frozen_options& = {}) = delete;
  template <class Backbone>
  frozen_model(const executor&, const Backbone&, const csr_graph<I>&, const feature_table<T, I>&&,
               const frozen_options& = {}) = delete;
  template <class Backbone>
  frozen_model(const executor&, const Backbone&&, const dataset<T, I>&, const frozen_options& = {}) = delete;
  template <class Backbone>
  frozen_model(const executor&, const Backbone&, const dataset<T, I>&&, const frozen_options& = {}) = delete;

  /// Answers for anchors x samples. Anchors are on the host, any nodes in any
  /// order, repeats allowed; answers are in the memory of the executor. With
  /// estimator::exact there is only mean_probabilities, the expectation over all
  /// masks of anchors with few neighbours.
  void answer(std::span<const I> anchors, const corruption_options& options,
              const std::type_identity_t<corrupted_answers<T>>& answers) const {
    const auto& way = answers_in_use();
    check_answers<T, I>(anchors, nodes_, classes_, options, answers, "frozen_model");
    if (anchors.empty()) {
      return;
    }
    expects(is_wanted(answers.logits) || is_wanted(answers.probabilities) || is_wanted(answers.mean_probabilities),
            "frozen_model: expected room for logits, probabilities or mean_probabilities, got none; ",
            "for example answer(anchors, options, {.logits = out.view()})");
    way.answer(anchors, options, answers);
  }

  /// rows, fused or generic, and in words why it isn't another.
  frozen_path path() const { return answers_in_use().path(); }
  const std::string& why() const { return answers_in_use().why(); }

  std::size_t nodes() const noexcept { return nodes_; }
  std::size_t classes() const noexcept { return classes_; }

private:
  const detail::frozen_answers<T, I>& answers_in_use() const {
    expects(answers_ != nullptr, "frozen_model: this one is empty: it was moved from");
    return *answers_;
  }

  std::shared_ptr<const detail::frozen_answers<T, I>> answers_;
  emptied_by_move<std::size_t> nodes_ = 0;
  emptied_by_move<std::size_t> classes_ = 0;
};

}  // namespace graphpatcher
