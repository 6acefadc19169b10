// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/distilled_mlp.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/eval/agreement.hpp"
#include "methods/run_support.hpp"
#include "models/model_support.hpp"

namespace gp = graphpatcher;
using toy::node_id;

TEST_CASE("mlp: learns what it is taught from features alone", "[methods]") {
  auto data = gp_test::two_cliques<float, node_id>(40);
  data.split.validation.assign(data.split.test.begin(), data.split.test.begin() + 36);  // of the first clique
  data.split.test.erase(data.split.test.begin(), data.split.test.begin() + 36);
  for (std::size_t i = 0; i < 18; ++i) {  // half of each
    std::swap(data.split.validation[i], data.split.test[i]);
  }
  gp::matrix<float> taught(data.nodes(), 2);
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    taught(v, static_cast<std::size_t>(data.labels[v])) = 1;
  }
  const gp::fit_options fitting{.max_epochs = 200, .patience = 200};
  const auto logits = gp::distilled_mlp_answers(gp::cpu{2}, data, taught, 1, fitting);
  CHECK(gp_test::accuracy_of(logits, data, data.split.test) > 0.9);
  data.graph = gp::build_graph<node_id>(data.nodes(), {{3, 17}});
  const auto other = gp::distilled_mlp_answers(gp::cpu{1}, data, taught, 1, fitting);
  CHECK(std::ranges::equal(logits.values(), other.values()));  // edges play no part
}

TEST_CASE("mlp: answers for nodes of up to two neighbours, the backbone for all others", "[methods]") {
  const auto data = toy::make<float>(120, 200);
  const auto run = toy::run_of("mlp", data);
  const auto choice = toy::setting_of(run, "mlp");
  CHECK((choice == "no" || choice.substr(0, 10) == "degree <= "));
  const auto found = gp::largest_columns<float>(toy::answers_of(run));
  const auto own = gp::largest_columns<float>(toy::answers_of(toy::run_of("none", data)));
  for (std::size_t v = 0; v < data.nodes(); ++v) {
    if (data.graph.degree(v) > 2) {
      CHECK(found[v] == own[v]);
    }
  }
}
