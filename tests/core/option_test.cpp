// SPDX-License-Identifier: MIT
#include "graphpatcher/core/option.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "graphpatcher/core/option_names.hpp"
#include "graphpatcher/core/option_text.hpp"

namespace gp = graphpatcher;

namespace {

enum class colour { red, dark_blue };

struct paint_options {
  double thickness = 0.5;
  colour tone = colour::red;

  static void list_options(auto& c, auto&& option) {
    option({"thickness", "of the layer", gp::above(0), "depth"}, c.thickness);
    option({"tone", "which colour"}, c.tone);
  }
};

struct house {
  std::size_t floors = 2;
  bool has_garden = true;
  std::vector<double> heights{2.5, 0.1};
  paint_options paint;

  static void list_options(auto& c, auto&& option) {
    option({"floors", "one above the other", gp::at_least(1)}, c.floors);
    option({"has_garden", "beside it", {}, "garden lawn"}, c.has_garden);
    option({"heights", "of the floors", gp::from_to_below(0, 10)}, c.heights);
    option({"paint", "all over"}, c.paint);
  }
};

std::vector<std::string> names_of(const house& h) {
  std::vector<std::string> names;
  gp::for_each_option(h, [&](const gp::option& o, const auto&) { names.emplace_back(o.name); });
  return names;
}

}  // namespace

template <>
struct gp::choice_words<colour> {
  static constexpr std::array list{gp::word<colour>{"red", colour::red},
                                   gp::word<colour>{"dark_blue", colour::dark_blue}};
};

TEST_CASE("options are visited by name, those of members too", "[option]") {
  CHECK(names_of({}) == std::vector<std::string>{"floors", "has_garden", "heights", "paint_thickness", "paint_tone"});
  CHECK(gp::lists_options<const house>);
  CHECK_FALSE(gp::lists_options<double>);
  house h;
  gp::for_each_option(
      h,
      [](const gp::option& o, auto& value) {
        if constexpr (std::same_as<decltype(value), double&>) {
          CHECK(o.name == "my_paint_thickness");
          CHECK(o.meaning == "of the layer");
          value = 7;
        }
      },
      "my_");
  CHECK(h.paint.thickness == 7);
}

TEST_CASE("ranges have their ends or not, never NaN, and infinity only where nothing is asked", "[option]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto check = [](gp::value_range range, const std::string& words, std::vector<double> in,
                        std::vector<double> out) {
    CHECK(range.words() == words);
    for (const double x : in) {
      INFO(words << " " << x);
      CHECK(range.contains(x));
    }
    out.push_back(std::nan(""));
    for (const double x : out) {
      INFO(words << " " << x);
      CHECK_FALSE(range.contains(x));
    }
  };
  check(gp::at_least(1), ">= 1", {1, 1e300}, {0.999, -infinity, infinity});
  check(gp::above(0), "> 0", {1e-300}, {0, -1, infinity});
  check(gp::within(0, 1), "in [0, 1]", {0, 1}, {-1e-9, 1.001});
  check(gp::from_to_below(0, 1), "in [0, 1)", {0, 0.999}, {1, -1});
  check(gp::within(1, gp::most_units), "in [1, 1000000]", {1, 1e6}, {0, 1e6 + 1, 1e18, infinity});
  check({}, "", {-5, 0, 1e300}, {infinity});
}

TEST_CASE("a number outside of its range is refused with the option's name", "[option]") {
  const auto refused = [](auto change, const std::string& words) {
    house h;
    change(h);
    CHECK_THROWS_AS(gp::check_options("house", h), gp::argument_error);
    CHECK_THROWS_WITH(gp::check_options("house", h), words);
  };
  CHECK_NOTHROW(gp::check_options("house", house{}));
  refused([](house& h) { h.floors = 0; }, "house: expected floors >= 1, got 0");
  refused([](house& h) { h.heights = {1, 10}; }, "house: expected heights in [0, 10), got 10");
  refused([](house& h) { h.paint.thickness = std::nan(""); }, "house: expected paint_thickness > 0, got nan");
}

