// SPDX-License-Identifier: MIT
#include "experiments/results/names.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/core/error.hpp"

using namespace graphpatcher;

TEST_CASE("methods are those of the library's registry, by their roles") {
  CHECK(known_methods().size() == 17);
  CHECK(baseline_name() == "none");
  CHECK(patcher_name() == "graphpatcher");
  CHECK(methods_of(method_role::control) ==
        std::vector<std::string>{"zero", "mean", "copy", "untrained", "weighted-controls", "spread", "densify",
                                 "duplicate", "mlp", "propagate", "correct-and-smooth"});
  CHECK(methods_of(method_role::rule) == std::vector<std::string>{"weighted", "weighted-fast"});
  CHECK(find_method("tuneup").paper == "TuneUp");
  CHECK_THROWS_AS(find_method("magic"), argument_error);
  CHECK(info_of("dropedge").role == method_role::rival);
  CHECK(info_of("magic").role == method_role::rival);  // of a later version: shown, not refused
  CHECK(info_of("magic").name == "magic");
  CHECK(rule_name() == "weighted");
  CHECK(find_method(fair_control).role == method_role::control);
}

TEST_CASE("names of datasets with random splits, and how datasets are measured") {
  CHECK(random_dataset("cora") == "cora-random");
  CHECK(public_dataset("cora-random") == "cora");
  CHECK(public_dataset("amazon-photo") == "amazon-photo");
  CHECK(is_measured_by_auc("tolokers"));
  CHECK(is_measured_by_auc("questions-random"));
  CHECK(!is_measured_by_auc("cora"));
}
