// SPDX-License-Identifier: MIT
#include "graphpatcher/patcher/detail/rows_of.hpp"

#include <catch2/catch.hpp>

#include "graphpatcher/io/backbone_checkpoint.hpp"
#include "graphpatcher/models/train_backbone.hpp"
#include "own_backbone/gin.hpp"

namespace fast = gp::fast;

namespace {

/// A backbone that somebody derives may compute something else.
struct own_gcn : gp::gcn_backbone<double> {
  using gp::gcn_backbone<double>::gcn_backbone;
};
struct derived_gin : gin_backbone<double> {
  using gin_backbone<double>::gin_backbone;
};
struct gin_with_a_count : derived_gin {
  using derived_gin::derived_gin;
  std::size_t rows() const { return 3; }
};
struct gin_with_its_own : derived_gin {
  using derived_gin::derived_gin;
  auto rows() const noexcept { return derived_gin::rows(); }
};

}  // namespace

TEST_CASE("only the backbones themselves have rows, wrapped or not", "[patcher][fast]") {
  static_assert(fast::has_rows<gp::gcn_backbone<float>>);
  static_assert(fast::has_rows<gp::sage_backbone<double>>);
  static_assert(fast::has_rows<gin_backbone<float>>);
  static_assert(fast::has_rows<gin_with_its_own>);
  static_assert(fast::has_rows<gp::trained<gp::gat_backbone<float>>>);
  static_assert(fast::has_rows<gp::trained<gin_backbone<float>>>);
  static_assert(fast::has_rows<gp::restored<gp::gat_backbone<float>, gp::gat_config>>);
  static_assert(fast::has_rows<gp::trained<gp::restored<gp::gat_backbone<float>, gp::gat_config>>>);
  static_assert(!fast::has_rows<own_gcn>);
  static_assert(!fast::has_rows<derived_gin>);
  static_assert(!fast::has_rows<gp::trained<derived_gin>>);
  static_assert(!fast::has_rows<gin_with_a_count>);
  static_assert(!fast::has_rows<int>);
  static_assert(
      std::same_as<fast::rows_type<gp::trained<gp::gat_backbone<float>>>, fast::rows_type<gp::gat_backbone<float>>>);

  CHECK(fast::why_no_rows<gin_backbone<float>>().empty());
  CHECK_THAT(std::string(fast::why_no_rows<own_gcn>()), Catch::Contains("no member rows()"));
  CHECK_THAT(std::string(fast::why_no_rows<gp::trained<derived_gin>>()), Catch::Contains("derived from"));
  CHECK_THAT(std::string(fast::why_no_rows<gin_with_a_count>()), Catch::Contains("give no row_model"));
}

TEST_CASE("rows have the widths of their backbone", "[patcher][fast]") {
  const gp::sage_backbone<double> model({.hidden = 9}, 5, 3);
  const auto rows = fast::rows_of(model);
  CHECK(rows.classes() == 3);
  CHECK(rows.first.weight().rows() == 5);
  CHECK(rows.second.weight().rows() == 9);

  struct promising : gin_backbone<double> {
    using gin_backbone<double>::gin_backbone;
    std::size_t classes() const { return 4; }
    auto rows() const { return gin_backbone<double>::rows(); }
  };
  const promising other(5, 6, 3, gp::random_stream(1, gp::purpose::initialisation));
  CHECK_THROWS_WITH(fast::rows_of(other),
                    "row_model: expected a last layer of 4 outputs, the classes of the backbone, got 3");
}

TEST_CASE("only symmetric normalisation scales its sources", "[patcher][fast]") {
  const auto gcn = [](gp::normalisation norm) { return gp::gcn_backbone<float>({.norm = norm}, 5, 3); };
  CHECK(fast::scales_sources_in(gcn(gp::normalisation::symmetric)));
  CHECK_FALSE(fast::scales_sources_in(gcn(gp::normalisation::mean)));
  CHECK_FALSE(fast::scales_sources_in(gp::gat_backbone<float>({}, 5, 3)));
}
