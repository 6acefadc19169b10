// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>
#include <cstdint>

#include "graphpatcher/models/gcn.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "models/model_support.hpp"

namespace gp = graphpatcher;

TEST_CASE("index and scalar types train alike", "[models]") {
  const gp::fit_options options{.learning_rate = 0.01, .max_epochs = 30};
  const gp::gcn_config config{.hidden = 8, .seed = 1};
  const auto narrow = gp_test::two_cliques<double, std::int32_t>();
  const auto wide = gp_test::two_cliques<double, std::int64_t>();
  const auto a = gp::train_backbone(gp::cpu{}, narrow, config, options);
  const auto b = gp::train_backbone(gp::cpu{}, wide, config, options);
  CHECK(a.history.loss == b.history.loss);
}
