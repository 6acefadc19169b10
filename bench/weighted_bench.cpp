// SPDX-License-Identifier: MIT
// The rule of docs/rule.md beside plain patching of all nodes with one patcher: its cost is a ratio of the two.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graphpatcher/methods/weighted_predictor.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "support/graphs.hpp"
#include "workloads.hpp"

namespace bench {

namespace {

using source = gp::answer_source<float, index>;
using predictor = gp::weighted_predictor<float, index>;

/// A backbone, two patchers as they were drawn, and labels to weigh by: every tenth node's where there is no split.
class rule_setup {
public:
  rule_setup(gp::dataset<float, index> data, std::size_t hidden, int threads)
      : exec_{threads}, data_(with_validation(std::move(data))), model_(train(exec_, data_)) {
    for (const std::uint64_t seed : {1, 2}) {
      const gp::patch_generator<float> patches(
          {.features = data_.features.cols(), .hidden = hidden, .dropout = 0.2, .seed = seed});
      sources_.emplace_back("patcher " + std::to_string(seed), source::patching(patches, {.patches = 5}));
    }
  }

  double nodes() const { return static_cast<double>(data_.nodes()); }

  void patch_all() { answers_ = sources_.front().answers(exec_, data_, model_); }
  void fit(std::size_t patchers) {
    rule_.emplace(exec_, data_, model_, std::vector<source>(sources_.begin(), sources_.begin() + patchers),
                  gp::weighted_options{.evidence = -1e9, .evidence_otherwise = -1e9});  // mixes, whatever it finds
  }

  /// The rule once more, from what it found, answers with the same bits.
  void check(std::size_t patchers) const {
    const predictor again(model_, std::vector<source>(sources_.begin(), sources_.begin() + patchers), rule_->fitted());
    if (!std::ranges::equal(again.predict(exec_, data_).values(), rule_->logits().values())) {
      throw wrong_result{"the answers differ from those of the rule restored"};
    }
  }

private:
  static gp::dataset<float, index> with_validation(gp::dataset<float, index> data) {
    auto& split = data.split;
    if (split.validation.empty()) {
      split = {};
      for (std::size_t v = 0; v < data.nodes(); ++v) {
        (v % 10 == 0 ? split.validation : v % 10 == 1 ? split.train : split.test).push_back(static_cast<index>(v));
      }
    }
    return data;
  }
  static gp::gcn_backbone<float> train(const gp::cpu& exec, const gp::dataset<float, index>& data) {
    return gp::train_backbone(exec, data, gp::gcn_config{.hidden = 64, .seed = 1},
                              {.max_epochs = 100, .patience = 100});
  }

  gp::cpu exec_;
  gp::dataset<float, index> data_;
  gp::some_backbone<float, index> model_;
  std::vector<source> sources_;
  std::vector<gp::matrix<float>> answers_;
  std::optional<predictor> rule_;
};

std::shared_ptr<rule_setup> setup_of(const std::string& name, std::size_t hidden, const run_options& options) {
  return std::make_shared<rule_setup>(load(name, options), hidden, options.threads);
}

workload patch_all_workload(const std::string& name, std::size_t hidden, const run_options& options) {
  return {"patching_all/" + name + "/h" + std::to_string(hidden), [=] {
            const auto rule = setup_of(name, hidden, options);
            return prepared_workload{{.items = rule->nodes(), .unit = "nodes/s"}, [=] { rule->patch_all(); }, [] {}};
          }};
}

workload weighted_workload(const std::string& method, std::size_t patchers, const std::string& name, std::size_t hidden,
                           const run_options& options) {
  return {method + "/" + name + "/h" + std::to_string(hidden), [=] {
            const auto rule = setup_of(name, hidden, options);
            return prepared_workload{{.items = rule->nodes(), .unit = "nodes/s"},
                                     [=] { rule->fit(patchers); },
                                     [=] { rule->check(patchers); }};
          }};
}

}  // namespace

std::vector<workload> weighted_workloads(const run_options& options) {
  std::vector<workload> workloads;
  for (const char* name : {"cora", "pubmed", "coauthor-cs"}) {
    for (const std::size_t hidden : {256, 1024}) {
      workloads.push_back(patch_all_workload(name, hidden, options));
      workloads.push_back(weighted_workload("weighted", 2, name, hidden, options));
      workloads.push_back(weighted_workload("weighted-fast", 1, name, hidden, options));
    }
  }
  return workloads;
}

}  // namespace bench