TEST_CASE("values are typed as they are shown", "[option]") {
  house h;
  const auto set = [&](const char* name, const char* typed) { gp::set_option(h, name, typed); };
  set("floors", "12");
  set("has-garden", "false");
  set("heights", "1.5,2,1e-9");
  set("paint_tone", "dark_blue");
  set("paint-thickness", "0.25");
  CHECK(h.floors == 12);
  CHECK_FALSE(h.has_garden);
  CHECK(h.heights == std::vector{1.5, 2.0, 1e-9});
  CHECK(h.paint.tone == colour::dark_blue);
  CHECK(h.paint.thickness == 0.25);
  set("heights", "3/2");  // where a comma means something else
  CHECK(h.heights == std::vector{3.0, 2.0});

  house again;
  gp::for_each_option(h, [&](const gp::option& o, const auto& value) {
    gp::set_option(again, gp::typed_name(o.name), gp::option_text(value));
  });
  gp::for_each_option(again, [&](const gp::option& o, const auto& value) {
    gp::for_each_option(h, [&](const gp::option& other, const auto& before) {
      if (o.name == other.name) {
        CHECK(gp::option_text(value) == gp::option_text(before));
      }
    });
  });
}

TEST_CASE("what is typed wrong is refused by name, and changes nothing", "[option]") {
  house h;
  const auto refused = [&](const char* name, const char* typed, const std::string& words) {
    CHECK_THROWS_AS(gp::set_option(h, name, typed), gp::argument_error);
    CHECK_THROWS_WITH(gp::set_option(h, name, typed), words);
  };
  refused("floors", "-1", "floors: expected a whole number >= 1; got '-1'");
  refused("floors", "2x", "floors: expected a whole number >= 1; got '2x'");
  refused("floors", "99999999999999999999", "floors: expected a whole number >= 1; got '99999999999999999999'");
  refused("paint-thickness", "inf", "paint-thickness: expected a number > 0; got 'inf'");
  refused("paint-thickness", "", "paint-thickness: expected a number > 0; got ''");
  refused("has_garden", "yes", "has-garden: expected true or false; got 'yes'");
  refused("heights", "1,,2", "heights: expected numbers with commas between in [0, 10); got '1,,2'");
  refused("paint-tone", "green", "paint-tone: expected one of red, dark_blue; got 'green'");
  CHECK(h.heights == house{}.heights);

  // What is in no range is refused where it is typed, with what was typed.
  refused("floors", "0", "floors: expected a whole number >= 1; got '0'");
  refused("heights", "1,10", "heights: expected numbers with commas between in [0, 10); got '1,10'");
  refused("paint-thickness", "nan", "paint-thickness: expected a number > 0; got 'nan'");

  refused("florrs", "1", "no option is called 'florrs'; did you mean floors?");
  refused("hasgarden", "1", "no option is called 'hasgarden'; did you mean has-garden?");
  refused("lawn", "1", "no option is called 'lawn'; it is called has-garden now");
  refused("depth", "1", "no option is called 'depth'; it is called paint-thickness now");
  refused("roof", "1",
          "no option is called 'roof'; there are floors, has-garden, heights, paint-thickness, paint-tone");
}

TEST_CASE("options of a config may all begin with a word", "[option]") {
  house h;
  gp::set_option(h, "my-floors", "3", "my_");
  CHECK(h.floors == 3);
  CHECK_THROWS_WITH(gp::set_option(h, "my-floors", "0", "my_"), "my-floors: expected a whole number >= 1; got '0'");
  CHECK_THROWS_WITH(gp::set_option(h, "my-florrs", "3", "my_"),
                    "no option is called 'my-florrs'; did you mean my-floors?");
}

TEST_CASE("old names are read as those of today", "[option]") {
  gp::option_names names;
  names.add(house{});
  CHECK(names.now("lawn") == "has_garden");
  CHECK(names.now("has garden") == "has_garden");
  CHECK(names.now("paint-tone") == "paint_tone");
  CHECK(names.now("number of trees") == "number_of_trees");
}
