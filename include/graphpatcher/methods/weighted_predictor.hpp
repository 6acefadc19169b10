// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graphpatcher/methods/answers.hpp"
#include "graphpatcher/methods/some_backbone.hpp"
#include "graphpatcher/methods/weighted_answers.hpp"
#include "graphpatcher/patcher/similar_nodes.hpp"

namespace graphpatcher {

/// Where answers other than the backbone's come from: a trained patcher, or a function that gives logits of all nodes
/// of a graph with 0, 1, 2, ... patches.
template <class T, graph_index I>
struct answer_source {
  using function =
      std::function<std::vector<matrix<T>>(const executor&, const dataset<T, I>&, const some_backbone<T, I>&)>;

  std::string name;
  function answers;

  answer_source(std::string called, function how) : name(std::move(called)), answers(std::move(how)) {}
  answer_source(const trained_patcher<T>& patcher)  // NOLINT: a patcher is a source
      : answer_source(patcher.config.target == patch_target::spread ? "spread" : "own",
                      patching(patcher.generator, patching_as(patcher.config))) {}

  /// Patches of a network, or fixed ones.
  template <class Patches>
  static function patching(Patches patches, patching_options how) {
    return [patches = std::move(patches), how](const executor& exec, const dataset<T, I>& data,
                                               const some_backbone<T, I>& model) {
      return model.patch(exec, data, patches, every_node<I>(data.nodes()), how);
    };
  }
};

/// A frozen backbone and its patchers as one predictor that keeps the gains and does not lose (docs/rule.md): all
/// numbers of patches, spread and not, are weighed by the validation nodes' likelihood, and where the evidence for the
/// mixture is thin the backbone answers alone, with the bits of patch_nodes() without patches. Fitted once, it answers
/// nodes of that graph and of any other. Each patcher patches all nodes of a graph once.
template <class T, graph_index I>
class weighted_predictor {
public:
  using backbone_type = some_backbone<T, I>;
  using sources_type = std::vector<answer_source<T, I>>;

  /// Fits the rule on the validation nodes of `data`.
  weighted_predictor(const executor& exec, const dataset<T, I>& data, std::type_identity_t<backbone_type> model,
                     std::type_identity_t<sources_type> sources, const weighted_options& options = {})
      : model_(std::move(model)), sources_(std::move(sources)) {
    data.check();
    std::vector<std::string> names;
    std::vector<bool> wanted;
    for (const auto& source : sources_) {
      names.push_back(source.name);
      wanted.push_back(!data.split.validation.empty());  // without them nothing can be weighed
    }
    auto [logits, answers] = answer(exec, data, wanted);
    const auto alike = similar_nodes(exec.host(), data.features, options.similar);
    fit_ = fit_weighted(exec.host(), data, answers, alike, std::move(names), options);
    logits_ = fit_.accepted ? mix_answers(exec.host(), data.graph, answers, alike, fit_) : std::move(logits);
  }

  /// One that was fitted before: with the sources that it was fitted with, in their order.
  weighted_predictor(backbone_type model, sources_type sources, weighted_fit fit)
      : model_(std::move(model)), sources_(std::move(sources)), fit_(std::move(fit)) {
    expects(sources_.size() == fit_.sources.size(), "weighted_predictor: expected the ", fit_.sources.size(),
            " sources that it was fitted with, got ", sources_.size());
    fit_.check();
  }

  /// Verdict, evidence, agreement, weights, warnings.
  const weighted_fit& fitted() const noexcept { return fit_; }

  /// Logits of all nodes of the graph it was fitted on, a row each.
  const matrix<T>& logits() const {
    expects(!logits_.empty(), "weighted_predictor: it was not fitted here; call predict() with a dataset");
    return logits_;
  }
  /// Of some of them, in their order.
  matrix<T> predict(std::span<const I> nodes) const { return rows_of_nodes(logits(), nodes); }

  /// Logits of all nodes of any graph, such as the one it was fitted on with nodes that are new. Only what has a weight
  /// is computed. Labels and split play no part.
  matrix<T> predict(const executor& exec, const dataset<T, I>& data) const {
    std::vector<bool> wanted(sources_.size(), false);
    bool spreads = false;
    for (const auto& candidate : fit_.candidates) {
      for (std::size_t s = 1; fit_.accepted && s <= sources_.size(); ++s) {
        wanted[s - 1] =
            wanted[s - 1] || candidate.base.source == s || candidate.base.source == answer_base::every_source;
      }
      spreads = spreads || candidate.steps > 0;
    }
    auto [logits, answers] = answer(exec, data, wanted);
    if (!fit_.accepted) {
      return std::move(logits);
    }
    const auto alike = spreads ? similar_nodes(exec.host(), data.features, fit_.similar) : sparse_matrix<T, I>();
    return mix_answers(exec.host(), data.graph, answers, alike, fit_);
  }

private:
  struct given_answers {
    matrix<T> logits;  // the backbone's
    base_answers<T> answers;
  };

  given_answers answer(const executor& exec, const dataset<T, I>& data, const std::vector<bool>& wanted) const {
    given_answers result;
    const cpu host = exec.host();
    result.logits =
        std::move(model_.patch(exec, data, fixed_patch::zero, every_node<I>(data.nodes()), {.patches = 0}).front());
    result.answers.own = probabilities_of(host, result.logits);
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      auto& patched = result.answers.patched.emplace_back();
      if (wanted[s]) {
        const auto logits = sources_[s].answers(exec, data, model_);
        for (std::size_t k = 1; k < logits.size(); ++k) {
          expects<shape_error>(logits[k].rows() == data.nodes() && logits[k].cols() == model_.classes(),
                               "weighted_predictor: expected ", data.nodes(), " x ", model_.classes(),
                               " logits of source ", sources_[s].name, ", got ", logits[k].rows(), " x ",
                               logits[k].cols());
          patched.push_back(probabilities_of(host, logits[k]));
        }
      }
    }
    return result;
  }

  backbone_type model_;
  sources_type sources_;
  weighted_fit fit_;
  matrix<T> logits_;
};

/// What the patchers of the rule learn: the backbone's own answers and, unless `fast`, answers that have spread.
inline std::vector<patch_target> weighted_targets(bool fast) {
  return fast ? std::vector{patch_target::own} : std::vector{patch_target::own, patch_target::spread};
}

/// The patchers of the rule, as `config` describes them but for their target.
template <class T, graph_index I, class Backbone>
std::vector<trained_patcher<T>> train_weighted_patchers(const executor& exec, const dataset<T, I>& data,
                                                        const Backbone& model, patcher_config config,
                                                        bool fast = false) {
  std::vector<trained_patcher<T>> patchers;
  for (const auto target : weighted_targets(fast)) {
    config.target = target;
    if constexpr (requires { model.train_patcher(exec, data, config); }) {
      patchers.push_back(model.train_patcher(exec, data, config));
    } else {
      patchers.push_back(train_patcher(exec, data, model, config));
    }
  }
  return patchers;
}

}  // namespace graphpatcher
