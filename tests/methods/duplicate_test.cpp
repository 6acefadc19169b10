// SPDX-License-Identifier: MIT
#include "graphpatcher/methods/duplicate.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/models/gat.hpp"
#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/sage.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;

TEMPLATE_TEST_CASE("duplicate: a duplicate is a patch with the node's features that is joined both ways", "[methods]",
                   gp::gcn_config, gp::sage_config, gp::gat_config) {
  const auto data = toy::make<double>(40, 60);
  // Not with symmetric normalisation: neighbours of a patched anchor see its greater degree, of a copy they see
  // nothing.
  const typename TestType::template model_type<double> model(TestType{.hidden = 8}, 12, 3);
  const auto found = gp::duplicated_answers(gp::cpu{2}, data, model);
  const auto expected = gp::patch_nodes(gp::cpu{1}, data.graph, data.features, model, gp::fixed_patch::copy,
                                        toy::all_nodes(40), {.patches = 1, .edge = gp::patch_edge::undirected});
  REQUIRE(found.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < found[k].size(); ++i) {
      CHECK(found[k].values()[i] == Approx(expected.logits[k].values()[i]).epsilon(1e-9).margin(1e-12));
    }
  }
}
