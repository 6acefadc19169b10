// SPDX-License-Identifier: MIT
#include "graphpatcher/eval/run_decision.hpp"

#include <catch2/catch.hpp>

using namespace graphpatcher;

TEST_CASE("a decision as lines") {
  run_decision decision{true, 4.206, 1, 0.7149, 500, {{"own 3", 0.75}, {"backbone", 0.25}}, {"thin", "thinner"}};
  CHECK(decision.report() == R"(verdict: the weighted answers (t = 4.21, needed 1.0; H = 0.71; 500 validation nodes)
  0.750  own 3
  0.250  backbone
warning: thin
warning: thinner
)");
  decision.accepted = false;
  CHECK(decision.verdict() == "the backbone alone (t = 4.21, needed 1.0; H = 0.71; 500 validation nodes)");
}
