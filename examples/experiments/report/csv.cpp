// SPDX-License-Identifier: MIT
#include "experiments/report/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string_view>

#include "experiments/report/comparison.hpp"
#include "experiments/report/paper_numbers.hpp"
#include "graphpatcher/eval/number_text.hpp"

namespace graphpatcher {

namespace {

/// A field of a CSV file (RFC 4180): in quotes where it has to be.
std::string csv_field(std::string_view plain) {
  if (plain.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(plain);
  }
  std::string out = "\"";
  for (const char c : plain) {
    out += c == '"' ? "\"\"" : std::string(1, c);
  }
  return out + "\"";
}

/// Empty where there is no number.
std::string csv_number(double value) {
  return std::isfinite(value) ? fixed_text(value, 4) : "";
}

class csv_writer {
public:
  explicit csv_writer(const cell_index& index) : index_(index) {}

  std::string write() {
    out_ =
        "dataset,backbone,method,setting,patches,nodes,group,metric,seeds,mean,deviation,"
        "gain,gain_low,gain_high,control,control_gain,control_gain_low,control_gain_high,control_best_on_test,"
        "test_control_gain,test_control_gain_low,test_control_gain_high,paper,paper_deviation\n";
    for (const auto& dataset : index_.datasets()) {
      for (const auto& backbone : index_.backbones()) {
        dataset_ = dataset;
        backbone_ = backbone;
        base_ = backbone_scores(index_, dataset, backbone);
        rows(baseline_name(), "", "0", base_, nullptr);
        for (const auto& setting : index_.settings()) {
          write_setting(setting);
        }
        for (const auto& method : index_.methods()) {
          if (const auto role = info_of(method).role; role == method_role::rival || role == method_role::rule) {
            rows(method, "", "chosen", chosen_scores(index_.find(dataset, backbone, method)), nullptr);
          }
        }
      }
    }
    return out_;
  }

private:
  void write_setting(const std::string& setting) {
    const auto c = compare(index_, dataset_, backbone_, setting);
    if (c.cells.empty()) {
      return;
    }
    rows(patcher_name(), setting, "chosen", c.patched, &c);
    std::set<std::string> rules;
    std::size_t most = 0;
    for (const auto& [seed, cell] : c.cells) {
      most = std::max(most, cell->by_patches.size());
      for (const auto& row : cell->combined) {
        rules.insert(row.rule);
      }
    }
    for (std::size_t n = 1; n < most; ++n) {
      rows(patcher_name(), setting, std::to_string(n), patches_scores(c.cells, n), nullptr);
    }
    for (const auto& rule : rules) {
      rows(patcher_name(), setting, rule, combined_scores(c.cells, rule), nullptr);
    }
    for (const auto& [name, scores] : c.controls) {
      rows(name, setting, "as " + patcher_name(), scores, nullptr);
    }
  }

  void rows(std::string_view method, const std::string& setting, const std::string& patches, const seed_scores& scores,
            const comparison* c) {
    for (const auto nodes : {node_set::test, node_set::unlabelled}) {
      for (const auto group : all_groups) {
        for (const auto what : all_metrics) {
          if (what == score_metric::fractional && group == node_group::overall) {
            continue;
          }
          const score_measure m{group, what, nodes};
          const auto values = values_of(scores, m);
          if (values.empty()) {
            continue;
          }
          const auto [mean, deviation, count] = summarise(values);
          for (const auto& name :
               {dataset_, backbone_, std::string(method), setting, patches, std::string(word_of(nodes)),
                std::string(word_of(group)), std::string(word_of(what))}) {
            out_ += csv_field(name) + ",";
          }
          out_ += std::to_string(count) + "," + csv_number(mean) + "," + (count > 1 ? csv_number(deviation) : "") + ",";
          difference(method == baseline_name() ? paired_difference{} : paired(values, values_of(base_, m)));
          out_ += csv_field(c == nullptr ? "" : c->best_control()) + ",";
          difference(c == nullptr ? paired_difference{} : c->gain_over_control(m));
          out_ += csv_field(c == nullptr ? "" : c->best_control_on_test()) + ",";
          difference(c == nullptr ? paired_difference{} : c->gain_over_control_on_test(m));
          out_ +=
              (nodes == node_set::test && what == score_metric::accuracy ? paper(method, patches, group) : ",") + "\n";
        }
      }
    }
  }

  void difference(const paired_difference& d) {
    out_ += csv_number(d.mean) + "," + csv_number(d.low) + "," + csv_number(d.high) + ",";
  }

  /// The paper's value, of its first table that has it.
  std::string paper(std::string_view method, const std::string& patches, node_group group) const {
    const std::string_view name = info_of(method).paper;
    for (int table = 1; table <= 4 && (patches == "chosen" || method == baseline_name()); ++table) {
      const auto value = paper_value(table, word_of(group), paper_backbone(backbone_), name, dataset_);
      if (value && !value->out_of_memory()) {
        return fixed_text(value->accuracy, 2) + "," + fixed_text(value->deviation, 2);
      }
    }
    return ",";
  }

  const cell_index& index_;
  std::string dataset_, backbone_, out_;
  seed_scores base_;
};

}  // namespace

std::string experiment_csv(std::span<const cell_result> cells) {
  const cell_index index(cells);
  return csv_writer(index).write();
}

}  // namespace graphpatcher
