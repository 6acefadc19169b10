// SPDX-License-Identifier: MIT
#include "graphpatcher/io/fingerprint.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/models/gcn.hpp"
#include "support/toy_data.hpp"

namespace gp = graphpatcher;

TEST_CASE("fingerprint: any change of a dataset changes it, a copy doesn't") {
  const auto data = toy::make<float>();
  const auto same = toy::make<float>();
  CHECK(gp::fingerprint(same) == gp::fingerprint(data));
  auto other = data;
  other.labels[7] = (other.labels[7] + 1) % 3;
  CHECK(gp::fingerprint(other) != gp::fingerprint(data));
  other = data;
  std::swap(other.split.train, other.split.test);
  CHECK(gp::fingerprint(other) != gp::fingerprint(data));
  CHECK(gp::fingerprint(toy::make<float>(60, 90, 12, 2)) != gp::fingerprint(data));
  CHECK(gp::fingerprint(toy::make<float>(60, 91)) != gp::fingerprint(data));
}

TEST_CASE("fingerprint: an empty part of a split hides nothing") {
  auto data = toy::make<float>();
  data.split = {};
  const auto before = gp::fingerprint(data);
  data.labels[7] = (data.labels[7] + 1) % 3;
  CHECK(gp::fingerprint(data) != before);
}

TEST_CASE("fingerprint: any change of a weight changes it") {
  gp::gcn_backbone<float> model({.hidden = 4}, 6, 3);
  const auto before = gp::fingerprint(model);
  CHECK(gp::fingerprint(gp::gcn_backbone<float>({.hidden = 4}, 6, 3)) == before);
  for (auto* p : model.parameters()) {
    const float kept = p->value.values().back();
    p->value.values().back() = kept + 1;
    CHECK(gp::fingerprint(model) != before);
    p->value.values().back() = kept;
  }
  CHECK(gp::fingerprint(model) == before);
}
