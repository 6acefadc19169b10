// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/io/checkpoint.hpp"
#include "graphpatcher/io/fingerprint.hpp"
#include "graphpatcher/methods/weighted_fit.hpp"
#include "graphpatcher/patcher/config_words.hpp"
#include "graphpatcher/patcher/train_patcher.hpp"

/// The fitted rule of docs/rule.md in a checkpoint. It holds no weights: backbone and patchers have files of their own,
/// and the checksums of their weights stand in this one.
namespace graphpatcher {

template <class Fields>
void list_fields(Fields& field, weighted_candidate& c) {
  field("source", c.base.source);
  field("patches", c.base.patches);
  field("steps", c.steps);
  field("over", c.over);
  field("kappa", c.kappa);
  field("beta_before", c.beta_before);
  field("beta", c.beta);
  field("weight", c.weight);
}

template <class Fields>
void list_fields(Fields& field, weighted_fit& f) {
  field("accepted", f.accepted);
  field("evidence", f.evidence);
  field("evidence_in_sample", f.evidence_in_sample);
  field("evidence_low", f.evidence_low);
  field("evidence_high", f.evidence_high);
  field("needed", f.needed);
  field("agreement", f.agreement);
  field("vote_agreement", f.vote_agreement);
  field("confident_changes", f.confident_changes);
  field("validation_nodes", f.validation_nodes);
  field("similar", f.similar);
  field("sources", f.sources);
  field("candidates", f.candidates);
  field("warnings", f.warnings);
}

namespace detail {

/// A patcher that a rule was fitted with: what its answers depend on.
struct patcher_of_rule {
  std::string weights;  ///< checksum
  patcher_config config;

  template <class T>
  static patcher_of_rule of(const trained_patcher<T>& patcher) {
    return {fingerprint(patcher.generator), patcher.config};
  }
};

template <class Fields>
void list_fields(Fields& field, patcher_of_rule& p) {
  field("weights", p.weights);
  field("patcher", p.config);
}

struct weighted_recipe {
  weighted_fit fit;
  std::string backbone;  ///< checksum of its weights
  std::vector<patcher_of_rule> patchers;

  template <class Fields>
  void list(Fields& field) {
    field("fit", fit);
    field("backbone", backbone);
    field("patchers", patchers);
  }
};

}  // namespace detail

/// Writes a fitted rule, and which backbone and patchers (in the order of its sources) it was fitted with.
template <class T, lists_its_parameters Backbone>
void save_weighted(const std::filesystem::path& path, const weighted_fit& fit, const Backbone& model,
                   const std::vector<trained_patcher<T>>& patchers, const checkpoint_notes& notes = {}) {
  expects(fit.sources.size() == patchers.size(), "save_weighted: expected the ", fit.sources.size(),
          " patchers that the rule was fitted with, got ", patchers.size());
  fit.check();
  detail::weighted_recipe recipe{fit, fingerprint(model), {}};
  for (const auto& patcher : patchers) {
    recipe.patchers.push_back(detail::patcher_of_rule::of(patcher));
  }
  fields_writer fields;
  recipe.list(fields);
  detail::write_checkpoint<T>(path, "weighted", fields.json, {}, notes);
}

/// Reads what save_weighted() wrote, for the backbone and the patchers at hand: weighted_predictor(model, {patchers[0],
/// ...}, fit) answers with the bits of the one that was saved. Throws file_error where they are others than it was
/// fitted with, or the file is no such checkpoint.
template <class T, lists_its_parameters Backbone>
weighted_fit load_weighted(const std::filesystem::path& path, const Backbone& model,
                           const std::vector<trained_patcher<T>>& patchers) {
  const detail::checkpoint_reader file{safetensors_archive(path)};
  file.expect_kind("weighted");
  detail::weighted_recipe recipe;
  file.read_config([&](auto& fields) { recipe.list(fields); });
  file.blame_file([&] {
    recipe.fit.check();
    expects(recipe.patchers.size() == recipe.fit.sources.size(), "expected a patcher for each of ",
            recipe.fit.sources.size(), " sources, got ", recipe.patchers.size());
  });
  if (fingerprint(model) != recipe.backbone) {
    file.fail("the rule was fitted with a backbone of other weights; take that backbone, or fit the rule anew");
  }
  if (patchers.size() != recipe.patchers.size()) {
    file.fail(text("the rule was fitted with ", recipe.patchers.size(), " patchers, got ", patchers.size()));
  }
  for (std::size_t s = 0; s < patchers.size(); ++s) {
    if (fingerprint(patchers[s].generator) != recipe.patchers[s].weights) {
      file.fail(text("the rule was fitted with a patcher '", recipe.fit.sources[s].substr(0, 80),
                     "' of other weights in place ", s, "; take those patchers in their order, or fit the rule anew"));
    }
    expect_same_config(path, recipe.patchers[s].config, patchers[s].config);
  }
  return std::move(recipe.fit);
}

}  // namespace graphpatcher
