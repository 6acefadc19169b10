// SPDX-License-Identifier: MIT
#include "experiments/run/combine.hpp"

#include <catch2/catch.hpp>

namespace gp = graphpatcher;

namespace {

gp::node_answer answer(std::size_t degree, bool right, double log_likelihood = -1) {
  return {degree, 0, right, 0.5, log_likelihood};
}

}  // namespace

TEST_CASE("averages take as many predictions as they are told", "[experiments]") {
  std::vector<gp::matrix<float>> p(3, gp::matrix<float>(1, 2));
  for (std::size_t n = 0; n < 3; ++n) {
    p[n](0, 0) = static_cast<double>(n);
    p[n](0, 1) = 1;
  }
  CHECK(gp::average(p, 3)(0, 0) == 1);
  CHECK(gp::average(p, 2)(0, 0) == 0.5);
  CHECK(gp::average(p, 2)(0, 1) == 1);
  CHECK_THROWS_AS(gp::average(p, 4), gp::argument_error);
  CHECK_THROWS_AS(gp::average(p, 0), gp::argument_error);
}

TEST_CASE("the best likelihood is chosen, of equals the fewer patches", "[experiments]") {
  const gp::patched_answers validation{
      {answer(1, true, -3)}, {answer(1, false, -2)}, {answer(1, true, -2)}, {answer(1, true, -1)}};
  CHECK(gp::choose_by_likelihood(validation, 3) == 3);
  CHECK(gp::choose_by_likelihood(validation, 2) == 1);
  CHECK(gp::choose_by_likelihood(validation, 0) == 0);
}

TEST_CASE("each third by degree has its own number of patches", "[experiments]") {
  // Six nodes of degrees 1 1 2 2 9 9; patches help degree 1, change nothing for 2, and hurt 9.
  const std::vector<std::size_t> degrees{1, 1, 2, 2, 9, 9};
  gp::patched_answers validation(3);
  for (std::size_t n = 0; n < 3; ++n) {
    for (const std::size_t degree : degrees) {
      validation[n].push_back(answer(degree, degree == 1 ? n == 2 : degree == 2 ? true : n == 0));
    }
  }
  const auto choices = gp::choose_by_degree(validation, 2);
  REQUIRE(choices.size() == 3);
  CHECK(choices[0].patches == 2);
  CHECK(choices[1].patches == 2);  // of equals the larger
  CHECK(choices[2].patches == 0);
  const auto picked = gp::pick_by_degree(validation, choices);
  for (const auto& each : picked) {
    CHECK(each.right);
  }
  CHECK(gp::choose_by_degree(validation, 0).front().patches == 0);
}

TEST_CASE("nodes of one degree stay together", "[experiments]") {
  const gp::patched_answers validation(2, std::vector<gp::node_answer>(5, answer(1, true)));
  const auto choices = gp::choose_by_degree(validation, 1);
  REQUIRE(choices.size() == 2);  // degree 1, and all above
  CHECK(choices[0].last == 1);
  CHECK(gp::pick_by_degree(validation, choices).size() == 5);
}
